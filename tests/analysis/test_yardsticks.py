"""Shares of yardsticks and the conduct index, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.yardsticks import Yardsticks, conduct, price_levels, reached
from tests.analysis import panels

NO_LEVELS = pd.DataFrame({"market_id": [], "seat": [], "round": [], "level": []})


def solved(*levels: float) -> list[dict[str, Any]]:
    return [{"level": level} for level in levels]


def yardsticks(levels: pd.DataFrame = NO_LEVELS) -> Yardsticks:
    return Yardsticks(
        static={"P000": {"nash": solved(1.2, 1.2), "cartel": solved(1.6, 1.21)}},
        played={"P000": {"rules": {"balanced": 150e6, "growth": 200e6}}, "P001": {"rules": {"balanced": 100e6}}},
        response={"P000": {"valuation": 250e6}},
        plan={},
        levels=levels,
    )


def test_a_valuation_is_a_share_of_each_yardstick_that_its_problem_has() -> None:
    problems = panels.one_ecology([[100.0, 220.0], [100.0, 50.0]])
    frame = reached(problems, yardsticks())
    first, second = frame.to_dict("records")
    # m0: 100/200 and 100/100 of the best rule; 100/250 of the best response; no plan anywhere.
    assert (first["of_rule"], first["n_rule"]) == (pytest.approx(0.75), 2)
    assert (first["of_response"], first["n_response"]) == (pytest.approx(0.4), 1)
    assert (np.isnan(first["of_plan"]), first["n_plan"]) == (True, 0)
    assert second["of_rule"] == pytest.approx((1.1 + 0.5) / 2)


def test_a_price_level_is_the_mean_of_price_over_list() -> None:
    cells = pd.DataFrame(
        {
            "market_id": ["arena/P000"] * 2,
            "seat": [0, 0],
            "round": [1, 1],
            "sku": ["NUT-500", "BLUEBERRY-500"],
            "price": [3.90, 8.46],
        }
    )
    assert price_levels(cells)["level"].tolist() == [pytest.approx(1.5)]


def test_conduct_is_told_where_nash_and_cartel_are_apart() -> None:
    rounds = pd.DataFrame(
        {
            "ecology": "arena",
            "lineup": "",
            "model": ["m0", "m0", None],
            "market_id": "arena/P000",
            "seat": [0, 0, 1],
            "round": [1, 2, 1],
            "problem_id": "P000",
        }
    )
    levels = pd.DataFrame({"market_id": "arena/P000", "seat": [0, 0, 1], "round": [1, 2, 1], "level": [1.3, 1.5, 9.0]})
    (row,) = conduct(rounds, yardsticks(levels)).to_dict("records")
    # Round 2's cartel is only 1 % of list above Nash: (1.3 - 1.2) / (1.6 - 1.2) of round 1 alone.
    assert row["conduct"] == pytest.approx(0.25)
    assert (row["rounds"], row["all_rounds"]) == (1, 2)
    assert row["level"] == pytest.approx(1.4)


def test_without_a_solved_game_there_is_no_conduct() -> None:
    rounds = pd.DataFrame(
        {
            "ecology": "arena",
            "lineup": "",
            "model": ["m0"],
            "market_id": "arena/P009",
            "seat": [0],
            "round": [1],
            "problem_id": "P009",
        }
    )
    levels = pd.DataFrame({"market_id": ["arena/P009"], "seat": [0], "round": [1], "level": [1.3]})
    (row,) = conduct(rounds, yardsticks(levels)).to_dict("records")
    assert np.isnan(row["conduct"])
    assert row["rounds"] == 0
