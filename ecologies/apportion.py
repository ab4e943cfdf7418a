"""Whole shares of a whole by largest remainder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def apportion(total: int, weights: Sequence[float]) -> tuple[int, ...]:
    """Split a whole number in proportion to weights; what rounding leaves goes to the largest remainders.

    Ties go to the earlier weight. `weights` are not negative and not all zero.

    >>> apportion(6, [40, 30, 15, 15])
    (2, 2, 1, 1)
    """
    exact = total * np.asarray(weights, dtype=np.float64) / sum(weights)
    shares = np.floor(exact + 1e-9).astype(int)
    # Rounded, so that equal remainders stay equal whatever their last bits.
    order = np.argsort(-np.round(exact - shares, 9), kind="stable")
    shares[order[: total - int(shares.sum())]] += 1
    return tuple(int(share) for share in shares)
