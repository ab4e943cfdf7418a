"""Reads the record tables of a run folder into frames, with their columns and types held against `erpsim.records`.

Text that no figure needs (proposals and decisions as JSON) stays on the disk. A missing value is a pandas missing
value whatever the version of pandas; ask with `isna`, never compare with None.
"""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from erpsim.errors import RunError
from erpsim.records import CallRow, EventRow, FailureRow, OutcomeRow, RoundRow, TimingRow

TABLES: Final[dict[str, type]] = {
    "rounds": RoundRow,
    "outcomes": OutcomeRow,
    "events": EventRow,
    "failures": FailureRow,
    "calls": CallRow,
}
"""Tables that are read, with the row type that names their columns."""

UNREAD: Final = frozenset({"proposal_json", "decision_json", "asked", "granted", "limit", "request", "reply"})
"""Columns of text that no figure needs."""


@dataclass(frozen=True, eq=False)
class Records:
    """The record tables of one run, one frame each, columns as in `erpsim.records` without `UNREAD`.

    Attributes:
        rounds: one row per firm and round, rules included.
        outcomes: one row per model trajectory that came to its end.
        events: one row per event.
        failures: one row per try of a market that did not come to its end.
        calls: one row per attempt at a model's server.
        timings: one row per market and round; none where the source does not say where its time went.
        source: where they come from, for messages.
    """

    rounds: pd.DataFrame
    outcomes: pd.DataFrame
    events: pd.DataFrame
    failures: pd.DataFrame
    calls: pd.DataFrame
    timings: pd.DataFrame = field(default_factory=lambda: _no_rows(TimingRow))
    source: str = "records"


def read_records(folder: Path) -> Records:
    """Read the tables of a `records` folder.

    Raises:
        RunError: the folder or a table is missing or unreadable, a column is missing or of the wrong type.
    """
    if not folder.is_dir():
        raise RunError(
            f"{folder}: there is no such folder, so the run has no records yet; play it to its end with"
            f" `erpbench resume {folder.parent}`"
        )
    frames = {name: read_table(folder / f"{name}.parquet", row_type) for name, row_type in TABLES.items()}
    return Records(**frames, timings=_read_timings(folder / "timings.parquet"), source=str(folder))


def read_table(path: Path, row_type: type) -> pd.DataFrame:
    """Read the columns of a row type from a parquet file.

    Raises:
        RunError: the file is missing or unreadable, a column is missing or of the wrong type.
    """
    hints = {name: hint for name, hint in get_type_hints(row_type).items() if name not in UNREAD}
    try:
        schema = pq.read_schema(path)
        _check_columns(path, schema, hints)
        table = pq.read_table(path, columns=list(hints))
    except FileNotFoundError as error:
        raise RunError(f"{path}: not found; `erpbench resume {path.parent.parent}` writes the records anew") from error
    except (OSError, pa.ArrowInvalid) as error:
        first_line = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RunError(
            f"{path}: cannot be read as parquet ({first_line});"
            f" `erpbench resume {path.parent.parent}` writes the records anew"
        ) from error
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _read_timings(path: Path) -> pd.DataFrame:
    """Read `timings`; a run of before a part was measured has none, since its parts would not add up."""
    if not path.exists() or not set(TimingRow.__dataclass_fields__) <= set(pq.read_schema(path).names):
        return _no_rows(TimingRow)
    return read_table(path, TimingRow)


def _no_rows(row_type: type) -> pd.DataFrame:
    hints = get_type_hints(row_type)
    return pd.DataFrame({name: pd.Series(dtype="object" if hint is str else hint) for name, hint in hints.items()})


def kinds(hint: Any) -> list[type]:
    """Give the types that a column's annotation allows, None left out."""
    return [part for part in get_args(hint) or (hint,) if part is not type(None)]


def _check_columns(path: Path, schema: pa.Schema, hints: dict[str, Any]) -> None:
    for name, hint in hints.items():
        if name not in schema.names:
            raise RunError(f"{path}: column {name!r} is missing; a table of records has {', '.join(hints)}")
        kind = schema.field(name).type
        if not _fits(kind, hint):
            wanted = " or empty".join(part.__name__ for part in kinds(hint))
            raise RunError(f"{path}: column {name!r} holds {kind}, not {wanted}; write it as that type")


def _fits(kind: pa.DataType, hint: Any) -> bool:
    wanted = kinds(hint)
    if pa.types.is_null(kind):
        return get_origin(hint) in (Union, types.UnionType)
    if str in wanted:
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
    if bool in wanted:
        return bool(pa.types.is_boolean(kind))
    if float in wanted:
        return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))
    return bool(pa.types.is_integer(kind))
