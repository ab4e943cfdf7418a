"""What could have been reached: valuations as shares of yardsticks, and conduct between Nash and cartel.

The yardsticks' rows are given by whoever builds the source; nothing here knows where they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from analysis.metrics import MILLION, SETTING
from erpsim.catalogue import LIST_PRICES, SKUS

LEAST_GAP: Final = 0.02
"""Cartel less Nash price level, of list, below which conduct means nothing."""

Rows = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Yardsticks:
    """Of each problem of a source's panel, by problem_id; problems without one are left out.

    Attributes:
        static: price levels of the Nash equilibrium and of the cartel, by round.
        played: valuations of the five rules and of simple play in one seat.
        response: the best valuation that a search found.
        plan: the clairvoyant's plan and its bound.
        levels: price levels that were asked, see `price_levels`.
    """

    static: Rows
    played: Rows
    response: Rows
    plan: Rows
    levels: pd.DataFrame


def price_levels(cells: pd.DataFrame) -> pd.DataFrame:
    """Give one row per market_id, seat and round: level, the mean of price over list of all active cells.

    Args:
        cells: market_id, seat, round, sku and price of each active cell.
    """
    listed = dict(zip(SKUS, LIST_PRICES.tolist(), strict=True))
    levels = cells["price"] / cells["sku"].map(listed)
    return levels.groupby([cells[name] for name in ("market_id", "seat", "round")]).mean().rename("level").reset_index()


def reached(problems: pd.DataFrame, yardsticks: Yardsticks) -> pd.DataFrame:
    """Give one row per setting and model: mean share of each yardstick that it reached, and over how many problems.

    of_rule is of the best of the five rules, of_response of the best response that was found against them, of_plan of
    the clairvoyant's plan; each with n_…, the problems that have the yardstick. Against other rivals than the five
    rules a share of more than 1 is possible.

    Args:
        problems: rows of `metrics.by_problem`.
        yardsticks: of the panel.
    """
    marks = {
        "rule": {name: max(row["rules"].values()) for name, row in yardsticks.played.items()},
        "response": {name: row["valuation"] for name, row in yardsticks.response.items()},
        "plan": {name: row["plan"] for name, row in yardsticks.plan.items()},
    }
    frame = problems[[*SETTING, "model", "problem_id", "valuation_m"]].copy()
    for name, mark in marks.items():
        frame[f"of_{name}"] = frame["valuation_m"] * MILLION / frame["problem_id"].map(mark).astype("float64")
    groups = frame.groupby([*SETTING, "model"])
    columns = {f"of_{name}": groups[f"of_{name}"].mean() for name in marks}
    columns |= {f"n_{name}": groups[f"of_{name}"].count() for name in marks}
    return pd.DataFrame(columns).reset_index()


def conduct(rounds: pd.DataFrame, yardsticks: Yardsticks) -> pd.DataFrame:
    """Give one row per setting and model: its conduct index, 0 at Nash prices and 1 at the cartel's.

    conduct is Σ (level - Nash) / Σ (cartel - Nash) over its rounds in which the two are at least 2 % of list apart,
    missing when there is none; rounds counts those, of all_rounds. One round's own ratio would be mostly noise.

    Args:
        rounds: the table `rounds`; rules' rounds are left out.
        yardsticks: of the panel.
    """
    names = [*SETTING, "model", "market_id", "seat", "round", "problem_id"]
    frame = rounds.loc[rounds["model"].notna(), names].merge(yardsticks.levels, on=["market_id", "seat", "round"])
    places = list(zip(frame["problem_id"], frame["round"], strict=True))
    frame["nash"], frame["cartel"] = (
        [_level(yardsticks.static, kind, *place) for place in places] for kind in ("nash", "cartel")
    )
    gap = frame["cartel"] - frame["nash"]
    frame["gap"] = gap.where(gap.abs() >= LEAST_GAP)
    frame["above"] = (frame["level"] - frame["nash"]).where(frame["gap"].notna())
    groups = frame.groupby([*SETTING, "model"])
    gaps = groups["gap"].sum()
    return pd.DataFrame(
        {
            "conduct": groups["above"].sum() / gaps.where(gaps != 0),
            "level": groups["level"].mean(),
            "nash": groups["nash"].mean(),
            "cartel": groups["cartel"].mean(),
            "rounds": groups["gap"].count(),
            "all_rounds": groups.size(),
        }
    ).reset_index()


def _level(static: Rows, kind: str, problem_id: str, round_number: int) -> float | None:
    solved = static[problem_id][kind] if problem_id in static else []
    return float(solved[round_number - 1]["level"]) if round_number <= len(solved) else None
