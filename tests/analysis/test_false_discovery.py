"""Benjamini-Hochberg by hand, and what it may never do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.false_discovery import benjamini_hochberg


def test_three_p_values_by_hand() -> None:
    # Sorted .01, .04, .5 times 3/1, 3/2, 3/3.
    assert benjamini_hochberg([0.5, 0.01, 0.04]).q.tolist() == pytest.approx([0.5, 0.03, 0.06])


def test_a_family_of_none_and_of_one() -> None:
    assert benjamini_hochberg([]).family_size == 0
    assert benjamini_hochberg([0.2]).q.tolist() == [0.2]
    nothing = benjamini_hochberg([np.nan, np.nan])
    assert np.isnan(nothing.q).all()
    assert nothing.family_size == 0


@pytest.mark.parametrize("value", [-0.01, 1.01, np.inf])
def test_what_is_no_p_value_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        benjamini_hochberg([0.5, value])


@given(st.lists(st.one_of(st.floats(0, 1, allow_subnormal=False), st.just(np.nan)), max_size=12))
def test_adjusted_values_are_at_least_p_at_most_1_and_in_the_order_of_p(values: list[float]) -> None:
    p = np.array(values, dtype=np.float64)
    q, size = benjamini_hochberg(p)
    kept = ~np.isnan(p)
    assert size == kept.sum()
    assert np.array_equal(np.isnan(q), ~kept)
    assert (q[kept] >= p[kept] * (1 - 1e-12)).all()
    assert (q[kept] <= 1).all()
    order = np.argsort(p[kept], kind="stable")
    assert (np.diff(q[kept][order]) >= 0).all()
