"""The measures of a run, each a tidy frame made from a tidy frame.

Words used here: a *trajectory* is one model's firm in one market; its value is its valuation after the last round. A
*setting* is an ecology and a line-up (empty in Solo and Arena). Money is in millions of EUR. An *entrant* is a model,
or `label#seat` where a model sits in several seats of one market; a model's figure is then the mean of its seats'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

SETTING: Final = ("ecology", "lineup")
MILLION: Final = 1_000_000.0
MEASURES: Final = ("valuation_m", "rank", "regret", "bottom", "bottom_tied")
"""What each trajectory has, and each problem and model as the mean over seats and trials."""

CROWD: Final = 24
"""Most models that are compared each with each, and of which each has its row and its line."""


def trajectories(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Give one row per trajectory: setting, problem_id, stratum, trial, seat, model, entrant and the `MEASURES`.

    All but valuation_m compare the trajectories of one setting, problem and trial. A valuation that is not finite is
    missing, and so are its measures.

        rank         1 is the highest valuation, ties share the mean of their ranks
        regret       (highest - own) / (highest - lowest) in [0, 1]; 0 when all are equal
        bottom       1 at the lowest valuation, else 0; every one of those tied there has 1
        bottom_tied  1 where the lowest valuation is shared, else 0
    """
    frame = outcomes[[*SETTING, "problem_id", "stratum", "trial", "seat", "model", "valuation"]].copy()
    several = outcomes.duplicated(["market_id", "model"], keep=False)
    seated = frame["model"] + "#" + frame["seat"].astype(str)
    frame["entrant"] = frame["model"].where(~several, seated)
    frame["valuation_m"] = frame.pop("valuation").astype("float64").where(np.isfinite) / MILLION
    groups = frame.groupby([*SETTING, "problem_id", "trial"])["valuation_m"]
    frame["rank"] = groups.rank(method="average", ascending=False, na_option="keep")
    highest, lowest = groups.transform("max"), groups.transform("min")
    gap, spread = highest - frame["valuation_m"], highest - lowest
    frame["regret"] = (gap / spread.where(spread > 0)).where(spread != 0, 0.0).where(frame["valuation_m"].notna())
    at_bottom = frame["valuation_m"] == lowest
    sharing = at_bottom.groupby([frame[name] for name in (*SETTING, "problem_id", "trial")]).transform("sum")
    present = frame["valuation_m"].notna()
    frame["bottom"] = at_bottom.astype("float64").where(present)
    frame["bottom_tied"] = (at_bottom & (sharing > 1)).astype("float64").where(present)
    return frame


def by_problem(played: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting, problem and model: mean over its seats and trials of the `MEASURES`.

    Args:
        played: rows of `trajectories`.
    """
    return _means(played, [*SETTING, "problem_id", "stratum", "model"])


def summary(problems: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and model: its figures over n problems, missing ones left out.

    Mean valuation_m, rank and regret; bottom_rate, the share of problems where it is last; bottom_tied, the number of
    those where it shares the last place; p90_regret, the 90th percentile of regret by linear interpolation (type 7).

    Args:
        problems: rows of `by_problem`.
    """
    groups = problems.groupby([*SETTING, "model"])
    return pd.DataFrame(
        {
            "valuation_m": groups["valuation_m"].mean(),
            "rank": groups["rank"].mean(),
            "bottom_rate": groups["bottom"].mean(),
            "bottom_tied": groups["bottom_tied"].sum(),
            "regret": groups["regret"].mean(),
            "p90_regret": groups["regret"].quantile(0.9, interpolation="linear"),
            "n": groups["valuation_m"].count().astype("int64"),
        }
    ).reset_index()


def seat_summary(played: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and entrant: mean of the `MEASURES` over problems and trials.

    Args:
        played: rows of `trajectories`.
    """
    return _means(played, [*SETTING, "model", "entrant"])


def field_sizes(played: pd.DataFrame) -> pd.Series:
    """Give M of each setting: the number of its entrants that have a valuation in some problem.

    Args:
        played: rows of `trajectories`.
    """
    return played[played["valuation_m"].notna()].groupby(list(SETTING))["entrant"].nunique()


def wide(problems: pd.DataFrame, setting: tuple[str, str], column: str = "valuation_m") -> pd.DataFrame:
    """Lay one measure of one setting out: a row per problem_id, sorted, and a column per model, sorted.

    Args:
        problems: rows of `by_problem`.
        setting: ecology and line-up.
        column: one of `MEASURES`.
    """
    ours = problems[(problems["ecology"] == setting[0]) & (problems["lineup"] == setting[1])]
    return ours.pivot_table(index="problem_id", columns="model", values=column, aggfunc="first", dropna=False)


def settings_of(problems: pd.DataFrame) -> list[tuple[str, str]]:
    """List the settings of a frame in the order in which they come.

    Args:
        problems: any frame with the columns of `SETTING`.
    """
    return list(dict.fromkeys(zip(problems["ecology"], problems["lineup"], strict=True)))


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


def contenders(problems: pd.DataFrame, models: Sequence[str], ecologies: Sequence[str]) -> list[str]:
    """List the models that completed some problem in every one of some ecologies, in the order given.

    A model that failed everywhere can be compared nowhere; left in, it would leave no problem that all completed.

    Args:
        problems: rows of `by_problem`.
        models: every model of the run.
        ecologies: of one line-up each.
    """
    present = problems[problems["valuation_m"].notna()]
    found = [set(present["model"][present["ecology"] == ecology]) for ecology in ecologies]
    return [model for model in models if all(model in names for names in found)]


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


def _means(frame: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    return frame.groupby(key)[list(MEASURES)].mean().reset_index()
