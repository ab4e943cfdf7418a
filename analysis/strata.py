"""Effects and levels within each stratum of problems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from analysis.bootstrap import DRAWS, mean_limits, resample
from analysis.metrics import SETTING
from analysis.paired import delta_table
from erpsim.problem import STRATA


def ordered_strata(names: Iterable[str]) -> list[str]:
    """Give each stratum once: the panel's in its order, then any others by name."""
    present = set(names)
    return [*(name for name in STRATA if name in present), *sorted(present.difference(STRATA))]


def stratum_effects(pairs: pd.DataFrame, models: Sequence[str], seed: int, draws: int = DRAWS) -> pd.DataFrame:
    """Give one row per stratum and model: mean delta_m over n pairs, its 95 % interval ci_low_m to ci_high_m.

    Problems are resampled within their stratum, one draw for all models; each stratum has a stream of its own, keyed
    by its name. With fewer than two pairs the interval is undefined.

    Args:
        pairs: rows of `metrics.differences`.
        models: every model of the run.
        seed: of the resampling.
        draws: number of resamples.
    """
    rows = []
    for stratum in ordered_strata(pairs["stratum"]):
        table = delta_table(pairs[pairs["stratum"] == stratum], models)
        resamples = resample(table.index, (seed, *stratum.encode()), draws)
        for model, interval in zip(models, mean_limits(table, resamples), strict=True):
            rows.append((stratum, model, int(table[model].notna().sum()), table[model].mean(), *interval))
    return pd.DataFrame(rows, columns=["stratum", "model", "n", "delta_m", "ci_low_m", "ci_high_m"])


def stratum_levels(problems: pd.DataFrame) -> pd.DataFrame:
    """Give one row per stratum, setting and model: mean valuation_m and rank over its n problems.

    Args:
        problems: rows of `metrics.by_problem`.
    """
    groups = problems.groupby(["stratum", *SETTING, "model"])
    frame = groups[["valuation_m", "rank"]].mean().join(groups["valuation_m"].count().rename("n")).reset_index()
    order = {name: position for position, name in enumerate(ordered_strata(frame["stratum"]))}
    return frame.sort_values("stratum", key=lambda names: names.map(order), kind="stable").reset_index(drop=True)
