"""Figures as tools print them: rounded to what a planner can use, whole where they are whole, null where unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence

Figure = int | float | None


def rounded(value: float, digits: int) -> Figure:
    """Round to so many decimals; an int when nothing is left behind the point, None when not finite."""
    near = round(float(value), digits)
    if near.is_integer():
        return int(near)
    return near if math.isfinite(near) else None


def rounded_all(values: Sequence[float], digits: int) -> list[Figure]:
    """Round many figures, each as `rounded` does."""
    nears = [round(value, digits) for value in values]
    return [int(near) if near.is_integer() else near if near - near == 0 else None for near in nears]


def whole_euros(amount: int) -> int:
    """Round cents to whole EUR."""
    return round(amount / 100)


def ratio(part: float, whole: float, digits: int) -> Figure:
    """Divide and round, None when there is nothing to divide by."""
    return rounded(part / whole, digits) if whole > 0 else None
