"""Whether a run's records are what the rules give for its recorded replies: every round is played again and compared.

Nothing is called and nothing is written. Models answer from the journal (`recorded`), rules decide anew, and the game
is the reference of `ecologies.local`, which shares no code of the actors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import orjson

from actors import entries, run_file
from actors.completeness import stale_files, strangers
from actors.journal import Journal
from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import DecisionKey, InfraFailure
from actors.llm.http_policy import HttpPolicy
from actors.planning import present_plan, work_of
from actors.recorded import NoServer, RecordedReplies, ReplyReader
from actors.run_file import JOURNAL_NAME, RunFile, RunSettings
from actors.sources import Sources, found_again, read_sources, require_files
from ecologies.local import RoundRecords, record_rounds
from ecologies.models import choose
from ecologies.policy import Policy, PolicySpec
from ecologies.rules import rule_policy
from ecologies.work import WorkUnit
from erpsim.errors import RunError
from erpsim.events import FallbackDecision, Traceback
from erpsim.observation import Observation
from erpsim.proposal import Proposal
from erpsim.records import CellRow

Row = Mapping[str, Any]
Told = Callable[[int, int], None]
"""Is told how many of how many markets are looked at."""

INFRA: Final = "infra"
NOT_A_REPLYS: Final = (INFRA, "traceback")
"""Codes of fallback decisions that no reply explains; they are taken as they are recorded, and counted."""


class Difference(NamedTuple):
    """One value that is recorded otherwise than the rules give it."""

    market_id: str
    round: int
    seat: int
    table: str
    column: str
    recorded: object
    computed: object


@dataclass(frozen=True)
class Verdict:
    """What came of holding a run against the rules.

    Attributes:
        markets: markets with a committed round.
        rounds: market-rounds played again.
        planned: markets of the run's plan.
        finished: markets of them that are played to their end.
        taken: decisions taken as recorded, since no reply explains them.
        differences: the first difference of each market that has one.
        unexplained: one line for each market whose replies do not fit, and for what is in no market of the plan.
        files: tables in `records/` that are not what the journal gives; none where there are no records yet.
    """

    markets: int = 0
    rounds: int = 0
    planned: int = 0
    finished: int = 0
    taken: int = 0
    differences: tuple[Difference, ...] = ()
    unexplained: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every record is what the rules give, and there is one."""
        return self.rounds > 0 and not (self.differences or self.unexplained or self.files)


async def verify(folder: Path, told: Told, settings: RunSettings | None = None) -> Verdict:
    """Play every committed round of a run again and compare.

    Args:
        folder: the run's.
        told: is told how far it is.
        settings: say where panel and models file are now, if they were moved.

    Raises:
        RunError: the folder holds no run; its journal cannot be read; a file that it was begun with is not there; or
            rules, panel, prompts or models file are not those of the run, so that there is nothing to compare with.
    """
    found = run_file.load(folder)
    here = found_again(folder, settings or found.settings)
    require_files(folder, here)
    sources = read_sources(here)
    run_file.require_one_set_up(folder, found)
    changed = run_file.differences(found.plan, present_plan(found.plan, sources))
    if changed:
        raise RunError(f"{folder}: cannot be verified with what is here: {'; '.join(changed)}; put that back")
    journal = Journal(folder / JOURNAL_NAME, writable=False)
    try:
        journal.check()
        return await _Verification(found, sources, RecordedReplies(folder / JOURNAL_NAME)).of(journal, folder, told)
    finally:
        journal.close()


class _Decider(Protocol):
    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure: ...


class _UnexplainedError(RunError):
    """A recorded round whose reply is not in the journal."""


class _Taken(NamedTuple):
    """A decision that no reply explains, as it is recorded."""

    code: str
    proposal: Proposal


@dataclass(frozen=True)
class _Seat:
    """One firm of one market, deciding from recorded replies."""

    decider: _Decider
    market_id: str
    taken: Mapping[int, _Taken]  # by round
    infra_fallback: bool

    async def decide(self, observation: Observation) -> Proposal:
        """See `Policy`."""
        taken = self.taken.get(observation.round_number)
        if taken is not None and taken.code != INFRA:
            return taken.proposal
        key = DecisionKey(self.market_id, observation.seat, observation.round_number)
        answer = await self.decider.decide(observation, key)
        if isinstance(answer, InfraFailure):
            if taken is not None and self.infra_fallback:
                return taken.proposal
            raise _UnexplainedError(answer.failure.message)
        if taken is not None:
            place = f"{self.market_id}, round {observation.round_number}, seat {observation.seat}"
            raise _UnexplainedError(
                f"{place}: the fallback is recorded as if the model had not been reached, and its answer is there"
            )
        return answer


class _Game(NamedTuple):
    """One market as it is recorded."""

    unit: WorkUnit
    rounds: int
    taken: Mapping[int, Mapping[int, _Taken]]  # by seat, then round


