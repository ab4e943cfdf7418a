"""Money in integer cents, and the one rounding by which a figure becomes money."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

DAYS = 30
"""Days in a round."""
WEEK = 5
"""Days in a week."""
WEEKS = DAYS // WEEK
"""Weeks in a round."""
YEAR = 360
"""Days in a year; a year is twelve rounds."""

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)
AnyArray = TypeVar("AnyArray", bound=npt.NDArray[Any])


def cents(euros: float) -> int:
    """Round an amount of EUR to integer cents, halves to the even cent."""
    return round(euros * 100)


def floor_cents(euros: float) -> int:
    """Round an amount of EUR down to integer cents; what binary fractions lose of a whole cent is not cut off."""
    return math.floor(round(euros * 100, 6))


def cents_array(euros: npt.ArrayLike) -> IntArray:
    """Round amounts of EUR to int64 cents, element by element, as `cents` does."""
    return np.rint(np.asarray(euros, dtype=np.float64) * 100).astype(np.int64)


def euros(amount: int) -> float:
    """Give an amount of cents in EUR."""
    return int(amount) / 100


def abreast(arrays: Sequence[npt.NDArray[Scalar]]) -> npt.NDArray[Scalar]:
    """Lay arrays of one shape s side by side, (n, *s), read-only; a single one is not copied."""
    if len(arrays) == 1:
        return frozen(arrays[0][None])
    return frozen(np.concatenate(arrays).reshape(len(arrays), *arrays[0].shape))  # in half the time of np.stack


def all_abreast(*figures: Sequence[npt.NDArray[Scalar]]) -> list[npt.NDArray[Scalar]]:
    """Lay several figures of the same firms abreast, each as `abreast` does; all arrays have one shape and type."""
    if len(figures[0]) == 1:
        return [abreast(figure) for figure in figures]
    together = np.concatenate([array for figure in figures for array in figure])
    return list(frozen(together.reshape(len(figures), len(figures[0]), *figures[0][0].shape)))


def frozen(array: AnyArray) -> AnyArray:
    """Set an array read-only and give it back; arrays inside frozen types are made so."""
    array.setflags(write=False)  # half the time of the attribute
    return array
