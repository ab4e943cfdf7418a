"""Record rows as journal entries, and back: JSON in the columns' order, compressed where rows are many or long."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, NamedTuple

import orjson

from actors.journal import Entry, Stored
from actors.llm.calls import CallRecord
from actors.llm.switches import Switches, read_switches
from erpsim.errors import RunError
from erpsim.records import CellRow, EventRow, FailureRow, RoundRow

MARKET_SEAT: Final = -1
"""Seat under which a market's own timings stand."""
_FAST: Final = 1


@dataclass(frozen=True)
class Spent:
    """Seconds that one firm, or the market itself, spent on one round; the parts do not overlap."""

    queue_s: float = 0.0
    model_s: float = 0.0
    tools_s: float = 0.0
    market_s: float = 0.0
    journal_s: float = 0.0
    overhead_s: float = 0.0  # the rest of a firm's deciding and booking


@dataclass(frozen=True)
class FirmRecords:
    """Everything that one firm's round adds to the records."""

    round_row: RoundRow
    cells: Sequence[CellRow]
    events: Sequence[EventRow]


class Writer(NamedTuple):
    """Who writes volatile rows: `life` is one life of one process, `number` counts its rows, so that none collide."""

    life: str
    number: int


def firm_entries(records: FirmRecords) -> list[Entry]:
    """Entries of one firm's round; they count once the market's round is committed."""
    row = records.round_row
    key = (row.market_id, row.round, row.seat)
    columns = dict(zip(CellRow._fields, zip(*records.cells, strict=True), strict=True))
    return [
        Entry("rounds", key, (zlib.compress(orjson.dumps(row), _FAST),)),
        Entry("cells", key, (zlib.compress(orjson.dumps(columns), _FAST),)),
        Entry("events", key, (orjson.dumps(list(records.events)),)),
    ]


def commit_entry(market_id: str, round_number: int, last: bool) -> Entry:
    """The marker that makes a market's round count."""
    return Entry("commits", (market_id, round_number), (int(last),))


def timing_entry(market_id: str, round_number: int, seat: int, spent: Spent) -> Entry:
    """What one firm, or the market itself under `MARKET_SEAT`, spent on one round."""
    return Entry("timings", (market_id, round_number, seat), (orjson.dumps(spent),))


def call_entry(record: CallRecord, writer: Writer) -> Entry:
    """One attempt at a model's server."""
    place = (record.market_id, record.round_number, record.seat, record.ask, record.turn)
    row = zlib.compress(orjson.dumps(record), _FAST)
    tokens = (record.tokens.prompt, record.tokens.completion)
    return Entry(
        "calls",
        (*place, *writer),
        (record.digest, record.error_class, record.status, *tokens, record.cost_usd, row),
    )


def learnt_entry(model: str, switches: Switches) -> Entry:
    """What a model's server was found to want."""
    return Entry("learnt", (model,), (switches.text().encode(),))


def read_learnt(stored: Iterator[Stored]) -> dict[str, Switches]:
    """What is known of the servers, by model."""
    return {str(row.key[0]): read_switches(row.row.decode()) for row in stored}


def failure_entry(row: FailureRow, writer: Writer) -> Entry:
    """One try of a market that did not come to its end."""
    return Entry("failures", (row.market_id, *writer), (orjson.dumps(row),))


def lost_entry(row: EventRow) -> Entry:
    """The experiment_failed event of a market that is given up; it vanishes from the records when a resume ends it."""
    return Entry("lost", (row.market_id,), (orjson.dumps(row),))


def read_row(stored: Stored) -> dict[str, Any]:
    """The row of `failures` or `lost` by column; raises RunError as all that is read back here."""
    with _damage_told("failures or lost"):
        row: dict[str, Any] = orjson.loads(stored.row)
        return row


def read_round(stored: bytes) -> dict[str, Any]:
    """One firm's row of `rounds` by column."""
    return _unpacked("rounds", stored, _ROUND)


def read_cells(stored: Stored) -> dict[str, list[Any]]:
    """The columns of one firm's cells in one round."""
    return _unpacked("cells", stored.row, CellRow._fields)


def read_events(stored: Stored) -> list[dict[str, Any]]:
    """The events of one firm in one round, in their order."""
    with _damage_told("events"):
        return [_with(row, _EVENT) for row in orjson.loads(stored.row)]


def read_call(stored: bytes) -> dict[str, Any]:
    """One attempt, by the fields of `CallRecord`."""
    return _unpacked("calls", stored, _CALL)


def read_timings(stored: Iterator[Stored]) -> Iterator[dict[str, Any]]:
    """The rows of `timings`: over a market's round, what its firms and the market itself spent."""
    key: tuple[str | int, ...] | None = None
    total: dict[str, float] = {}
    for item in stored:
        if item.key[:2] != key:
            if key is not None:
                yield _timing(key, total)
            key, total = item.key[:2], asdict(Spent())
        for name, seconds in orjson.loads(item.row).items():
            total[name] = total.get(name, 0.0) + seconds
    if key is not None:
        yield _timing(key, total)


_ROUND: Final = tuple(field.name for field in fields(RoundRow))
_EVENT: Final = tuple(field.name for field in fields(EventRow))
_CALL: Final = tuple(field.name for field in fields(CallRecord))


@contextmanager
def _damage_told(table: str) -> Iterator[None]:
    try:
        yield
    except (zlib.error, ValueError, TypeError, KeyError) as error:
        raise RunError(
            f"the journal is damaged: a row of {table} cannot be read ({error}); put back a copy of journal.db, or"
            " start a new run"
        ) from error


def _unpacked(table: str, stored: bytes, names: Sequence[str]) -> dict[str, Any]:
    with _damage_told(table):
        return _with(orjson.loads(zlib.decompress(stored)), names)


def _with(row: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The row, once every column is seen to be there."""
    missing = [name for name in names if name not in row]
    if missing:
        raise KeyError(f"no {missing[0]}")
    return row


def _timing(key: tuple[str | int, ...], total: Mapping[str, float]) -> dict[str, Any]:
    seconds = {name: round(value, 6) for name, value in total.items()}
    return {"market_id": key[0], "round": key[1], **seconds}
