"""How far a run is, counted from its journal and kept up to date row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import orjson

from actors.budget import Spending
from actors.entries import read_call
from actors.journal import REPLIED, Entry, Journal
from actors.llm.refusals import STOPS
from actors.progress import FailedCall, Progress
from ecologies.work import WorkUnit


class Extent(NamedTuple):
    """What a plan has to play; `rounds` is None while the problems' lengths are unknown."""

    markets: int
    rounds: int | None


def extent_of(units: Iterable[WorkUnit]) -> Extent:
    """What some markets have to play."""
    horizons = [unit.problem.horizon for unit in units]
    return Extent(len(horizons), sum(horizons))


@dataclass
class Tally:
    """Running totals of a journal; a row that is written again counts once."""

    calls: int = 0
    calls_failed: int = 0
    throttled: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    last_failed: FailedCall | None = None
    rounds: set[tuple[str, int]] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    events: dict[tuple[str | int, ...], Counter[str]] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)
    quota_spent: set[str] = field(default_factory=set)  # models, of the calls added only
    refused: FailedCall | None = None  # of the calls added only

    @classmethod
    def of(cls, path: Path) -> Tally:
        """Count what a journal holds.

        Raises:
            RunError: it cannot be read.
        """
        journal = Journal(path, writable=False)
        try:
            tally = cls(*journal.call_totals(), finished=journal.finished(), lost=journal.lost())
            tally.rounds = {(market_id, number) for market_id, number in journal.rounds_committed()}
            tally.spending = Spending(*journal.spending())
            row = journal.last_failed()
            tally.last_failed = None if row is None else _failed_call(row)
            for stored in journal.rows("events", uncommitted=True):
                tally._count_events(stored.key, stored.row)
        finally:
            journal.close()
        return tally

    def add(self, entries: Iterable[Entry], fresh: Iterable[bool]) -> None:
        """Count rows that were just written; `fresh` says of each whether it was new."""
        for entry, new in zip(entries, fresh, strict=True):
            if entry.table == "calls" and new:
                self._count_call(entry)
            elif entry.table == "commits":
                self._count_commit(entry)
            elif entry.table == "events":
                self._count_events(entry.key, entry.values[0])
            elif entry.table == "lost":
                self.lost.add(str(entry.key[0]))

    def progress(self, extent: Extent) -> Progress:
        """The totals as a snapshot, against what the run has to play."""
        counts: Counter[str] = Counter()
        for counter in self.events.values():
            counts.update(counter)
        if self.lost:
            counts["experiment_failed"] += len(self.lost)
        return Progress(
            markets_total=extent.markets,
            markets_done=len(self.finished),
            markets_failed=len(self.lost),
            rounds_done=len(self.rounds),
            rounds_total=extent.rounds,
            calls=self.calls,
            calls_failed=self.calls_failed,
            last_failed=self.last_failed,
            throttled=self.throttled,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost_usd=self.cost_usd,
            reckoned_usd=self.spending.reckoned_usd(),
            unpriced=self.spending.unpriced,
            quota_spent=tuple(sorted(self.quota_spent)),
            refused=self.refused,
            events=dict(sorted(counts.items())),
        )

    def _count_call(self, entry: Entry) -> None:
        _, error_class, status, tokens_in, tokens_out, cost_usd, row = entry.values
        self.calls += 1
        if error_class not in REPLIED:
            assert isinstance(row, bytes)
            self.calls_failed += 1
            self.last_failed = _failed_call(row)
            if error_class == "quota":
                self.quota_spent.add(self.last_failed.model)
            if error_class in STOPS and self.refused is None:
                self.refused = replace(self.last_failed, message=read_call(row)["message"])
        self.throttled += status == 429
        self.tokens_in += tokens_in if isinstance(tokens_in, int) else 0
        self.tokens_out += tokens_out if isinstance(tokens_out, int) else 0
        known_usd = float(cost_usd) if isinstance(cost_usd, int | float) else None
        self.spending.add(known_usd, replied=error_class == "")
        if known_usd is not None and self.cost_usd is not None:
            self.cost_usd += known_usd
        elif error_class == "":
            self.cost_usd = None

    def _count_commit(self, entry: Entry) -> None:
        market_id, round_number = str(entry.key[0]), int(entry.key[1])
        self.rounds.add((market_id, round_number))
        if entry.values[0]:
            self.finished.add(market_id)
            self.lost.discard(market_id)

    def _count_events(self, key: tuple[str | int, ...], row: object) -> None:
        assert isinstance(row, bytes)
        categories = Counter(event["category"] for event in orjson.loads(row)) if row != b"[]" else Counter()
        if categories:
            self.events[key] = categories
        else:
            self.events.pop(key, None)


def _failed_call(row: bytes) -> FailedCall:
    call = read_call(row)
    return FailedCall(call["error_class"], call["model"])
