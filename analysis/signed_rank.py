"""Wilcoxon's signed-rank test of paired differences, with the null distribution that was used named beside the p-value.

Differences of zero are left out before ranking (Wilcoxon 1945), tied sizes share their mean rank, no continuity
correction. Which null distribution is used depends on the number of differences, zeros included, as in scipy's
`wilcoxon(zero_method="wilcox", correction=False, method="auto")` of release 1.17; it is settled here, so that another
release of scipy gives the same p-value:

    every difference zero             p = 1, since nothing points either way
    no zeros, no ties, n <= 50        exact
    zeros or ties, n <= 13            all changes of sign, counted
    otherwise                         normal, variance reduced for ties
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

ALL_ZERO: Final = "all differences zero"
EXACT: Final = "exact"
PERMUTATION: Final = "sign permutation"
NORMAL: Final = "normal approximation"
UNDEFINED: Final = "no pairs"

MOST_EXACT: Final = 50
MOST_PERMUTED: Final = 13


class SignedRank(NamedTuple):
    """A test's result.

    Attributes:
        statistic: the smaller of the two rank sums; NaN without differences.
        p: two-sided, in [0, 1]; NaN without differences.
        method: which null distribution was used.
        zeros: differences that are zero.
        tied: differences that are not zero and share their size with another.
    """

    statistic: float
    p: float
    method: str
    zeros: int
    tied: int


def signed_rank(differences: NDArray[np.float64]) -> SignedRank:
    """Test whether paired differences lie symmetrically around zero, two-sided.

    Args:
        differences: (n,) finite.
    """
    kept = differences[differences != 0]
    zeros = len(differences) - len(kept)
    if not len(differences):
        return SignedRank(np.nan, np.nan, UNDEFINED, 0, 0)
    if not len(kept):
        return SignedRank(0.0, 1.0, ALL_ZERO, zeros, 0)
    ranks = stats.rankdata(np.abs(kept))
    _, sizes = np.unique(ranks, return_counts=True)
    tied = int(sizes[sizes > 1].sum())
    method = _method(len(differences), zeros, tied)
    if method == PERMUTATION:
        statistic, p = _sign_permutation(ranks, kept > 0)
    else:
        name = "exact" if method == EXACT else "asymptotic"
        tested = stats.wilcoxon(kept, zero_method="wilcox", correction=False, method=name)
        statistic, p = float(tested.statistic), float(tested.pvalue)
    return SignedRank(statistic, p, method, zeros, tied)


def _method(n: int, zeros: int, tied: int) -> str:
    if zeros or tied:
        return PERMUTATION if n <= MOST_PERMUTED else NORMAL
    return EXACT if n <= MOST_EXACT else NORMAL


def _sign_permutation(ranks: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Count the changes of sign whose smaller rank sum is at most the one observed.

    Mean ranks are halves at worst, so twice a rank is whole and the count is exact.
    """
    doubled = np.rint(2.0 * ranks).astype(np.int64)
    total = int(doubled.sum())
    ways = np.zeros(total + 1, dtype=np.int64)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[:-rank]
    observed = int(doubled[positive].sum())
    smaller = min(observed, total - observed)
    tail = int(ways[: smaller + 1].sum())
    return smaller / 2.0, min(1.0, 2.0 * tail / 2 ** len(ranks))
