"""How valuation, market share and price went from round to round."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.interventions import TRAJECTORY
from analysis.load import Records
from analysis.metrics import MILLION, SETTING

RULES: Final = ""
"""Stands as the model of the rule firms taken together."""

MEASURES: Final = ("valuation_m", "share_percent", "price", "price_index")

_PROBLEM: Final = (*SETTING, "problem_id")


def paths(records: Records) -> pd.DataFrame:
    """Give one row per setting, model, round and measure: mean, low and high over n problems; undefined ones left out.

        valuation_m    valuation after the round, millions of EUR
        share_percent  share of the units sold in the market, 0 to 100
        price          mean price of the units it sold, EUR/unit
        price_index    price / mean price of all firms in its market x 100; only where two firms or more sold

    low and high are the quartiles over problems (type 7). Several seats or trials of a problem are averaged first.
    Only completed trajectories count, in every round, and only their markets' rule firms (model `RULES`).

    Args:
        records: checked ones, see `coverage.cover`.
    """
    values = _measured(_completed(records))
    by = [*_PROBLEM, "model", "round", "measure"]
    problems = values.groupby(by)["value"].mean().dropna().reset_index()
    groups = problems.groupby([name for name in by if name != "problem_id"])["value"]
    frame = pd.DataFrame(
        {
            "mean": groups.mean(),
            "low": groups.quantile(0.25, interpolation="linear"),
            "high": groups.quantile(0.75, interpolation="linear"),
            "n": groups.size(),
        }
    )
    return frame.reset_index()


def _completed(records: Records) -> pd.DataFrame:
    rounds, key = records.rounds, list(TRAJECTORY)
    outcomes = records.outcomes[np.isfinite(records.outcomes["valuation"].astype("float64"))]
    modelled = rounds["model"].notna()
    ours = modelled & pd.MultiIndex.from_frame(rounds[key]).isin(pd.MultiIndex.from_frame(outcomes[key]))
    theirs = ~modelled & rounds["market_id"].isin(rounds["market_id"][ours])
    kept = rounds[ours | theirs]
    return kept.assign(model=kept["model"].where(kept["model"].notna(), RULES)).reset_index(drop=True)


def _measured(rounds: pd.DataFrame) -> pd.DataFrame:
    price = _finite(rounds["price_mean"])
    sold = price.groupby([rounds["market_id"], rounds["round"]])
    market = sold.transform("mean").where(sold.transform("count") > 1)
    wide = rounds[[*_PROBLEM, "model", "round"]].assign(
        valuation_m=_finite(rounds["valuation"]) / MILLION,
        share_percent=_finite(rounds["market_share"]) * 100.0,
        price=price,
        price_index=price / market.where(market > 0) * 100.0,
    )
    return wide.melt([*_PROBLEM, "model", "round"], list(MEASURES), var_name="measure", value_name="value")


def _finite(values: pd.Series) -> pd.Series:
    numbers = values.astype("float64")
    return numbers.where(np.isfinite(numbers))
