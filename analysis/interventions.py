"""Counts of execution events by category. Categories are never summed into one error rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pandas as pd

from analysis.metrics import SETTING
from erpsim.events import EVENT_TYPES, PAPER_CATEGORIES

WHOLE_MARKET: Final = ""
"""Stands as the model of an event that no single model is behind, such as a market given up."""

ORDER: Final = (*PAPER_CATEGORIES, *(name for name in EVENT_TYPES if name not in PAPER_CATEGORIES))
"""The paper's categories first, then ours, in the order of the event types."""

DISPLAYED: Final = tuple(name for name in PAPER_CATEGORIES if name != "experiment_failed")
"""The five categories whose shares the paper displays; the sixth stands beside them, outside the denominator."""

PAPER_OPERATIONAL: Final = tuple(name for name in PAPER_CATEGORIES if EVENT_TYPES[name].layer == "operational")
"""The three operational categories that the paper logs, which make r_m."""

OPERATIONAL: Final = tuple(name for name, kind in EVENT_TYPES.items() if kind.layer == "operational")
"""Every operational category."""

TRAJECTORY: Final = (*SETTING, "problem_id", "trial", "seat", "model")
"""Columns that find one model's trajectory."""


def counts(events: pd.DataFrame, entered: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    """Give one row per setting, model and category: n events of that model's firms; rule firms are left out.

    The paper's six categories are always there, with 0 where nothing happened; the others where one happened.

    Args:
        events: the table `events`.
        entered: models that each setting (ecology and line-up) was planned with.
    """
    models = {model for names in entered.values() for model in names}
    known = events["model"].isin(models)
    whole = (events["category"] == "experiment_failed") & ~known
    ours = events[known | whole].assign(model=events["model"].where(known, WHOLE_MARKET))
    found = ours.groupby(["ecology", "lineup", "model", "category"])["n"].sum()
    wanted = {
        (*setting, model, category)
        for setting, names in entered.items()
        for model in names
        for category in PAPER_CATEGORIES
    }
    names = ["ecology", "lineup", "model", "category"]
    index = pd.MultiIndex.from_tuples(sorted(wanted | set(found.index)), names=names)
    frame = found.reindex(index, fill_value=0).rename("n").reset_index()
    order = frame["category"].map({name: position for position, name in enumerate(ordered(frame["category"]))})
    return frame.assign(order=order).sort_values([*names[:3], "order"]).drop(columns="order").reset_index(drop=True)


def ordered(categories: Iterable[str]) -> list[str]:
    """Give each category once: those of `ORDER` in its order, then any that this version does not know, by name."""
    present = set(categories)
    return [*(name for name in ORDER if name in present), *sorted(present.difference(ORDER))]


def totals(counted: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and category, in the order of `ORDER`: n over all models.

    Args:
        counted: rows of `counts`.
    """
    summed = counted.groupby(["ecology", "lineup", "category"])["n"].sum()
    settings = list(dict.fromkeys(zip(counted["ecology"], counted["lineup"], strict=True)))
    present = ordered({*counted["category"], *PAPER_CATEGORIES})
    rows = [(*setting, category) for setting in settings for category in present]
    index = pd.MultiIndex.from_tuples(rows, names=["ecology", "lineup", "category"])
    return summed.reindex(index, fill_value=0).reset_index()


def shares(counted: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Give one row per group and paper category: n, and share of the five displayed ones in [0, 1].

    `experiment_failed` stands beside with its n and no share. Without any displayed event a share is undefined.

    Args:
        counted: rows of `counts`.
        by: columns that make the groups, such as ("model",) or ("ecology", "lineup"); none pools everything.
    """
    ours = counted[counted["category"].isin(PAPER_CATEGORIES)]
    table = ours.assign(everything=0).groupby(["everything", *by, "category"])["n"].sum().unstack("category")
    table = table.reindex(columns=list(PAPER_CATEGORIES)).astype("float64").fillna(0).astype("int64")
    shown = table[list(DISPLAYED)]
    whole = shown.sum(axis=1)
    shared = shown.div(whole.where(whole > 0).astype("float64"), axis=0).reindex(columns=list(PAPER_CATEGORIES))
    key = ["everything", *by]
    numbers, parts = (part.reset_index().melt(key, var_name="category") for part in (table, shared))
    frame = numbers.rename(columns={"value": "n"}).assign(share=parts["value"])
    return _in_order(frame.drop(columns="everything"), by)


def per_trajectory(events: pd.DataFrame, played: pd.DataFrame, by: Sequence[str] = SETTING) -> pd.DataFrame:
    """Give one row per group, model and category: n events of its completed trajectories, and rate per trajectory.

    A trajectory that was not completed is in neither the events nor the number of trajectories.

    Args:
        events: the table `events`.
        played: rows of `metrics.trajectories`.
        by: columns that make the groups; none pools the ecologies.
    """
    completed = played[played["valuation_m"].notna()]
    key = [*by, "model"]
    if completed.empty:  # a market of rules only; pandas does not join two frames without rows
        kinds = {**dict.fromkeys([*key, "category"], "str"), "n": "int64", "trajectories": "int64", "rate": "float64"}
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in kinds.items()})
    ours = events.merge(completed[list(TRAJECTORY)], on=list(TRAJECTORY), validate="many_to_one")
    sizes = completed.groupby(key).size().rename("trajectories")
    table = ours.groupby([*key, "category"])["n"].sum().unstack("category")
    present = ordered({*ours["category"], *PAPER_CATEGORIES})
    table = table.reindex(index=sizes.index, columns=present).astype("float64").fillna(0).astype("int64")
    frame = table.rename_axis(columns="category").reset_index().melt(key, value_name="n").join(sizes, on=key)
    return _in_order(frame.assign(rate=frame["n"] / frame["trajectories"]), key)


def operational_rates(rates: pd.DataFrame) -> pd.DataFrame:
    """Give one row per group and model: trajectories, r_paper and r_operational, events per trajectory.

    r_paper is the paper's r_m, over its three operational categories; r_operational is over all of them.

    Args:
        rates: rows of `per_trajectory`.
    """
    key = [name for name in rates.columns if name not in ("category", "n", "rate")]
    paper, every = (
        rates["rate"].where(rates["category"].isin(names), 0.0) for names in (PAPER_OPERATIONAL, OPERATIONAL)
    )
    return (
        rates.assign(r_paper=paper, r_operational=every).groupby(key)[["r_paper", "r_operational"]].sum().reset_index()
    )


def _in_order(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    places = {name: position for position, name in enumerate(ordered(frame["category"]))}
    return (
        frame.assign(order=frame["category"].map(places))
        .sort_values([*by, "order"])
        .drop(columns="order")
        .reset_index(drop=True)
    )
