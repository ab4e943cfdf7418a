"""The measures of a run, each a tidy frame made from a tidy frame.

Words used here: a *trajectory* is one model's firm in one market; its value is its valuation after the last round. A
*setting* is an ecology and a line-up (empty in Solo and Arena). Money is in millions of EUR. An *entrant* is a model,
or `label#seat` where a model sits in several seats of one market; a model's figure is then the mean of its seats'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

SETTING: Final = ("ecology", "lineup")
MILLION: Final = 1_000_000.0


class Agreement(NamedTuple):
    """How far two ecologies crown the same models.

    Attributes:
        same_winner: problems whose sets of winners are equal; None when no problem can be compared.
        n_problems: problems that every model completed in both ecologies.
    """

    same_winner: int | None
    n_problems: int


def trajectories(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Give one row per trajectory: setting, problem_id, stratum, trial, seat, model, entrant, valuation_m, rank.

    `rank` is over the trajectories of one setting, problem and trial: 1 is the highest valuation, ties share the mean
    of their ranks. A valuation that is not finite is missing, and so is its rank.
    """
    frame = outcomes[[*SETTING, "problem_id", "stratum", "trial", "seat", "model", "valuation"]].copy()
    several = outcomes.duplicated(["market_id", "model"], keep=False)
    seated = frame["model"] + "#" + frame["seat"].astype(str)
    frame["entrant"] = frame["model"].where(~several, seated)
    frame["valuation_m"] = frame.pop("valuation").astype("float64").where(np.isfinite) / MILLION
    groups = frame.groupby([*SETTING, "problem_id", "trial"])["valuation_m"]
    frame["rank"] = groups.rank(method="average", ascending=False, na_option="keep")
    return frame


def by_problem(played: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting, problem and model: mean over its seats and trials of valuation_m and rank.

    Args:
        played: rows of `trajectories`.
    """
    return _means(played, [*SETTING, "problem_id", "stratum", "model"])


def summary(problems: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and model: mean valuation_m and mean rank over its n problems, missing ones left out.

    Args:
        problems: rows of `by_problem`.
    """
    means = _means(problems, [*SETTING, "model"])
    counted = problems[problems["valuation_m"].notna()].groupby([*SETTING, "model"]).size().rename("n")
    joined = means.join(counted, on=[*SETTING, "model"])
    return joined.assign(n=joined["n"].fillna(0).astype("int64"))


def seat_summary(played: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and entrant: mean valuation_m and mean rank over problems and trials.

    Args:
        played: rows of `trajectories`.
    """
    return _means(played, [*SETTING, "model", "entrant"])


def differences(problems: pd.DataFrame, base: str = "solo", other: str = "arena") -> pd.DataFrame:
    """Give one row per problem and model that has a value in both ecologies: delta_m = other - base, millions of EUR.

    Args:
        problems: rows of `by_problem`.
        base: ecology that is subtracted.
        other: ecology that it is subtracted from.
    """
    present = problems[problems["valuation_m"].notna()]
    key = ["problem_id", "stratum", "model"]
    base_values, other_values = (present[present["ecology"] == name][[*key, "valuation_m"]] for name in (base, other))
    pairs = base_values.merge(other_values, on=key, suffixes=("_base", "_other"), validate="one_to_one")
    pairs["delta_m"] = pairs["valuation_m_other"] - pairs["valuation_m_base"]
    return pairs[[*key, "delta_m"]]


def mean_differences(pairs: pd.DataFrame) -> pd.DataFrame:
    """Give one row per model: mean delta_m over its n complete pairs.

    Args:
        pairs: rows of `differences`.
    """
    return pairs.groupby("model")["delta_m"].agg(delta_m="mean", n="size").reset_index()


def winners(problems: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting, problem and winning model: all models at the maximum win; weight 1 / their number.

    Args:
        problems: rows of `by_problem`.
    """
    present = problems[problems["valuation_m"].notna()]
    groups = present.groupby([*SETTING, "problem_id"])["valuation_m"]
    won = present[present["valuation_m"] == groups.transform("max")][[*SETTING, "problem_id", "model"]]
    sizes = won.groupby([*SETTING, "problem_id"])["model"].transform("size")
    return won.assign(weight=1.0 / sizes).reset_index(drop=True)


def complete_problems(problems: pd.DataFrame, models: Sequence[str], ecologies: Sequence[str]) -> list[str]:
    """List the problems that every model completed in every one of some ecologies, in the order of their ids.

    Args:
        problems: rows of `by_problem`.
        models: every model of the run, those that completed nothing included.
        ecologies: of one line-up each.
    """
    ours = problems[problems["ecology"].isin(ecologies) & problems["model"].isin(models)]
    present = ours[ours["valuation_m"].notna()].groupby("problem_id").size()
    return sorted(present.index[present == len(models) * len(ecologies)])


def agreement(problems: pd.DataFrame, models: Sequence[str], base: str = "solo", other: str = "arena") -> Agreement:
    """Count the problems with equal sets of winners, over those that every model completed in both ecologies.

    Args:
        problems: rows of `by_problem`.
        models: every model of the run.
        base: one ecology.
        other: the other.
    """
    complete = complete_problems(problems, models, (base, other))
    won = winners(problems[problems["problem_id"].isin(complete)])
    sets = {
        (ecology, problem_id): frozenset(models)
        for (ecology, problem_id), models in won.groupby(["ecology", "problem_id"])["model"]
    }
    if not complete:
        return Agreement(None, 0)
    return Agreement(sum(sets[base, name] == sets[other, name] for name in complete), len(complete))


def _means(frame: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    return frame.groupby(key)[["valuation_m", "rank"]].mean().reset_index()
