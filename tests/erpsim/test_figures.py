import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.figures import ratio, rounded, rounded_rows, whole, whole_euros


def test_a_figure_without_decimals_is_an_int() -> None:
    assert rounded(2.0004, 2) == 2
    assert isinstance(rounded(2.0004, 2), int)
    assert rounded(2.126, 2) == 2.13


def test_what_is_not_finite_is_unknown() -> None:
    assert rounded(float("nan"), 2) is None
    assert rounded(float("inf"), 2) is None


def test_a_ratio_to_nothing_is_unknown() -> None:
    assert ratio(1, 0, 2) is None
    assert ratio(1, 8, 2) == 0.12


def test_cents_are_shown_as_whole_euros() -> None:
    assert whole_euros(123_456_78) == 123_457


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_whole_is_rounding_to_no_decimals(value: float) -> None:
    assert whole(value) == rounded(value, 0)


def test_no_whole_number_stands_for_what_is_not_finite() -> None:
    assert whole(float("nan")) is None
    assert whole(float("-inf")) is None


@given(st.integers(-(10**6), 10**6), st.integers(0, 9), st.integers(0, 4))
def test_a_table_is_rounded_as_its_figures_are_near_ties_too(thousandths: int, ulps: int, digits: int) -> None:
    near = thousandths / 2000
    table = np.array([[near, np.nextafter(near, np.inf), near * (1 + ulps * 2**-52), near * 1e-9, near * 1e9]])
    assert rounded_rows(table, digits) == [[rounded(value, digits) for value in table[0].tolist()]]


@pytest.mark.parametrize("digits", [0, 2, 4])
def test_a_table_holds_what_its_figures_would_be(digits: int) -> None:
    values = [0.0, -0.0, 4.0, 4.5, 0.125, 2.675, 1e16, 1.7e308, 5e-324, np.nan, np.inf, -np.inf]
    rows = rounded_rows(np.array([values, values[::-1]]), digits)
    one = [rounded(value, digits) for value in values]
    assert rows == [one, one[::-1]]
    assert [type(figure) for figure in rows[0]] == [type(figure) for figure in one]
