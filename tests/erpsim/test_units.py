"""Money is rounded once, to integer cents."""

import numpy as np
import pytest

from erpsim.units import abreast, cents, cents_array, euros, frozen


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


def test_frozen_array_refuses_writing() -> None:
    array = frozen(np.zeros(2))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@pytest.mark.parametrize("number", [1, 3])
def test_arrays_abreast_keep_their_places_and_refuse_writing(number: int) -> None:
    arrays = [np.arange(6).reshape(2, 3) + 10 * index for index in range(number)]
    together = abreast(arrays)
    assert together.tolist() == [array.tolist() for array in arrays]
    with pytest.raises(ValueError, match="read-only"):
        together[0, 0, 0] = 1
    arrays[0][0, 0] = 7  # what was laid abreast is the giver's to edit as before
