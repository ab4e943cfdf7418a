"""Figures as tools print them: rounded to what a planner can use, whole where they are whole, null where unknown."""

from __future__ import annotations

import math

Figure = int | float | None


def rounded(value: float, digits: int) -> Figure:
    """Round to so many decimals; an int when nothing is left behind the point, None when not finite."""
    if not math.isfinite(value):
        return None
    near = round(float(value), digits)
    return int(near) if near.is_integer() else near


def whole_euros(amount: int) -> int:
    """Round cents to whole EUR."""
    return round(amount / 100)


def ratio(part: float, whole: float, digits: int) -> Figure:
    """Divide and round, None when there is nothing to divide by."""
    return rounded(part / whole, digits) if whole > 0 else None
