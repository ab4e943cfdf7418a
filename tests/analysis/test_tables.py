"""Cells as text, and text that stays text."""

import math

import pytest

from analysis.tables import (
    Column,
    Table,
    cell_text,
    csv_text,
    inert_csv,
    inert_markdown,
    markdown,
    p_column,
    printable,
    share_column,
    text_column,
)


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


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        (share_column("Share"), 0.825, "82.5 %"),
        (share_column("Share"), 1.0, "100.0 %"),
        (p_column("q"), 0.0116, "0.0116"),
        (p_column("q"), 1.28e-15, "1.28e-15"),
        (p_column("q"), 0.0, "0.0000"),
        (p_column("q"), 1.0, "1.0000"),
    ],
)
def test_shares_and_p_values_have_forms_of_their_own(column: Column, cell: float, text: str) -> None:
    assert cell_text(column, cell) == text


def test_a_table_is_written_as_csv_in_full() -> None:
    table = Table("t", "T", (text_column("Model"), share_column("Share")), (("a,b", 0.12345), ("=1+1", None)))
    assert csv_text(table) == 'Model,Share\n"a,b",0.12345\n\'=1+1,\n'


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", " =1"])
def test_text_that_a_spreadsheet_would_run_is_marked(text: str) -> None:
    assert inert_csv(text) == f"'{text}"
    assert inert_csv("a=1") == "a=1"
