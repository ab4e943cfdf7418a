"""Figures as tools print them: rounded to what a planner can use, whole where they are whole, null where unknown."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from erpsim.units import FloatArray

Figure = int | float | None

CLEAR: Final = 0.4999
"""Distance from a whole number up to which a scaled figure is rounded by it, whatever was lost in scaling."""
EXACT: Final = 1e9
"""Scaled figures below it lose less than `CLEAR` allows for."""


def rounded(value: float, digits: int) -> Figure:
    """Round to so many decimals; an int when nothing is left behind the point, None when not finite."""
    near = round(float(value), digits)
    if near.is_integer():
        return int(near)
    return near if math.isfinite(near) else None


def whole(value: float) -> int | None:
    """Round to a whole number, None when not finite."""
    return round(value) if math.isfinite(value) else None


def rounded_rows(table: FloatArray, digits: int) -> list[list[Figure]]:
    """Round a table at once, each figure as `rounded` does."""
    scale = 10.0**digits
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = table * scale
        wholes = np.rint(scaled)
        clear = (np.abs(scaled - wholes) < CLEAR) & (np.abs(wholes) < EXACT)
    nears = wholes / scale
    rows: list[list[Figure]] = nears.tolist()
    others = np.nonzero(~clear | (nears == np.rint(nears)))
    for row, column in zip(*(indices.tolist() for indices in others), strict=True):
        rows[row][column] = rounded(table[row, column], digits)
    return rows


def whole_euros(amount: int) -> int:
    """Round cents to whole EUR."""
    return round(amount / 100)


def ratio(part: float, whole: float, digits: int) -> Figure:
    """Divide and round, None when there is nothing to divide by."""
    return rounded(part / whole, digits) if whole > 0 else None