@dataclass
class _Verification:
    """Life of one verification."""

    run: RunFile
    sources: Sources
    replies: RecordedReplies
    deciders: dict[PolicySpec, _Decider] = field(default_factory=dict)

    async def of(self, journal: Journal, folder: Path, told: Told) -> Verdict:
        """Look at every market with a committed round."""
        committed = journal.committed()
        planned = work_of(self.run.plan, self.sources).units
        units = [unit for unit in planned if unit.market.market_id in committed]
        games = [_game(journal, unit, committed[unit.market.market_id]) for unit in units]
        differences: list[Difference] = []
        unexplained = list(strangers(journal, planned))
        for number, game in enumerate(games, start=1):
            try:
                found = await self._first_difference(journal, game)
            except _UnexplainedError as error:
                unexplained.append(str(error))
            else:
                differences += [found] if found is not None else []
            told(number, len(games))
        return Verdict(
            markets=len(games),
            rounds=sum(game.rounds for game in games),
            planned=len(planned),
            finished=len(journal.finished() & {unit.market.market_id for unit in planned}),
            taken=sum(len(by_round) for game in games for by_round in game.taken.values()),
            differences=tuple(differences),
            unexplained=tuple(unexplained),
            files=stale_files(folder, self.run),
        )

    async def _first_difference(self, journal: Journal, game: _Game) -> Difference | None:
        """Play a market again as far as it is committed, up to the first row that differs."""
        market, number = game.unit.market, 0
        policies = [self._policy(game, seat) for seat in range(len(market.seats))]
        rounds = record_rounds(market, game.unit.problem, policies, self.run.run_id)
        async with aclosing(rounds):
            async for computed in rounds:
                number += 1
                found = next(_differences(journal, computed, (market.market_id, number)), None)
                if found is not None or number == game.rounds:
                    return found
        return None

    def _policy(self, game: _Game, seat: int) -> Policy:
        spec = game.unit.market.seats[seat]
        if spec.kind == "rule":
            return rule_policy(spec.label)
        if spec not in self.deciders:
            self.deciders[spec] = self._decider(spec)
        taken, allowed = game.taken.get(seat, {}), self.run.plan.infra_fallback
        return _Seat(self.deciders[spec], game.unit.market.market_id, taken, allowed)

    def _decider(self, spec: PolicySpec) -> _Decider:
        plan, recorder, server = self.run.plan, ReplyReader(self.replies), NoServer(self.replies)
        (entry,) = choose(self.sources.models, [spec.label]).entries
        if spec.kind == "http":
            return HttpPolicy(entry, server, recorder, plan.reasks)
        return ModelAgent(entry, server, recorder, AgentOptions(plan.tool_turns, plan.reasks))


def _game(journal: Journal, unit: WorkUnit, committed: int) -> _Game:
    rounds = min(committed, unit.problem.horizon)
    taken: dict[int, dict[int, _Taken]] = {}
    for number in range(1, rounds + 1):
        for seat in range(len(unit.market.seats)):
            found = _unexplained(_events(journal, (unit.market.market_id, number, seat)))
            if found is not None:
                taken.setdefault(seat, {})[number] = found
    return _Game(unit, rounds, taken)


def _unexplained(events: Sequence[Row]) -> _Taken | None:
    """A decision that no reply explains, its proposal made again from its events; None for any other."""
    by_category = {row["category"]: row for row in events}
    fallback = by_category.get("fallback_decision")
    if fallback is None or fallback["code"] not in NOT_A_REPLYS:
        return None
    asked = orjson.loads(fallback["asked"])
    event = FallbackDecision(fallback["code"], asked=asked, cause=fallback["cause"])
    broken = by_category.get("traceback")
    before = () if broken is None else (Traceback(broken["code"], cause=broken["cause"]),)
    return _Taken(fallback["code"], Proposal(None, "fallback", (*before, event)))


def _differences(journal: Journal, computed: RoundRecords, place: tuple[str, int]) -> Iterator[Difference]:
    """What differs between the rows of a round as computed and as recorded, by seat."""
    market_id, number = place
    for table, rows in (("rounds", computed.rounds), ("cells", computed.cells), ("events", computed.events)):
        by_seat: dict[int, list[Row]] = {row.seat: [] for row in computed.rounds}
        for row in rows:
            by_seat[row.seat].append(orjson.loads(orjson.dumps(row, default=CellRow._asdict)))
        for seat, ours in by_seat.items():
            theirs = _READERS[table](journal, (market_id, number, seat))
            for found in _unequal(theirs, ours):
                yield Difference(market_id, number, seat, table, *found)


def _unequal(recorded: Sequence[Row], computed: Sequence[Row]) -> Iterator[tuple[str, object, object]]:
    if len(recorded) != len(computed):
        yield "number of rows", len(recorded), len(computed)
    for theirs, ours in zip(recorded, computed, strict=False):
        for column in {**theirs, **ours}:
            if theirs.get(column) != ours.get(column):
                yield column, theirs.get(column), ours.get(column)


def _round(journal: Journal, place: tuple[str, int, int]) -> list[Row]:
    return [entries.read_round(stored.row) for stored in journal.of_firm_round("rounds", place)]


def _cells(journal: Journal, place: tuple[str, int, int]) -> list[Row]:
    columns = [entries.read_cells(stored) for stored in journal.of_firm_round("cells", place)]
    return [dict(zip(one, values, strict=True)) for one in columns for values in zip(*one.values(), strict=True)]


def _events(journal: Journal, place: tuple[str, int, int]) -> list[Row]:
    return [row for stored in journal.of_firm_round("events", place) for row in entries.read_events(stored)]


_READERS: Final = {"rounds": _round, "cells": _cells, "events": _events}
