"""Folders of CSV tables as someone else might hand them in."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from analysis.foreign_columns import REQUIRED
from erpsim.records import OutcomeRow
from tests.analysis.samples import rounds_of, two_by_two

Row = Mapping[str, Any]


def write(folder: Path, table: str, rows: Iterable[Row], columns: Iterable[str] | None = None) -> Path:
    """Write one table; without columns, those that it needs."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(columns or REQUIRED[table])
    with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(dict(row) for row in rows)
    return folder


def folder_of(folder: Path, outcomes: Iterable[OutcomeRow] | None = None, extra: Iterable[str] = ()) -> Path:
    """Write outcomes and the rounds that end in them, with the columns that are needed and some more."""
    rows = list(two_by_two() if outcomes is None else outcomes)
    more = list(extra)
    write(folder, "outcomes", map(vars, rows), [*REQUIRED["outcomes"], *more])
    return write(folder, "rounds", [vars(one) for row in rows for one in rounds_of(row)], [*REQUIRED["rounds"], *more])


def edit(folder: Path, table: str, line: int, old: str, new: str) -> None:
    """Change one line of a table, counted from 1, the header being the first."""
    path = folder / f"{table}.csv"
    lines = path.read_text(encoding="utf-8").split("\n")
    assert old in lines[line - 1], lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_text("\n".join(lines), encoding="utf-8")


def drop(folder: Path, table: str, line: int) -> None:
    """Leave one line out."""
    path = folder / f"{table}.csv"
    lines = path.read_text(encoding="utf-8").split("\n")
    del lines[line - 1]
    path.write_text("\n".join(lines), encoding="utf-8")


def repeat(folder: Path, table: str, line: int) -> None:
    """Write one line twice."""
    path = folder / f"{table}.csv"
    lines = path.read_text(encoding="utf-8").split("\n")
    lines.insert(line, lines[line - 1])
    path.write_text("\n".join(lines), encoding="utf-8")
