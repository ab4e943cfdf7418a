"""Text and tables on a terminal; whatever a model or a file wrote is shown, never obeyed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from analysis.tables import Table, cell_text, printable, shortened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

PIPE_WIDTH: Final = 160
"""Columns of a table that goes to a pipe or a file."""
NAME_WIDTH: Final = 40
"""Columns that a cell may take before it is folded."""
LINE_MOST: Final = 4_000
"""Characters of one line of an error: what a file or a server wrote may stand in it, however long it is."""
LINES_MOST: Final = 100
GAP: Final = 3
"""Columns between two columns of a table."""


def inert(text: str) -> str:
    r"""Show each character that steers a terminal by its code; line ends and everything printable stay.

    >>> inert("a\x1b[31m")
    'a\\x1b[31m'
    """
    return "\n".join(map(printable, text.split("\n")))


def counted(number: int, noun: str) -> str:
    """Give a number with its noun.

    >>> counted(1, "model"), counted(1_200, "model")
    ('1 model', '1,200 models')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def error_text(error: Exception) -> str:
    """Give an error as `error: …`; further lines, one for each further fault, are set in; a very long one is cut."""
    lines = inert(str(error)[: LINES_MOST * LINE_MOST]).split("\n")[:LINES_MOST]
    return "error: " + "\n       ".join(line if len(line) <= LINE_MOST else line[:LINE_MOST] + "…" for line in lines)


def output() -> Console:
    """Make the console for results."""
    from rich.console import Console

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)


def progress_console() -> Console:
    """Make the console for progress: the error stream, so that results can be piped."""
    from rich.console import Console

    return Console(file=sys.stderr, markup=False, highlight=False, emoji=False)


def show(console: Console, table: Table) -> None:
    """Print a table with its title above and its notes below; one that is too wide is split by columns.

    Of a very long one the head and the foot are printed.
    """
    from rich.text import Text

    table = shortened(table)
    console.print()
    console.print(Text(inert(table.title), style="bold"))
    if not table.rows:
        console.print("Nothing to show.")
    for piece in _pieces(_strips(table), console.width):
        console.print(_rich(piece, console.width))
    for note in table.notes:
        console.print(Text(inert(note), style="dim"))


class _Strip(NamedTuple):
    """One column as inert text."""

    title: str
    cells: tuple[str, ...]
    numeric: bool

    @property
    def narrow(self) -> int:
        """Least width in which its cells stand on one line and no word of its title is broken."""
        return max(min(max(map(len, self.cells)), NAME_WIDTH), *map(len, self.title.split()), 1)

    @property
    def wide(self) -> int:
        """Width in which nothing is wrapped."""
        return max(len(self.title), self.narrow, *map(len, self.cells))


def _strips(table: Table) -> list[_Strip]:
    if not table.rows:
        return []
    return [
        _Strip(inert(column.title), tuple(inert(cell_text(column, row[place])) for row in table.rows), column.numeric)
        for place, column in enumerate(table.columns)
    ]


def _pieces(strips: Sequence[_Strip], width: int) -> list[list[_Strip]]:
    """Give columns in groups that fit a width, each with the first column."""
    groups = [list(strips[:1])] if strips else []
    for strip in strips[1:]:
        if len(groups[-1]) > 1 and _total([*groups[-1], strip]) > width:
            groups.append([strips[0]])
        groups[-1].append(strip)
    return groups


def _rich(strips: Sequence[_Strip], width: int) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    roomy = sum(strip.wide + GAP for strip in strips) - GAP <= width
    for strip in strips:
        side: Literal["left", "right"] = "right" if strip.numeric else "left"
        # A name that is too long all the same is folded, never cut: names that are cut look alike.
        shown.add_column(Text(strip.title), justify=side, overflow="fold", width=strip.wide if roomy else strip.narrow)
    for row in zip(*(strip.cells for strip in strips), strict=True):
        shown.add_row(*map(Text, row))
    return shown


def _total(strips: Sequence[_Strip]) -> int:
    return sum(strip.narrow + GAP for strip in strips) - GAP
