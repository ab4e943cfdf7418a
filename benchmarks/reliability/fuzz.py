"""Random, extreme and hostile decisions in whole games over the panel: nothing may break, and every book must balance.

    python -m benchmarks.reliability.fuzz [--decisions 100000] [--seed 0] [--start 0]

A game is one Arena of a problem of the panel, one after the other, so that all strata are met; every seat draws anew in
every round, so the states of later rounds are those that wild decisions lead to. Game number and seed determine a game:
a part is named by `--start`, and the line printed says where the next one begins. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import numpy as np
import orjson

from benchmarks.reliability.books import faults_of_firm, faults_of_market
from benchmarks.reliability.wild_decisions import decision_of
from ecologies.arena import arena_market
from ecologies.identity import identity_of
from ecologies.local import PlayedRound, play_rounds
from ecologies.policy import PolicySpec
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from erpsim.observation import Observation
from erpsim.problem import Problem
from erpsim.proposal import Proposal
from erpsim.recording import cell_rows, event_rows
from erpsim.round import open_firm

SEATS: Final = 6
SPECS: Final = tuple(PolicySpec("model", f"wild-{seat}") for seat in range(SEATS))
TOLD_GAMES: Final = 100
"""Games after which a line says how far the fuzzing is, so that one that is broken off has its count."""
RULES_SHARE: Final = 0.15
"""Chance that a rule decides in a seat's round, so that wild firms meet sensible ones."""


@dataclass
class Tally:
    """What was played, and what was wrong with it."""

    games: int = 0
    decisions: int = 0
    events: Counter[str] = field(default_factory=Counter)
    strata: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wild:
    """Decides by a draw of its own for every game, seat and round."""

    seed: int
    game: int

    async def decide(self, observation: Observation) -> Proposal:
        """Draw a decision; now and then a rule decides."""
        place = f"{self.seed} {self.game} {observation.seat} {observation.round_number}"
        rng = Random(place)  # noqa: S311 - a test's draw
        if rng.random() < RULES_SHARE:
            return await rule_policy("balanced").decide(observation)
        decision = decision_of(rng)
        return Proposal(decision, "clean" if decision else "fallback")


async def play_game(seed: int, game: int, tally: Tally) -> None:
    """Play one game and note what is wrong; what is raised ends the fuzzing, with the game that does it named."""
    problems = shipped_panel().problems
    problem = problems[game % len(problems)]
    tally.games += 1
    tally.strata[problem.stratum] += 1
    with ExitStack() as unless_played:
        place = f"seed {seed}, game {game}, {problem.problem_id}: raised what follows"
        unless_played.callback(print, place, file=sys.stderr)
        await _play(problem, Wild(seed, game), tally)
        unless_played.pop_all()


async def _play(problem: Problem, wild: Wild, tally: Tally) -> None:
    states = [open_firm(problem, seat) for seat in range(SEATS)]
    async for played in play_rounds(problem, [wild] * SEATS):
        tally.decisions += SEATS
        wrong = list(faults_of_market(played))
        for seat, state in enumerate(states):
            wrong += [f"seat {seat}: {fault}" for fault in faults_of_firm(state, problem, played, seat)]
            tally.events.update(event.code for event in played.turns[seat].events)
        _record(problem, played)
        place = f"seed {wild.seed}, game {wild.game}, {problem.problem_id}, round {played.round_number}"
        tally.faults += [f"{place}, {fault}" for fault in wrong]
        states = [one.state for one in played.settled]


def _record(problem: Problem, played: PlayedRound) -> None:
    """Write the rows as the journal does; a figure that no JSON can hold raises."""
    market = arena_market(problem.problem_id, SPECS)
    for seat, settled in enumerate(played.settled):
        identity = identity_of("0" * 12, market, problem, seat)
        orjson.dumps(list(event_rows(identity, played.round_number, played.turns[seat].events)))
        orjson.dumps(cell_rows(identity, settled.result), default=tuple)


def fuzz(decisions: int, seed: int, start: int) -> dict[str, Any]:
    """Play games until so many decisions were made; gives the figures of the JSON line."""
    tally = Tally()
    began = time.perf_counter()
    with np.errstate(all="raise", under="ignore"):
        while tally.decisions < decisions and tally.games < decisions:
            asyncio.run(play_game(seed, start + tally.games, tally))
            if tally.games % TOLD_GAMES == 0:
                done = {"next_start": start + tally.games, "decisions": tally.decisions, "faults": len(tally.faults)}
                print(json.dumps(done), file=sys.stderr, flush=True)
    return {
        "benchmark": "fuzz",
        "seed": seed,
        "start": start,
        "next_start": start + tally.games,
        "games": tally.games,
        "decisions": tally.decisions,
        "strata": dict(tally.strata),
        "interventions": tally.events.total(),
        "codes": len(tally.events),
        "faults": len(tally.faults),
        "first_faults": tally.faults[:5],
        "seconds": round(time.perf_counter() - began, 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="first game")
    given = parser.parse_args(arguments)
    figures = fuzz(given.decisions, given.seed, given.start)
    print(json.dumps(figures), flush=True)
    return 1 if figures["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
