"""A driver without Ray: it makes the folder by the real code and writes records that the plan asks for, by formula."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from actors import run_file
from actors.planning import work_of
from actors.progress import Listener, Progress
from actors.run_file import RECORDS_NAME, RunFile, RunPlan, RunSettings
from actors.sources import read_sources
from actors.store import write_table
from actors.summary import Summary
from ecologies.identity import identity_of
from ecologies.work import WorkUnit
from erpsim.records import CallRow, EventRow, FailureRow, OutcomeRow, RoundRow
from tests.analysis import samples


@dataclass
class FakeDriver:
    """Stands in for `actors.driver`; remembers what it was asked for.

    Attributes:
        broken: parts of ids of markets that are given up.
        interrupted: whether a signal ends the play.
        spent_usd: money that counts against a budget.
        stops: what stopped calls.
        asked: plan and settings of each play.
    """

    broken: tuple[str, ...] = ()
    interrupted: bool = False
    spent_usd: float = 0.0
    stops: tuple[str, ...] = ()
    asked: list[tuple[RunPlan, RunSettings]] = field(default_factory=list)

    def play(self, folder: Path, plan: RunPlan, settings: RunSettings, listener: Listener) -> Summary:
        return self._play(folder, run_file.create(folder, plan, settings), listener)

    def resume(
        self, folder: Path, listener: Listener, settings: RunSettings | None = None, accept_changes: bool = False
    ) -> Summary:
        del accept_changes
        found = run_file.load(folder)
        return self._play(folder, found if settings is None else replace(found, settings=settings), listener)

    def status(self, folder: Path) -> Progress:
        found = run_file.load(folder)
        return self._progress(work_of(found.plan, read_sources(found.settings)).units)

    def _play(self, folder: Path, run: RunFile, listener: Listener) -> Summary:
        self.asked.append((run.plan, run.settings))
        units = work_of(run.plan, read_sources(run.settings)).units
        money = {"budget_usd": run.settings.budget_usd, "reckoned_usd": self.spent_usd}
        progress = replace(self._progress(units), **money)  # type: ignore[arg-type]
        listener(replace(progress, stage="starting Ray", markets_done=0))
        listener(progress)
        if not self.interrupted:
            self._write(folder, run, units)
        lost = tuple(unit.market.market_id for unit in units if self._is_broken(unit))
        return Summary(
            run_id=run.run_id,
            folder=folder,
            progress=progress,
            complete=not lost and not self.interrupted,
            interrupted=self.interrupted,
            failures=tuple(f"{market_id}: overloaded" for market_id in lost),
            stops=self.stops,
            standin_replies=progress.calls,
        )

    def _write(self, folder: Path, run: RunFile, units: Sequence[WorkUnit]) -> None:
        rounds = [row for unit in units if not self._is_broken(unit) for row in _rounds(run.run_id, unit)]
        last = {(row.market_id, row.seat): row for row in rounds if row.policy_kind != "rule"}
        horizons = {unit.market.market_id: unit.problem.horizon for unit in units}
        tables: dict[type, list[Any]] = {
            RoundRow: rounds,
            OutcomeRow: [_outcome(row, horizons[row.market_id]) for row in last.values()],
            EventRow: [],
            CallRow: [samples.call(row.market_id, str(row.model), seat=row.seat) for row in last.values()],
            FailureRow: [
                samples.failure(unit.market.market_id, "overloaded") for unit in units if self._is_broken(unit)
            ],
        }
        names = {
            RoundRow: "rounds",
            OutcomeRow: "outcomes",
            EventRow: "events",
            FailureRow: "failures",
            CallRow: "calls",
        }
        for row_type, rows in tables.items():
            path = folder / RECORDS_NAME / f"{names[row_type]}.parquet"
            write_table(path, row_type, [vars(row) for row in rows])

    def _is_broken(self, unit: WorkUnit) -> bool:
        return any(part in unit.market.market_id for part in self.broken)

    def _progress(self, units: Sequence[WorkUnit]) -> Progress:
        done = sum(not self._is_broken(unit) for unit in units)
        calls = sum(unit.model_rounds for unit in units)
        return Progress(
            stage="playing",
            markets_total=len(units),
            markets_done=done,
            markets_failed=len(units) - done,
            calls=calls,
            tokens_in=10 * calls,
            elapsed_s=1.0,
            events={"reask": 2},
        )


def _rounds(run_id: str, unit: WorkUnit) -> Iterator[RoundRow]:
    """Rounds of every seat, rules included; the valuation grows with round and seat."""
    for seat in range(len(unit.market.seats)):
        identity = identity_of(run_id, unit.market, unit.problem, seat)
        template = samples.rounds_of(samples.outcome("solo", "P001", "m", 0.0))[0]
        for number in range(1, unit.problem.horizon + 1):
            value = 1e6 * (seat + number)
            yield replace(template, **vars(identity), round=number, valuation=value, route="m||stand-in")


def _outcome(row: RoundRow, n_rounds: int) -> OutcomeRow:
    shared = {item.name: getattr(row, item.name) for item in fields(OutcomeRow) if item.name in vars(row)}
    return OutcomeRow(**shared, rank=None, n_rounds=n_rounds)
