"""Whether a run holds its plan's markets and nothing else, and its record files what its journal gives."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from actors import store
from actors.journal import Journal
from actors.run_file import JOURNAL_NAME, RECORDS_NAME, RunFile
from ecologies.work import WorkUnit

SEATED: Final = ("rounds", "cells", "events")
"""Tables of the journal with a row for each firm and round."""


def strangers(journal: Journal, units: Sequence[WorkUnit]) -> Iterator[str]:
    """Say of each market what the journal holds of it that its plan does not give.

    That is a market that is not in the plan, a round after its last one, a round without those before it, a mark of
    its end where it does not end, and a seat that it does not have. The rows of the rest can be played again.
    """
    planned = {unit.market.market_id: unit for unit in units}
    finished = journal.finished()
    for market_id, numbers in _committed(journal).items():
        if market_id not in planned:
            yield f"{market_id}: is no market of the run's plan"
        else:
            yield from _misplaced(planned[market_id], numbers, market_id in finished)
    for table in SEATED:
        for stored in journal.rows(table):
            market_id, number, seat = str(stored.key[0]), *stored.key[1:]
            unit = planned.get(market_id)
            if unit is not None and seat not in range(len(unit.market.seats)):
                seats = len(unit.market.seats)
                yield f"{market_id}, round {number}: {table} has a row of seat {seat}, and the market has {seats} seats"


def stale_files(folder: Path, run: RunFile) -> tuple[str, ...]:
    """Tables in `records/` that are not, byte for byte, what the journal gives; none is looked for in a run without."""
    if not (folder / RECORDS_NAME).is_dir():
        return ()
    with tempfile.TemporaryDirectory() as name:
        store.export_from(folder / JOURNAL_NAME, Path(name), run.run_id, len(run.plan.models))
        return tuple(
            f"{RECORDS_NAME}/{table}.parquet"
            for table in store.ROW_TYPES
            if _bytes(folder / RECORDS_NAME / f"{table}.parquet") != _bytes(Path(name) / f"{table}.parquet")
        )


def _committed(journal: Journal) -> Mapping[str, set[int]]:
    found: dict[str, set[int]] = {}
    for market_id, number in sorted(journal.rounds_committed()):
        found.setdefault(market_id, set()).add(number)
    return found


def _misplaced(unit: WorkUnit, numbers: set[int], finished: bool) -> Iterator[str]:
    market_id, horizon, last = unit.market.market_id, unit.problem.horizon, max(numbers)
    if last > horizon:
        yield f"{market_id}: round {last} is committed, and its problem has {horizon} rounds"
    missing = sorted(set(range(1, last)) - numbers)
    if missing:
        yield f"{market_id}: round {missing[0]} is not committed, and round {last} is"
    if finished and last < horizon:
        yield f"{market_id}: is marked as finished after round {last} of {horizon}"
    if not finished and last == horizon:
        yield f"{market_id}: all {horizon} rounds are committed, and it is not marked as finished"


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
