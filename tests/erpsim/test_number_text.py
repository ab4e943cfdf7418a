import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.number_text import NumberKind, read_number

KINDS: tuple[NumberKind, ...] = ("whole", "amount", "price", "share")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12000", 12_000),
        ("4.20", 4.2),
        ("4,20", 4.2),
        ("$4.20", 4.2),
        ("4.20 €", 4.2),
        ("EUR 4.20", 4.2),
        ("1.234,56", 1_234.56),
        ("1,234.56", 1_234.56),
        ("1,234,567", 1_234_567),
        ("1.234.567", 1_234_567),
        ("1,234,567.8", 1_234_567.8),
        ("12 000", 12_000),
        ("1 234 567", 1_234_567),
        ("1'234'567,89", 1_234_567.89),
        ("1_234_567", 1_234_567),
        ("1\u2009234\u2009567.8", 1_234_567.8),
        ("4,20\u00a0€", 4.2),
        ("- 5\u202fEUR", -5),
        ("12\u202f000,5", 12_000.5),
        ("12'000", 12_000),
        ("12_000", 12_000),
        ("12k", 12_000),
        ("12.5K", 12_500),
        ("12,000 units", None),
        ("48000 kg", 48_000),
        ("1e3", 1_000),
        ("-5", -5),
        ("\u22125", -5),
        ("-€5", -5),
        ("€ -5", -5),
        ("+5", 5),
        (".5", 0.5),
        ("0,333", 0.333),
        ("0.333", 0.333),
        ("1234,567", 1_234.567),
        ("４.２", 4.2),
        ("１２００", 1_200),
    ],
)
def test_a_form_that_means_one_thing_is_read_alike_in_every_field(text: str, number: float | None) -> None:
    read = {read_number(text, kind) for kind in KINDS}
    assert read == ({12_000.0, None} if number is None else {number})


@pytest.mark.parametrize(
    "text",
    [
        "1 234'567", "1 234 56", "1234 567",
        "", " ", "-", "abc", "1²", "½", "٤", "12,00,000", "1.2.3", "1,2,3", "1 2",  "1,234 567", "5,,0", "--5", "-$-5",
        "(5)", "5.", "4 €/kg", "EUR20", "12kk", "2M", "nan", "inf", "1e999", "0x10", "1.234.567,8,9", "1.23,456.7",
        "9" * 65,
    ],
)  # fmt: skip
def test_anything_else_is_no_number(text: str) -> None:
    assert {read_number(text, kind) for kind in KINDS} == {None}


def test_one_comma_before_three_digits_is_thousands_in_counts_and_amounts_and_ambiguous_elsewhere() -> None:
    assert [read_number("12,000", kind) for kind in KINDS] == [12_000, 12_000, None, None]


def test_one_dot_before_three_digits_is_decimal_in_prices_and_shares_and_ambiguous_elsewhere() -> None:
    assert [read_number("4.125", kind) for kind in KINDS] == [None, None, 4.125, 4.125]


def test_percent_is_read_in_shares_only() -> None:
    assert [read_number("70%", kind) for kind in KINDS] == [None, None, None, 0.7]
    assert read_number("７０ ％", "share") == 0.7


@given(st.text(max_size=70), st.sampled_from(KINDS))
def test_any_text_gives_a_finite_number_or_none(text: str, kind: NumberKind) -> None:
    number = read_number(text, kind)
    assert number is None or math.isfinite(number)


@given(st.integers(0, 10**9), st.sampled_from(KINDS))
def test_a_whole_number_written_plainly_is_read_as_it_is(number: int, kind: NumberKind) -> None:
    assert read_number(str(number), kind) == number
