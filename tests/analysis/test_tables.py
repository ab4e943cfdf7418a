"""Cells as text, and text that stays text."""

import math

import pytest

from analysis.tables import Column, Table, cell_text, inert_markdown, markdown, printable, text_column


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        (Column("EUR"), 1234.567, "1,234.57"),
        (Column("M EUR", 3), 0.0, "0.000"),
        (Column("n"), 12345, "12,345"),
        (Column("Δ", 3, signed=True), 1.5, "+1.500"),
        (Column("Δ", 3, signed=True), -1.5, "-1.500"),
        (Column("Δ", 2, signed=True), -0.001, "0.00"),
        (Column("n"), None, "–"),
        (Column("n"), math.nan, "–"),
        (text_column("Model"), "a", "a"),
    ],
)
def test_a_cell_is_written_as_its_column_says(column: Column, cell: str | float | None, text: str) -> None:
    assert cell_text(column, cell) == text


def test_a_table_is_written_as_markdown() -> None:
    table = Table("t", "Title", (text_column("Model"), Column("M EUR")), (("a", 1.0), ("b", None)), ("A note.",))
    assert markdown(table) == ("## Title\n\n| Model | M EUR |\n| --- | ---: |\n| a | 1.00 |\n| b | – |\n\nA note.\n")


def test_a_table_without_rows_says_so() -> None:
    assert "Nothing to show." in markdown(Table("t", "Title", (Column("n"),), ()))


def test_text_cannot_break_out_of_a_markdown_cell() -> None:
    hostile = "a|b\n<script>`x` [y](z) \x1b[31m *s* &amp;"
    shown = inert_markdown(hostile)
    assert shown == r"a\|b\\n&lt;script>\`x\` \[y\](z) \\x1b\[31m \*s\* &amp;amp;"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("ä 语 Δ", "ä 语 Δ"), ("\x1b]8;;x\x07", r"\x1b]8;;x\x07"), ("\u202eabc", r"\u202eabc"), ("\ud800", r"\ud800")],
)
def test_steering_characters_are_shown_by_code(text: str, shown: str) -> None:
    assert printable(text) == shown
