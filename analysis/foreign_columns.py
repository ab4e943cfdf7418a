"""Columns of CSV tables from elsewhere: which are needed, which are known, and how their cells are read."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_type_hints

from analysis.load import TABLES, UNREAD, kinds
from erpsim.errors import RunError
from erpsim.problem import STRATA

REQUIRED: Final = MappingProxyType(
    {
        "rounds": ("ecology", "problem_id", "stratum", "model", "round", "valuation"),
        "outcomes": ("ecology", "problem_id", "model", "valuation"),
        "events": ("ecology", "problem_id", "model", "category"),
    }
)
"""Columns that each table must have; the others of the records' tables may be left out."""

ECOLOGIES: Final = ("solo", "arena", "mixed")
NO_VALUE: Final = frozenset({"", "nan", "na", "null", "none"})
INFINITE: Final = frozenset({"inf", "infinity"})
NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LARGEST_FIELD: Final = 1_000_000

Row = dict[str, Any]


@dataclass(frozen=True)
class CsvTable:
    """A table as it was read.

    Attributes:
        rows: one for each line, known columns only; a cell without a value is None.
        columns: known ones that the file has.
        ignored: columns of the file that no table of records has.
    """

    rows: tuple[Row, ...]
    columns: frozenset[str]
    ignored: tuple[str, ...]


def read_csv(path: Path, table: str) -> CsvTable:
    """Read a CSV table: UTF-8, comma, a header line.

    Raises:
        RunError: the file is missing or unreadable, lacks a column, has one twice, or a cell that is none of its
            column's; the message names file, line, column and value.
    """
    hints = {name: hint for name, hint in get_type_hints(TABLES[table]).items() if name not in UNREAD}
    lines = _lines(path)
    _, header = next(lines, (0, []))
    names = [name.strip() for name in header]
    _check_header(path, table, names)
    readers = {name: _reader(table, name, hints[name]) for name in names if name in hints}
    rows = tuple(_row(f"{path} line {number}", names, cells, readers) for number, cells in lines)
    return CsvTable(rows, frozenset(readers), tuple(name for name in names if name not in hints))


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(LARGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
    except FileNotFoundError as error:
        raise RunError(f"{path}: not found; a folder of tables holds rounds.csv and outcomes.csv") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RunError(f"{path}: cannot be read as CSV in UTF-8 ({error}); write it anew with a header line") from error


def _check_header(path: Path, table: str, names: list[str]) -> None:
    absent = [name for name in REQUIRED[table] if name not in names]
    if absent:
        found = ", ".join(names) or "nothing"
        raise RunError(
            f"{path}: {'columns' if len(absent) > 1 else 'column'} {', '.join(absent)} missing; {table}.csv needs"
            f" {', '.join(REQUIRED[table])}, separated by commas; its first line holds {found}"
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise RunError(f"{path}: column {twice[0]!r} comes more than once; leave one of them out")


def _row(place: str, names: list[str], cells: list[str], readers: dict[str, Callable[[str, str], Any]]) -> Row:
    if len(cells) != len(names):
        raise RunError(f"{place} has {len(cells)} cells, the header has {len(names)}; quote text that holds commas")
    return {
        name: readers[name](f"{place}: {name}", cell.strip())
        for name, cell in zip(names, cells, strict=True)
        if name in readers
    }


def _reader(table: str, name: str, hint: Any) -> Callable[[str, str], Any]:
    if name == "ecology":
        return lambda place, cell: _one_of(place, cell.lower(), ECOLOGIES)
    if name == "stratum":
        return lambda place, cell: _one_of(place, cell.lower().replace("-", "_").replace(" ", "_"), STRATA)
    if name == "model":
        return _present if table == "outcomes" else lambda _place, cell: cell or None
    if str in kinds(hint):
        return _present if name in REQUIRED[table] else lambda _place, cell: cell
    if int not in kinds(hint):
        return _number
    return _round if name == "round" else _whole


def _one_of(place: str, cell: str, known: tuple[str, ...]) -> str:
    if cell not in known:
        raise RunError(f"{place} is {cell!r}; known are {', '.join(known)}")
    return cell


def _present(place: str, cell: str) -> str:
    if not cell:
        raise RunError(f"{place} is empty; every line needs one")
    return cell


def _number(place: str, cell: str) -> float | None:
    if cell.lower() in NO_VALUE:
        return None
    value = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if math.isinf(value) or cell.lower().lstrip("+-") in INFINITE:
        raise RunError(f"{place} is {cell!r}, which is not finite; leave the cell empty if the value is missing")
    if math.isnan(value):
        raise RunError(f"{place} is {cell!r}, which is no number; write digits with a point, such as 1234.5")
    return value


def _whole(place: str, cell: str) -> int | None:
    value = _number(place, cell)
    if value is None:
        return None
    if not value.is_integer():
        raise RunError(f"{place} is {cell!r}, which is no whole number; write one")
    return int(value)


def _round(place: str, cell: str) -> int:
    value = _whole(place, cell)
    if value is None or value < 1:
        raise RunError(f"{place} is {cell!r}; rounds are counted from 1")
    return value
