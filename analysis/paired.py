"""The effect of the ecology on each model: the mean paired difference, its interval and its test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from analysis.bootstrap import Resamples, mean_limits
from analysis.false_discovery import benjamini_hochberg
from analysis.signed_rank import ALL_ZERO, SignedRank, signed_rank

TEST_DECIMALS: Final = 10
"""Decimals of a million that the test sees, a hundredth of a cent: the noise of a subtraction breaks no tie or zero."""


def effects(pairs: pd.DataFrame, models: Sequence[str], resamples: Resamples) -> pd.DataFrame:
    """Give one row per model, those without pairs included, in the order given.

        n                       complete pairs, one for each problem
        delta_m                 mean difference, millions of EUR
        ci_low_m, ci_high_m     its 95 % percentile interval over problems; NaN with fewer than two pairs
        statistic, p, method    Wilcoxon's signed-rank test, see `signed_rank`
        zeros, tied             differences that are zero, and that share their size
        all_zero                whether every difference is zero, so that p = 1 by rule
        q, family_size          p adjusted over the models whose test is defined (Benjamini-Hochberg)

    Args:
        pairs: rows of `metrics.differences`.
        models: every model of the run.
        resamples: of all problems; the same ones for every model.
    """
    table = delta_table(pairs, models)
    intervals = mean_limits(table, resamples)
    rows = []
    for model, interval in zip(models, intervals, strict=True):
        deltas = table[model].dropna()
        test = signed_rank(np.round(deltas.to_numpy(dtype=np.float64), TEST_DECIMALS))
        mean = float(deltas.mean()) if len(deltas) else np.nan
        rows.append((model, len(deltas), mean, *interval, *test, test.method == ALL_ZERO))
    columns = ["model", "n", "delta_m", "ci_low_m", "ci_high_m", *SignedRank._fields, "all_zero"]
    frame = pd.DataFrame(rows, columns=columns)
    adjusted = benjamini_hochberg(frame["p"].to_numpy(dtype=np.float64))
    return frame.assign(q=adjusted.q, family_size=adjusted.family_size)


def delta_table(pairs: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Lay differences out: a row per problem_id, sorted, a column per model; NaN where there is no pair.

    Args:
        pairs: rows of `metrics.differences`.
        models: the columns.
    """
    table = pairs.pivot(index="problem_id", columns="model", values="delta_m")
    return table.reindex(columns=list(models)).astype("float64").sort_index()
