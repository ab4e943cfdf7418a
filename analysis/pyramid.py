"""The decision-quality pyramid L1-L5 of each model in each ecology: a taxonomy of five measures, never one score.

    L1  structural validity        1 - share of its rounds with a structural event
    L2  operational feasibility    1 - r / max r over the models, r = operational events per trajectory; 1 if max r = 0
    L3  financial quality          (M - mean rank) / (M - 1), M models; undefined for one model
    L4  disruption response        L3 over the hard and random_hard problems, their ranks averaged anew
    L5  short-horizon adaptation   mean rank after the first round - mean rank after the last, above 0 = climbed

L1 to L4 lie in [0, 1]. Source: ERPBench, sections 3.2 and 4.6; "rank-derived" is all that it says of L3, whose formula
is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from analysis.interventions import TRAJECTORY, operational_rates, per_trajectory
from analysis.metrics import SETTING, by_problem, field_sizes

DISRUPTED: Final = ("hard", "random_hard")
"""Strata that L4 is about."""

KEY: Final = (*SETTING, "model")


def pyramid(rounds: pd.DataFrame, events: pd.DataFrame, played: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and model: l1 … l5, and M as n_models; undefined levels are NaN.

    Args:
        rounds: the table `rounds`; rules' rounds are left out.
        events: the table `events`.
        played: rows of `metrics.trajectories`.
    """
    problems = by_problem(played)
    sizes = field_sizes(played)
    levels = [
        structural_validity(rounds, events).set_index(list(KEY))["l1"],
        reliability(operational_rates(per_trajectory(events, played))).set_index(list(KEY))["l2"],
        financial_quality(problems, sizes).set_index(list(KEY))["level"].rename("l3"),
        financial_quality(problems, sizes, DISRUPTED).set_index(list(KEY))["level"].rename("l4"),
        adaptation(rounds, played).set_index(list(KEY))["l5"],
    ]
    frame = pd.concat(levels, axis=1).sort_index().reset_index()
    counted = sizes.rename("n_models").reset_index()
    return frame.merge(counted, on=list(SETTING), how="left").assign(
        n_models=lambda joined: joined["n_models"].fillna(0).astype("int64")
    )


def structural_validity(rounds: pd.DataFrame, events: pd.DataFrame, by: Sequence[str] = SETTING) -> pd.DataFrame:
    """Give one row per group and model: its n rounds, those touched by a structural event, and l1 = 1 - touched / n.

    Args:
        rounds: the table `rounds`; rules' rounds are left out.
        events: the table `events`.
        by: columns that make the groups; none pools the ecologies.
    """
    key = [*TRAJECTORY, "round"]
    ours = rounds[rounds["model"].notna()][key]
    touched = events[events["layer"] == "structural"][key].drop_duplicates().assign(touched=True)
    joined = ours.merge(touched, on=key, how="left")
    groups = joined["touched"].notna().groupby([joined[name] for name in (*by, "model")])
    frame = groups.agg(n="size", touched="sum").reset_index()
    return frame.assign(l1=1.0 - frame["touched"] / frame["n"])


def reliability(rates: pd.DataFrame, column: str = "r_paper") -> pd.DataFrame:
    """Add l2 = 1 - r / max r to operational rates, the maximum taken over the models of a group.

    The paper's panel is the Arena's; with rates pooled over the ecologies it is that of its figure 3b.

    Args:
        rates: rows of `interventions.operational_rates`.
        column: r_paper or r_operational.
    """
    by = [name for name in rates.columns if name in SETTING]
    highest = rates.groupby(by)[column].transform("max") if by else pd.Series(rates[column].max(), rates.index)
    share = rates[column] / highest.where(highest > 0)
    return rates.assign(l2=(1.0 - share).where(highest > 0, 1.0))


def financial_quality(problems: pd.DataFrame, sizes: pd.Series, strata: Sequence[str] | None = None) -> pd.DataFrame:
    """Give one row per setting and model: level = (M - mean rank) / (M - 1), NaN for M = 1 or without a problem.

    Args:
        problems: rows of `metrics.by_problem`.
        sizes: M of each setting, see `metrics.field_sizes`.
        strata: only the problems of these; all of them if None.
    """
    ours = problems if strata is None else problems[problems["stratum"].isin(strata)]
    frame = ours.groupby(list(KEY))["rank"].mean().reset_index()
    many = frame[list(SETTING)].merge(sizes.rename("size").reset_index(), on=list(SETTING), how="left")["size"]
    others = (many - 1).where(many > 1).astype("float64")
    return frame.assign(level=(many - frame["rank"]) / others)


def adaptation(rounds: pd.DataFrame, played: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and model: l5, mean over n problems of rank after the first round - after the last.

    Both ranks are among the completed trajectories of a problem, so that they compare the same models.

    Args:
        rounds: the table `rounds`.
        played: rows of `metrics.trajectories`.
    """
    completed = played[played["valuation_m"].notna()][[*TRAJECTORY, "rank"]]
    ours = rounds[rounds["model"].notna()].sort_values("round", kind="stable")
    first = ours.drop_duplicates(list(TRAJECTORY))[[*TRAJECTORY, "valuation"]]
    joined = completed.merge(first, on=list(TRAJECTORY), how="left", validate="one_to_one")
    start = joined["valuation"].astype("float64").where(np.isfinite)
    problem = [joined[name] for name in (*SETTING, "problem_id", "trial")]
    joined["l5"] = start.groupby(problem).rank(method="average", ascending=False, na_option="keep") - joined["rank"]
    means = joined.groupby([*SETTING, "problem_id", "model"])["l5"].mean().reset_index()
    return means.groupby(list(KEY))["l5"].agg(l5="mean", n="count").reset_index()
