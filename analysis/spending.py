"""What a result cost: calls, tokens and money of each model, per problem and per million of valuation."""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis.interventions import TRAJECTORY
from analysis.metrics import SETTING

AMOUNTS: Final = ("llm_calls", "tool_calls", "tokens_in", "tokens_out", "cost_usd")
"""Columns of `rounds` that are spent."""


def spending(rounds: pd.DataFrame, played: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting, model and amount: total, per_problem and per_million of valuation.

    Only the rounds of completed trajectories count. The total is undefined (NaN) when a round does not say what it
    spent, unpriced counts those; per_million is undefined unless the summed valuation is above zero.

    Args:
        rounds: the table `rounds`; rules' rounds are left out.
        played: rows of `metrics.trajectories`.
    """
    completed = played[played["valuation_m"].notna()]
    ours = rounds.merge(completed[list(TRAJECTORY)], on=list(TRAJECTORY), validate="many_to_one")
    key = [*SETTING, "model"]
    spent = ours.melt(key, list(AMOUNTS), "amount", "spent")
    groups = spent.assign(spent=spent["spent"].astype("float64")).groupby([*key, "amount"])["spent"]
    unknown = groups.agg(lambda values: int(values.isna().sum())).astype("int64")
    total = groups.sum(min_count=1).where(unknown == 0)
    earned = completed.groupby(key)["valuation_m"].agg(trajectories="size", valuation_m="sum")
    frame = pd.DataFrame({"total": total, "unpriced": unknown}).reset_index().join(earned, on=key)
    worth = frame["valuation_m"].where(frame["valuation_m"] > 0)
    frame = frame.assign(per_problem=frame["total"] / frame["trajectories"], per_million=frame["total"] / worth)
    order = {name: place for place, name in enumerate(AMOUNTS)}
    frame = frame.sort_values(
        [*key, "amount"], key=lambda column: column.map(order) if column.name == "amount" else column
    )
    return frame[[*key, "amount", "total", "unpriced", "per_problem", "per_million"]].reset_index(drop=True)
