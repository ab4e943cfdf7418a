"""The public record tables as parquet files, made from the journal: the columns of `erpsim.records`, sorted by key.

One row group a file, so equal rows give equal bytes. A file appears in one piece, or not at all.
"""

from __future__ import annotations

import os
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from actors import entries
from actors.journal import Journal
from actors.run_file import JOURNAL_NAME, RECORDS_NAME
from erpsim.errors import RunError
from erpsim.records import CallRow, CellRow, EventRow, FailureRow, OutcomeRow, RoundRow, TimingRow

ROW_TYPES: Final[dict[str, type]] = {
    "rounds": RoundRow,
    "cells": CellRow,
    "outcomes": OutcomeRow,
    "events": EventRow,
    "calls": CallRow,
    "failures": FailureRow,
    "timings": TimingRow,
}
"""Row type of each table, in the order in which they are written."""
GRADED: Final = ("rounds", "cells", "outcomes", "events")
"""Tables that are a function of what was decided, byte for byte."""

Row = Mapping[str, Any]
Values = tuple[Any, ...]

_ARROW: Final[dict[type, pa.DataType]] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
_BATCH_ROWS: Final = 4_096
_TOKEN_KINDS: Final = {
    "in": "prompt",
    "cached": "cached",
    "cache_write": "written",
    "out": "completion",
    "reasoning": "reasoning",
}
"""Ends of the columns of `calls`, with the fields of `Tokens` that they hold."""


def export(folder: Path, run_id: str, n_models: int) -> None:
    """Write all seven tables of a run folder from its journal.

    Args:
        folder: the run folder.
        run_id: goes into the rows of `calls`.
        n_models: models of the run; a Solo problem is ranked once all of them have played it.

    Raises:
        RunError: the journal cannot be read or the records cannot be written.
    """
    export_from(folder / JOURNAL_NAME, folder / RECORDS_NAME, run_id, n_models)


def export_from(path: Path, target: Path, run_id: str, n_models: int) -> None:
    """Write the tables of a journal into a folder; otherwise as `export`."""
    journal = Journal(path, writable=False)
    try:
        for table, rows in _tables(journal, run_id, n_models):
            _write(target / f"{table}.parquet", ROW_TYPES[table], rows)
    finally:
        journal.close()


def write_table(path: Path, row_type: type, rows: Iterable[Row]) -> None:
    """Write rows, given in their final order, as one parquet file of one row group.

    Raises:
        RunError: the file cannot be written, or a value is not what its column takes.
    """
    _write(path, row_type, _in_order(row_type, rows))


def schema_of(row_type: type) -> pa.Schema:
    """Columns of a row type: its fields in order, nullable where they may be None."""
    return pa.schema([_arrow_field(name, hint) for name, hint in get_type_hints(row_type).items()])


def ranked(outcomes: Sequence[dict[str, Any]], n_models: int) -> list[dict[str, Any]]:
    """Fill `rank` over the models of each problem, ecology, line-up and trial: 1 is best, ties share their mean.

    Solo ranks the separate markets of `n_models` models; it stays None while one of them is missing.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in outcomes:
        key = tuple(row[name] for name in ("ecology", "lineup", "trial", "problem_id"))
        groups.setdefault(key, []).append(row)
    ranks: dict[tuple[str, int], float] = {}
    for (ecology, *_), group in groups.items():
        if ecology != "solo" or len(group) == n_models:
            ranks |= _mean_ranks(group)
    return [{**row, "rank": ranks.get((row["market_id"], row["seat"]))} for row in outcomes]


def _write(path: Path, row_type: type, rows: Iterable[Values]) -> None:
    schema = schema_of(row_type)
    draft = path.with_name(path.name + ".new")
    try:
        table = pa.Table.from_batches(list(_batches(iter(rows), schema)), schema)
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, draft, row_group_size=max(1, table.num_rows), compression="zstd")
        with draft.open("rb") as stream:
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise RunError(f"{path}: cannot be written ({why}); free space, then `erpbench resume` writes it") from error
    except pa.ArrowException as error:
        raise RunError(
            f"{path}: cannot be written, the journal is damaged ({error}); put back a copy of journal.db, or start a"
            " new run"
        ) from error


def _tables(journal: Journal, run_id: str, n_models: int) -> Iterator[tuple[str, Iterable[Values]]]:
    rounds = (entries.read_round(stored.row) for stored in journal.rows("rounds"))
    yield "rounds", _in_order(RoundRow, rounds)
    yield "cells", _cells(journal)
    yield "outcomes", _in_order(OutcomeRow, ranked(_outcomes(journal), n_models))
    yield "events", _in_order(EventRow, _events(journal))
    yield "calls", _in_order(CallRow, _calls(journal, run_id))
    yield "failures", _in_order(FailureRow, map(entries.read_row, journal.rows("failures")))
    yield "timings", _in_order(TimingRow, entries.read_timings(journal.rows("timings")))


def _in_order(row_type: type, rows: Iterable[Row]) -> Iterator[Values]:
    """The values of rows in the order of the table's columns."""
    return map(itemgetter(*get_type_hints(row_type)), rows)


