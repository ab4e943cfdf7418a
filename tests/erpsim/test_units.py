"""Money is rounded once, to integer cents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.units import cents, cents_array, euros, frozen, prorate


@pytest.mark.parametrize(
    ("amount", "expected"), [(4.8523, 485), (0.125, 12), (0.375, 38), (-0.125, -12), (1e12, 10**14), (0.0, 0)]
)
def test_cents_round_halves_to_the_even_cent(amount: float, expected: int) -> None:
    assert cents(amount) == expected
    assert cents_array([amount]).tolist() == [expected]
    assert cents_array([amount]).dtype == np.int64


def test_euros_give_cents_back() -> None:
    assert euros(1_234) == 12.34
    assert cents(euros(999_999_999_999)) == 999_999_999_999


def test_prorate_by_hand() -> None:
    # 100 cents over 3 units: 33.3, 66.7, 100
    assert [prorate(100, part, 3) for part in range(4)] == [0, 33, 67, 100]
    assert prorate(1, 1, 2) == 1  # a half goes up


@given(st.integers(0, 10**15), st.integers(0, 10**9), st.integers(1, 10**9))
def test_prorate_of_all_is_all_and_never_more(total: int, part: int, whole: int) -> None:
    part = min(part, whole)
    assert 0 <= prorate(total, part, whole) <= total
    assert prorate(total, whole, whole) == total


def test_frozen_array_refuses_writing() -> None:
    array = frozen(np.zeros(2))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
