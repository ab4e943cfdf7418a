"""Siblings of the public case G1-17: the rule for numbers as text holds for the numbers of any country."""

import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from erpsim.field_reading import read_amount, read_whole
from erpsim.number_text import NumberKind, read_number
from erpsim.reading import Notes


class Locale:
    """How a country writes numbers: marks of groups and decimals."""

    def __init__(self, group: str, decimal: str) -> None:
        self.group, self.decimal = group, decimal

    def write(self, number: int, decimals: int) -> str:
        """`number` counts units of the last decimal place."""
        whole, fraction = divmod(abs(number), 10**decimals)
        digits = f"{whole:,}".replace(",", self.group)
        tail = f"{self.decimal}{fraction:0{decimals}d}" if decimals else ""
        return f"{'-' if number < 0 else ''}{digits}{tail}"


MARKS = [",.", ".,", " ,", " .", "\u00a0,", "\u202f,", "\u2009.", "'.", "’.", "’,", "_."]
LOCALES = {marks: Locale(*marks) for marks in MARKS} | {mark: Locale("", mark) for mark in ",."}
FORMS: list[tuple[NumberKind, int]] = [
    ("whole", 0), ("amount", 0), ("amount", 2), ("amount", 1), ("price", 2), ("price", 1), ("price", 3), ("price", 0),
    ("amount", 3), ("share", 2), ("share", 1), ("share", 3),
]  # fmt: skip


@given(
    st.integers(-(10**11), 10**11),
    st.sampled_from(FORMS),
    st.sampled_from(sorted(LOCALES)),
    st.sampled_from(["", "€", " €", "\u00a0€"]),
)
@example(12_000, ("whole", 0), ".,", "")
@example(1_234_567, ("price", 3), ",.", "")
@example(4_125, ("price", 3), ".,", "")
@example(1_000, ("price", 0), ".,", "")
@example(1_500, ("amount", 3), " ,", "")
def test_g1_17_siblings_a_number_of_any_country_comes_back_exactly_or_not_at_all(
    number: int, form: tuple[NumberKind, int], name: str, unit: str
) -> None:
    kind, decimals = form
    text = LOCALES[name].write(number, decimals) + unit
    exact = float(f"{number}e-{decimals}")
    notes = Notes()
    value: Any = read_whole(notes, "x", text) if kind == "whole" else read_amount(notes, "x", text, kind)
    assert notes.events
    if LOCALES[name].group == "." and kind == "price" and decimals == 0 and 1_000 <= abs(exact) < 1_000_000:
        assert value == pytest.approx(exact / 1_000)  # the rule: a price has no thousands, `1.000` is 1
        return
    if LOCALES[name].decimal == "," and kind == "amount" and decimals == 3 and 1 <= abs(exact) < 1_000:
        assert value in (None, float(number))  # the rule: an amount has no mills, `1,000` is 1000
        return
    assert value is None or value == exact
    sure = decimals in (1, 2) or (
        decimals == 0 and (not 1_000 <= abs(exact) < 1_000_000 or LOCALES[name].group not in (",", "."))
    )
    if sure and (exact >= 0 or kind == "price"):
        assert value == exact


@given(st.integers(0, 10**9), st.integers(0, 6), st.sampled_from(["k", "%", "e3", "e-2"]))
def test_g1_17_siblings_a_power_of_ten_costs_no_digit(number: int, decimals: int, power: str) -> None:
    text = Locale("", ".").write(number, decimals)
    shift = {"k": 3, "%": -2, "e3": 3, "e-2": -2}[power]
    value = read_number(text + power, "share")
    assert value is None or value == float(f"{number}e{shift - decimals}")
    assert value is not None or decimals == 3
    assert value is None or math.isfinite(value)
