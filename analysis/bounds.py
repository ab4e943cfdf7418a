"""What the missing could change: each figure with every missing trajectory at its worst and at its best.

A missing valuation is put at the lowest and the highest valuation of its problem and ecology, a missing rank at M and
at 1, where M trajectories were planned. Where nothing of a problem and ecology is known, neither is a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import pandas as pd

from analysis.coverage import PlannedTrajectory
from analysis.metrics import SETTING

PLACE: Final = (*SETTING, "problem_id", "trial", "seat")
CONTEST: Final = (*SETTING, "problem_id", "trial")
LIMITS: Final = ("valuation_low_m", "valuation_high_m", "rank_best", "rank_worst")


def bounded(played: pd.DataFrame, planned: Sequence[PlannedTrajectory]) -> pd.DataFrame:
    """Give one row per planned trajectory: missing, valuation_low_m, valuation_high_m, rank_best and rank_worst.

    Low and high, best and worst are the same where it was completed.

    Args:
        played: rows of `metrics.trajectories`.
        planned: every trajectory of a model that the plan holds.
    """
    columns = [*PLACE, "model"]
    plan = pd.DataFrame([asdict(item) for item in planned], columns=list(PlannedTrajectory.__dataclass_fields__))
    known = played[[*PLACE, "valuation_m", "rank"]]
    frame = plan[columns].merge(known, on=list(PLACE), how="left", validate="one_to_one")
    contest = frame.groupby(list(CONTEST))
    values, ranks = contest["valuation_m"], frame["rank"]
    size = contest["seat"].transform("size").astype("float64")
    return frame[columns].assign(
        missing=frame["valuation_m"].isna(),
        valuation_low_m=frame["valuation_m"].fillna(values.transform("min")),
        valuation_high_m=frame["valuation_m"].fillna(values.transform("max")),
        rank_best=ranks.fillna(1.0),
        rank_worst=ranks.fillna(size),
    )


def model_bounds(rows: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and model: planned and missing trajectories, and the limits of its means over problems.

    unbounded counts the problems without any valuation; with one of them the limits of the valuation are undefined.

    Args:
        rows: those of `bounded`.
    """
    problems = _by_problem(rows)
    groups = problems.groupby([*SETTING, "model"])
    means = groups[list(LIMITS)].mean()
    unbounded = groups["valuation_low_m"].agg(lambda values: int(values.isna().sum())).rename("unbounded")
    counted = rows.groupby([*SETTING, "model"])["missing"].agg(planned="size", missing="sum")
    frame = counted.join(unbounded).join(means)
    known = frame["unbounded"] == 0
    frame[list(LIMITS[:2])] = frame[list(LIMITS[:2])].where(known)
    result: pd.DataFrame = frame.reset_index()
    return result


def delta_bounds(rows: pd.DataFrame, base: str = "solo", other: str = "arena") -> pd.DataFrame:
    """Give one row per model planned in both ecologies: delta_low_m and delta_high_m, limits of its mean difference.

    Args:
        rows: those of `bounded`.
        base: ecology that is subtracted.
        other: ecology that it is subtracted from.
    """
    problems = _by_problem(rows)
    one, two = (problems[problems["ecology"] == name] for name in (base, other))
    pairs = one.merge(two, on=["problem_id", "model"], suffixes=("_base", "_other"), validate="one_to_one")
    pairs["delta_low_m"] = pairs["valuation_low_m_other"] - pairs["valuation_high_m_base"]
    pairs["delta_high_m"] = pairs["valuation_high_m_other"] - pairs["valuation_low_m_base"]
    limits = pairs.groupby("model")[["delta_low_m", "delta_high_m"]].mean()
    known = pairs["delta_low_m"].notna().groupby(pairs["model"]).all()
    return limits.where(known).reset_index()


def _by_problem(rows: pd.DataFrame) -> pd.DataFrame:
    means: pd.DataFrame = rows.groupby([*SETTING, "problem_id", "model"])[list(LIMITS)].mean()
    return means.reset_index()
