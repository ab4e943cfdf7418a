"""A table as plain rows, and its text: Markdown here, other renderings from the same rows elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

Cell = str | int | float | None

MISSING: Final = "–"
"""What a cell without a value shows."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        title: with the unit, such as "Solo valuation (M EUR)".
        decimals: of numbers that are not whole.
        numeric: whether its cells are numbers, which stand to the right.
        signed: whether a positive number has a plus sign.
    """

    title: str
    decimals: int = 2
    numeric: bool = True
    signed: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: stable short name, such as "results".
        title: headline.
        columns: one for each cell of a row.
        rows: cells; None and NaN are missing.
        notes: sentences below it.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def text_column(title: str) -> Column:
    """Make a column of text."""
    return Column(title, numeric=False)


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
    text = f"{cell:{sign},.{column.decimals}f}"
    # A difference that rounds to nothing has no sign.
    return text.lstrip("+-") if float(text.replace(",", "")) == 0 else text


def markdown(table: Table) -> str:
    """Write a table as Markdown, its title as a heading of level 2 and its notes below."""
    lines = [f"## {inert_markdown(table.title)}", ""]
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


def inert_markdown(text: str) -> str:
    r"""Escape what Markdown or HTML would read as mark-up, and what no printer prints.

    >>> inert_markdown("a|b <i>")
    'a\\|b &lt;i>'
    """
    marked = printable(text).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for mark in "|`*[]":
        marked = marked.replace(mark, f"\\{mark}")
    return marked


def printable(text: str) -> str:
    r"""Show each character that steers a terminal or a page (escape, line end, change of direction) by its code.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
