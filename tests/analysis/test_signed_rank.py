"""Wilcoxon's signed-rank test by hand, against scipy, and at the borders between its null distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.signed_rank import ALL_ZERO, EXACT, NORMAL, PERMUTATION, UNDEFINED, signed_rank


def _numbers(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def test_three_rises_by_hand() -> None:
    # All 8 changes of sign are as likely; the rank sums 6 and 0 are the two outermost: p = 2 / 8.
    assert signed_rank(_numbers(1, 2, 3)) == (0, 0.25, EXACT, 0, 0)


def test_a_tie_is_permuted_and_counted() -> None:
    # Ranks 1.5, 1.5, 3: the sum 0 comes from one change of sign in 8, on either side.
    assert signed_rank(_numbers(2, 2, 3)) == (0, 0.25, PERMUTATION, 0, 2)


def test_zeros_are_left_out_of_the_ranks_and_counted() -> None:
    assert signed_rank(_numbers(0, 1, 2, 3, 0)) == (0, 0.25, PERMUTATION, 2, 0)


def test_a_single_difference_shows_nothing() -> None:
    assert signed_rank(_numbers(5)) == (0, 1, EXACT, 0, 0)


@pytest.mark.parametrize("n", [1, 6, 13, 14, 50, 51, 100])
def test_differences_that_are_all_zero_have_p_1_whatever_their_number(n: int) -> None:
    assert signed_rank(np.zeros(n)) == (0, 1, ALL_ZERO, n, 0)


def test_no_difference_has_no_test() -> None:
    result = signed_rank(_numbers())
    assert np.isnan(result.p)
    assert result.method == UNDEFINED


@pytest.mark.parametrize(
    ("differences", "method"),
    [
        (np.arange(1.0, 51), EXACT),
        (np.arange(1.0, 52), NORMAL),
        ([*np.arange(1.0, 13), 1], PERMUTATION),
        ([*np.arange(1.0, 14), 1], NORMAL),
        ([*np.arange(1.0, 13), 0], PERMUTATION),
        ([*np.arange(1.0, 14), 0], NORMAL),
    ],
)
def test_the_method_changes_where_the_rule_says(differences: list[float], method: str) -> None:
    assert signed_rank(np.array(differences)).method == method


@given(st.lists(st.integers(-8, 8), min_size=1, max_size=60).filter(any), st.booleans())
def test_every_result_is_that_of_scipy(values: list[int], untied: bool) -> None:
    differences = np.array(values, dtype=np.float64)
    if untied:
        differences = differences + np.linspace(0.01, 0.3, len(values))
    with np.errstate(all="ignore"):
        expected = stats.wilcoxon(differences, zero_method="wilcox", correction=False, method="auto")
    found = signed_rank(differences)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    assert found.statistic == expected.statistic


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=13))
def test_neither_order_nor_sign_nor_scale_changes_p(values: list[int]) -> None:
    differences = np.array(values, dtype=np.float64)
    p = signed_rank(differences).p
    assert signed_rank(differences[::-1]).p == p
    assert signed_rank(-differences).p == p
    assert signed_rank(differences * 1024).p == p
