"""Text and tables on a terminal; whatever a model or a file wrote is shown, never obeyed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from analysis.tables import Table, cell_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

PIPE_WIDTH = 160
"""Columns of a table that goes to a pipe or a file."""


def inert(text: str) -> str:
    r"""Show each character that steers a terminal by its code; line ends and everything printable stay.

    >>> inert("a\x1b[31m")
    'a\\x1b[31m'
    """
    return "".join(mark if mark.isprintable() or mark == "\n" else ascii(mark)[1:-1] for mark in text)


def error_text(error: Exception) -> str:
    """Give an error as `error: …`; further lines, one for each further fault, are set in."""
    return "error: " + inert(str(error)).replace("\n", "\n       ")


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
    """Print a table with its title above and its notes below."""
    from rich.text import Text

    console.print()
    console.print(Text(inert(table.title), style="bold"))
    console.print(_rich(table) if table.rows else "Nothing to show.")
    for note in table.notes:
        console.print(Text(inert(note), style="dim"))


def _rich(table: Table) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in table.columns:
        side = "right" if column.numeric else "left"
        # A name is folded, never cut: what is cut cannot be told apart.
        shown.add_column(Text(inert(column.title)), justify=side, overflow="fold")  # type: ignore[arg-type]
    for row in table.rows:
        shown.add_row(*(Text(inert(cell_text(*pair))) for pair in zip(table.columns, row, strict=True)))
    return shown
