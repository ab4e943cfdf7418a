"""How far a run is, counted from its journal and kept up to date row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from actors.journal import Entry, Journal
from actors.progress import Progress
from ecologies.work import WorkUnit


@dataclass
class Tally:
    """Running totals of a journal; a row that is written again counts once."""

    calls: int = 0
    throttled: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    rounds: set[tuple[str, int]] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    events: dict[tuple[str | int, ...], Counter[str]] = field(default_factory=dict)

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

    def progress(self, units: Iterable[WorkUnit]) -> Progress:
        """The totals as a snapshot, against the markets that the run has."""
        horizons = {unit.market.market_id: unit.problem.horizon for unit in units}
        counts: Counter[str] = Counter()
        for counter in self.events.values():
            counts.update(counter)
        if self.lost:
            counts["experiment_failed"] += len(self.lost)
        return Progress(
            markets_total=len(horizons),
            markets_done=len(self.finished),
            markets_failed=len(self.lost),
            rounds_done=len(self.rounds),
            rounds_total=sum(horizons.values()),
            calls=self.calls,
            throttled=self.throttled,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost_usd=self.cost_usd,
            events=dict(sorted(counts.items())),
        )

    def _count_call(self, entry: Entry) -> None:
        _, error_class, status, tokens_in, tokens_out, cost_usd, _ = entry.values
        self.calls += 1
        self.throttled += status == 429
        self.tokens_in += tokens_in if isinstance(tokens_in, int) else 0
        self.tokens_out += tokens_out if isinstance(tokens_out, int) else 0
        if isinstance(cost_usd, int | float) and self.cost_usd is not None:
            self.cost_usd += cost_usd
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
