"""Resampling of problems: one draw of problems per resample, shared by every model, ecology and measure.

The unit is the problem, so that a resample keeps what belongs together: all models of a problem, in both ecologies.
Problems are drawn in the order of their ids, so neither the order of rows nor the names of models matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

DRAWS: Final = 10_000
LEVEL: Final = 0.95
METHOD: Final = "percentile bootstrap over problems, linear interpolation between order statistics (type 7)"

COLUMNS_AT_ONCE: Final = 256
"""So that the draws of many columns do not stand in memory together."""

FloatArray = NDArray[np.float64]


class Interval(NamedTuple):
    """Lower and upper limit; NaN where undefined."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Resamples:
    """Which problems each resample holds.

    Attributes:
        problem_ids: the P problems, sorted.
        counts: (draws, P) how often a resample holds each problem; every row sums to P. Read-only.
    """

    problem_ids: tuple[str, ...]
    counts: FloatArray


def resample(problem_ids: Iterable[str], seed: int | Sequence[int], draws: int = DRAWS) -> Resamples:
    """Draw problems with replacement.

    Args:
        problem_ids: in any order, repeats allowed.
        seed: of the generator; the same seed and problems give the same resamples.
        draws: number of resamples.
    """
    names = tuple(sorted(set(problem_ids)))
    size = len(names)
    if not size:
        return Resamples(names, np.zeros((draws, 0)))
    drawn = np.random.default_rng(seed).integers(size, size=(draws, size))
    cells = drawn + np.arange(draws)[:, None] * size
    counts = np.bincount(cells.ravel(), minlength=draws * size).reshape(draws, size).astype(np.float64)
    counts.flags.writeable = False
    return Resamples(names, counts)


def resampled_means(values: pd.DataFrame, resamples: Resamples) -> FloatArray:
    """Give the mean of each column in each resample, (draws, columns).

    A resample uses the problems in it for which the column has a value; with none of them its mean is NaN.

    Args:
        values: indexed by problem_id, one column per model or measure; NaN is missing.
        resamples: of the problems; rows for other problems are refused.

    Raises:
        KeyError: a problem of `values` is not among those resampled.
    """
    unknown = values.index.difference(list(resamples.problem_ids))
    if len(unknown):
        raise KeyError(f"problem {unknown[0]!r} is not among the {len(resamples.problem_ids)} that were resampled")
    table = values.reindex(list(resamples.problem_ids)).to_numpy(dtype=np.float64)
    present = ~np.isnan(table)
    totals = resamples.counts @ np.where(present, table, 0.0)
    sizes = resamples.counts @ present.astype(np.float64)
    means: FloatArray = np.divide(totals, sizes, out=np.full_like(totals, np.nan), where=sizes > 0)
    return means


def limits(draws: FloatArray, level: float = LEVEL) -> Interval:
    """Give the percentile interval of one statistic's draws, those undefined left out.

    Args:
        draws: (draws,) values of the statistic.
        level: a share in (0, 1), never a percentage.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, but an interval's level is a share between 0 and 1; write 0.95 for 95 %")
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return Interval(np.nan, np.nan)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(defined, [tail, 1.0 - tail], method="linear")
    return Interval(float(low), float(high))


def mean_limits(values: pd.DataFrame, resamples: Resamples, level: float = LEVEL) -> list[Interval]:
    """Give the interval of each column's mean; undefined with fewer than two values, which say nothing about spread.

    Args:
        values: as in `resampled_means`.
        resamples: of the problems.
        level: a share in (0, 1).
    """
    found: list[Interval] = []
    for start in range(0, values.shape[1], COLUMNS_AT_ONCE):
        some = values.iloc[:, start : start + COLUMNS_AT_ONCE]
        means, enough = resampled_means(some, resamples), (some.notna().sum() >= 2).to_numpy()
        found += [
            limits(means[:, column], level) if enough[column] else Interval(np.nan, np.nan)
            for column in range(means.shape[1])
        ]
    return found