def _cells(journal: Journal) -> Iterator[Values]:
    in_order = itemgetter(*get_type_hints(CellRow))
    for stored in journal.rows("cells"):
        yield from zip(*in_order(entries.read_cells(stored)), strict=True)


def _outcomes(journal: Journal) -> list[dict[str, Any]]:
    names = [name for name in get_type_hints(OutcomeRow) if name not in ("rank", "n_rounds")]
    last = (entries.read_round(stored.row) for stored in journal.rows("rounds", last=True))
    return [
        {**{name: row[name] for name in names}, "n_rounds": row["round"]}
        for row in last
        if row["policy_kind"] != "rule"
    ]


def _events(journal: Journal) -> list[Row]:
    lost = journal.lost()
    rows = [row for stored in journal.rows("events") for row in entries.read_events(stored)]
    given_up = [row for row in map(entries.read_row, journal.rows("lost")) if row["market_id"] in lost]
    if not given_up:
        return list(rows)
    return sorted([*rows, *given_up], key=lambda row: (row["market_id"], row["round"], row["seat"], row["sequence"]))


def _calls(journal: Journal, run_id: str) -> Iterator[Row]:
    """Rows of `calls`; the last reply at a place is the one used, once its market's round is committed."""
    committed = journal.committed()
    waiting: list[dict[str, Any]] = []
    for stored in journal.rows("calls"):
        call = entries.read_call(stored.row)
        row = _call_row(call, run_id)
        if waiting and _place(waiting[-1]) != _place(row):
            yield from _with_used(waiting, committed)
            waiting = []
        waiting.append(row)
    yield from _with_used(waiting, committed)


_CALL_COLUMNS: Final = tuple(get_type_hints(CallRow))


def _call_row(call: dict[str, Any], run_id: str) -> dict[str, Any]:
    tokens = call.pop("tokens")
    counts = {f"tokens_{name}": tokens.get(kind) for name, kind in _TOKEN_KINDS.items()}
    row = {**call, **counts, "run_id": run_id, "round": call["round_number"], "used": False}
    return {name: row[name] for name in _CALL_COLUMNS}


def _place(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("market_id", "round", "seat", "ask", "turn"))


def _with_used(rows: list[dict[str, Any]], committed: Mapping[str, int]) -> list[dict[str, Any]]:
    replies = [row for row in rows if row["error_class"] in ("", "content_filter")]
    if replies and replies[-1]["round"] <= committed.get(replies[-1]["market_id"], 0):
        replies[-1]["used"] = True
    return rows


def _mean_ranks(group: Sequence[Row]) -> dict[tuple[str, int], float]:
    values = [row["valuation"] for row in group]
    return {
        (row["market_id"], row["seat"]): 1
        + sum(other > row["valuation"] for other in values)
        + (values.count(row["valuation"]) - 1) / 2
        for row in group
    }


def _batches(rows: Iterator[Values], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    while batch := list(islice(rows, _BATCH_ROWS)):
        columns = zip(schema, zip(*batch, strict=True), strict=True)
        arrays = [pa.array(values, field.type) for field, values in columns]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _arrow_field(name: str, hint: Any) -> pa.Field:
    optional = get_origin(hint) in (Union, types.UnionType)
    kinds = [kind for kind in get_args(hint) if kind is not type(None)] if optional else [hint]
    (kind,) = kinds
    return pa.field(name, _ARROW[kind], nullable=optional)
