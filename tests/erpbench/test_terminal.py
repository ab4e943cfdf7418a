"""Foreign text on a terminal is shown and never obeyed."""

import io
import re

import pytest
from rich.console import Console

from analysis.tables import Column, Table, text_column
from erpbench import terminal
from erpsim.errors import ProblemError

HOSTILE = "\x1b]0;owned\x07[red]x[/red] \x9b31m \u202eabc :boom:"


def _shown(table: Table) -> str:
    console = Console(file=io.StringIO(), width=100, force_terminal=True, markup=True, emoji=True)
    terminal.show(console, table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_table_shows_title_cells_and_notes() -> None:
    text = _shown(Table("t", "Title", (text_column("Model"), Column("M EUR")), (("a", 1.5), ("b", None)), ("A note.",)))
    for part in ("Title", "Model", "M EUR", "1.50", "–", "A note."):
        assert part in text


@pytest.mark.parametrize("place", ["title", "column", "cell", "note"])
def test_neither_control_characters_nor_markup_work_anywhere(place: str) -> None:
    texts = dict.fromkeys(("title", "column", "cell", "note"), "plain") | {place: HOSTILE}
    table = Table("t", texts["title"], (text_column(texts["column"]),), ((texts["cell"],),), (texts["note"],))
    text = _shown(table)
    assert "\x1b]" not in text
    assert "\x07" not in text
    assert "\x9b" not in text
    assert "\u202e" not in text
    assert r"\x1b]0;owned\x07[red]x[/red]" in text
    assert ":boom:" in text


def test_an_empty_table_says_so() -> None:
    assert "Nothing to show." in _shown(Table("t", "Title", (Column("n"),), ()))


def test_a_long_name_is_folded_and_not_cut() -> None:
    text = _shown(Table("t", "Title", (text_column("Model"),), (("w" * 250,),)))
    assert text.count("w") == 250
    assert "…" not in text


def test_a_table_that_is_too_wide_is_split_and_loses_nothing() -> None:
    letters = "abcdefghijkl"
    columns = (text_column("Category"), *(Column(f"standin/{letter} (stand-in)") for letter in letters))
    rows: tuple[tuple[str | int, ...], ...] = (
        ("production_quantity_clamped*", *(10**6 + number for number in range(12))),
    )
    text = _shown(Table("t", "Title", columns, rows))
    assert text.count("production_quantity_clamped*") > 1
    for number, letter in enumerate(letters):
        assert f"standin/{letter}" in text
        assert f"{10**6 + number:,}" in text
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in text.splitlines()) <= 100


def test_an_error_keeps_its_lines_and_loses_its_controls() -> None:
    assert terminal.error_text(ProblemError("one\ntwo\x1b[2J")) == "error: one\n       two\\x1b[2J"
