"""One hunted game: a decider in seat 0 against the five rules, every round kept, so that it can be branched.

The rivals react to what seat 0 did before, so all six firms are played in every round; rounds before the first change
are taken from the game that is branched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from ecologies.ecology import RULE_NAMES, SEATS
from ecologies.rule_parameters import RULE_PARAMETERS, RuleParameters
from ecologies.rules import decide_rule
from erpsim.decision import Decision
from erpsim.observation import Observation
from erpsim.offer import Sales
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.result import FirmRound, Traded
from erpsim.round import Repaired, clear, observe, open_firm, plan, repair, settle_all
from erpsim.state import FirmState

HUNTER: Final = 0
"""The seat that is hunted with; rules play the others, as in Solo."""
BASE: Final = RULE_PARAMETERS["balanced"]
"""The rule that every hunt starts from and is measured against."""

Decider = Callable[[Observation], Decision]
Repairer = Callable[[FirmState, Problem, Decision], Repaired]


@dataclass(frozen=True, eq=False)
class HuntedRound:
    """One round of a hunted game."""

    states: tuple[FirmState, ...]  # by seat, as the round found them
    observation: Observation  # the hunter's
    executed: Decision  # the hunter's, repaired
    sales: Sales  # the hunter's
    results: tuple[FirmRound, ...]  # by seat


@dataclass(frozen=True, eq=False)
class Game:
    """A finished hunted game."""

    problem: Problem
    rounds: tuple[HuntedRound, ...]
    final: FirmState  # the hunter's, when all rounds are over

    @property
    def worth(self) -> float:
        """Final valuation of the hunter, EUR."""
        return self.rounds[-1].results[HUNTER].valuation

    @property
    def rivals_worth(self) -> float:
        """Sum of the rivals' final valuations, EUR."""
        return sum(result.valuation for seat, result in enumerate(self.rounds[-1].results) if seat != HUNTER)


def rule_decider(parameters: RuleParameters) -> Decider:
    """The decider of a rule."""

    def decide(observation: Observation) -> Decision:
        return decide_rule(parameters, observation)

    return decide


_RIVALS: Final = tuple(rule_decider(RULE_PARAMETERS[name]) for name in RULE_NAMES)


def play(problem: Problem, hunter: Decider, repairer: Repairer = repair) -> Game:
    """Play a problem from its opening.

    Args:
        problem: what is played.
        hunter: decides for seat 0.
        repairer: what makes the hunter's proposals executable; the rivals' always go through the game's own.
    """
    return _played_on(problem, (), _opening(problem).states, hunter, repairer)


def branch(game: Game, round_number: int, hunter: Decider, repairer: Repairer = repair) -> Game:
    """Play a game again from a round (1-based) on; the rounds before it are the game's own."""
    kept = game.rounds[: round_number - 1]
    return _played_on(game.problem, kept, game.rounds[round_number - 1].states, hunter, repairer)


class _Opening(NamedTuple):
    states: tuple[FirmState, ...]  # by seat
    plans: tuple[Plan, ...]  # the rivals' of round 1, on which nobody has any bearing


@lru_cache(maxsize=128)
def _opening(problem: Problem) -> _Opening:
    states = tuple(open_firm(problem, seat) for seat in range(SEATS))
    return _Opening(states, _rivals_plans(problem, states))


def _rivals_plans(problem: Problem, states: tuple[FirmState, ...]) -> tuple[Plan, ...]:
    pairs = zip(states[HUNTER + 1 :], _RIVALS, strict=True)
    return tuple(_planned(problem, state, decide(observe(state, problem, SEATS)), repair) for state, decide in pairs)


def _planned(problem: Problem, state: FirmState, proposal: Decision, repairer: Repairer) -> Plan:
    return plan(state, problem, repairer(state, problem, proposal).decision)


def _played_on(
    problem: Problem, kept: tuple[HuntedRound, ...], states: tuple[FirmState, ...], hunter: Decider, repairer: Repairer
) -> Game:
    rounds = list(kept)
    for round_number in range(len(kept) + 1, problem.horizon + 1):
        observation = observe(states[HUNTER], problem, SEATS)
        own = _planned(problem, states[HUNTER], hunter(observation), repairer)
        others = _opening(problem).plans if round_number == 1 else _rivals_plans(problem, states)
        plans = (own, *others)
        sales = clear(problem, round_number, [one.offer for one in plans]).sales
        rows = zip(states, plans, sales, strict=True)
        settled = settle_all([Traded(state, problem, one, sold) for state, one, sold in rows])
        results = tuple(one.result for one in settled)
        rounds.append(HuntedRound(states, observation, own.decision, sales[HUNTER], results))
        states = tuple(one.state for one in settled)
    return Game(problem, tuple(rounds), states[HUNTER])
