"""A table as plain rows, and its text: Markdown and CSV here, other renderings from the same rows elsewhere."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass, replace
from typing import Final, Literal

Cell = str | int | float | None
Form = Literal["number", "percent", "p"]

MOST_ROWS: Final = 100
"""Rows of a table that is read; the middle of a longer one is left to its CSV file."""
ENDS: Final = 30
"""Rows that such a table keeps at its head, and at its foot."""
MISSING: Final = "–"
"""What a cell without a value shows."""
FORMULA_MARKS: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First characters that some spreadsheet takes for a formula's; the last four are the wide forms of the others."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        title: with the unit, such as "Solo valuation (M EUR)".
        decimals: of numbers that are not whole.
        numeric: whether its cells are numbers, which stand to the right.
        signed: whether a positive number has a plus sign.
        form: how a number that is not whole is written; a share as percent, a p-value below 0.0001 with its exponent.
    """

    title: str
    decimals: int = 2
    numeric: bool = True
    signed: bool = False
    form: Form = "number"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: stable short name, such as "results".
        title: headline.
        columns: one for each cell of a row.
        rows: cells; None and NaN are missing.
        notes: sentences below it.
        behind: names of the files with the rows that its numbers are taken from.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


def text_column(title: str) -> Column:
    """Make a column of text."""
    return Column(title, numeric=False)


def share_column(title: str) -> Column:
    """Make a column of shares in [0, 1], written as percent."""
    return Column(title, decimals=1, form="percent")


def p_column(title: str) -> Column:
    """Make a column of p-values."""
    return Column(title, decimals=4, form="p")


def cell_text(column: Column, cell: Cell) -> str:
    """Write a cell as its column says.

    >>> cell_text(Column("Δ (M EUR)", signed=True), 1.005)
    '+1.00'
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return MISSING
    if isinstance(cell, str):
        return cell
    sign = "+" if column.signed else ""
    if isinstance(cell, int):
        return f"{cell:{sign},}"
    if column.form == "percent":
        return f"{100 * cell:.{column.decimals}f} %"
    if column.form == "p" and 0 < cell < 10**-column.decimals:
        return f"{cell:.2e}"
    text = f"{cell:{sign},.{column.decimals}f}"
    # A difference that rounds to nothing has no sign.
    return text.lstrip("+-") if float(text.replace(",", "")) == 0 else text


def shortened(table: Table) -> Table:
    """Give a table as it is read: of a very long one the head and the foot, with a word about what lies between."""
    between = len(table.rows) - 2 * ENDS
    if len(table.rows) <= MOST_ROWS:
        return table
    gap: tuple[Cell, ...] = ("…",) * len(table.columns)
    said = f"{between:,} of {len(table.rows):,} rows are left out in the middle; {table.name}.csv has them all."
    return replace(table, rows=(*table.rows[:ENDS], gap, *table.rows[-ENDS:]), notes=(said, *table.notes))


def markdown(table: Table, level: int = 2) -> str:
    """Write a table as Markdown, its title as a heading of a level and its notes below; a very long one shortened."""
    table = shortened(table)
    lines = [f"{'#' * level} {inert_markdown(table.title)}", ""]
    if table.rows:
        lines.append(_row([inert_markdown(column.title) for column in table.columns]))
        lines.append(_row(["---:" if column.numeric else "---" for column in table.columns]))
        lines += [
            _row([inert_markdown(cell_text(*pair)) for pair in zip(table.columns, row, strict=True)])
            for row in table.rows
        ]
    else:
        lines.append("Nothing to show.")
    lines += [line for note in table.notes for line in ("", inert_markdown(note))]
    return "\n".join(lines) + "\n"


def csv_text(table: Table) -> str:
    """Write a table as CSV: titles, then full figures (shares in [0, 1]), empty where a value is missing."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([inert_csv(column.title) for column in table.columns])
    writer.writerows([[_csv_cell(cell) for cell in row] for row in table.rows])
    return out.getvalue()


def inert_csv(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run as a formula; show steering characters by code.

    >>> inert_csv("=1+1")
    "'=1+1"
    """
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA_MARKS) else shown


def inert_markdown(text: str) -> str:
    r"""Escape what Markdown or HTML would read as mark-up, and what no printer prints.

    >>> inert_markdown("a|b <i>")
    'a\\|b &lt;i>'
    """
    marked = printable(text).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for mark in "|`*[]":
        marked = marked.replace(mark, f"\\{mark}")
    return marked


def inert_json(value: object, indent: int | None = None) -> str:
    """Write strict JSON in which every character that steers a terminal or a page is an escape, and letters are not."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() or mark == "\n" else json.dumps(mark)[1:-1] for mark in text)


def printable(text: str) -> str:
    r"""Show each character that steers a terminal or a page (escape, line end, change of direction) by its code.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _csv_cell(cell: Cell) -> str | int | float:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return inert_csv(cell) if isinstance(cell, str) else cell
