"""Adjustment of a family of p-values for the share of false discoveries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Adjusted(NamedTuple):
    """Adjusted p-values.

    Attributes:
        q: (m,) in the order of the p-values; NaN where the p-value is.
        family_size: number of p-values that are defined, by which the adjustment multiplies.
    """

    q: NDArray[np.float64]
    family_size: int


def benjamini_hochberg(p_values: ArrayLike) -> Adjusted:
    """Adjust p-values: q(i) = min over j >= i of p(j) m / j, p ascending, at most 1 (Benjamini and Hochberg 1995).

    An undefined p-value (NaN) is held out: it stays NaN and does not count in the family.

    Args:
        p_values: (m,) in [0, 1] or NaN, in any order.

    Raises:
        ValueError: a p-value lies outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    defined = np.flatnonzero(~np.isnan(p))
    outside = [value for value in p[defined] if not 0 <= value <= 1]
    if outside:
        raise ValueError(f"p-value {outside[0]} is outside [0, 1]; give p-values, or NaN where a test is undefined")
    size = len(defined)
    q = np.full(p.shape, np.nan)
    order = defined[np.argsort(p[defined], kind="stable")]
    scaled = p[order] * size / np.arange(1, size + 1)
    q[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return Adjusted(q, size)
