"""Counts of execution events by category. Categories are never summed into one error rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pandas as pd

from erpsim.events import EVENT_TYPES, PAPER_CATEGORIES

WHOLE_MARKET: Final = ""
"""Stands as the model of an event that no single model is behind, such as a market given up."""

ORDER: Final = (*PAPER_CATEGORIES, *(name for name in EVENT_TYPES if name not in PAPER_CATEGORIES))
"""The paper's categories first, then ours, in the order of the event types."""


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
