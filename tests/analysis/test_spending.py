"""Calls, tokens and money by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis import metrics
from analysis.spending import AMOUNTS, spending
from erpsim.records import OutcomeRow, RoundRow
from tests.analysis.panels import cell
from tests.analysis.samples import frame, rounds_of, two_by_two


def _spending(rows: list[OutcomeRow], cost: float | None = 0.5) -> pd.DataFrame:
    rounds = [replace(row, cost_usd=cost, tokens_in=100) for item in two_by_two() for row in rounds_of(item)]
    return spending(frame(rounds, RoundRow), metrics.trajectories(frame(rows, OutcomeRow)))


def test_amounts_are_per_problem_and_per_million_of_valuation() -> None:
    found = _spending(two_by_two())
    where = {"ecology": "solo", "model": "a"}  # two problems of two rounds; valuations 5 and 2 M
    assert cell(found, "total", amount="tokens_in", **where) == 400
    assert cell(found, "per_problem", amount="tokens_in", **where) == 200
    assert cell(found, "per_million", amount="tokens_in", **where) == 400 / 7
    assert cell(found, "per_problem", amount="cost_usd", **where) == 1
    assert list(found["amount"][:5]) == list(AMOUNTS)


def test_a_round_without_a_price_leaves_the_cost_undefined_and_is_counted() -> None:
    found = _spending(two_by_two(), cost=None)
    cost = found[found["amount"] == "cost_usd"]
    assert cost[["total", "per_problem", "per_million"]].isna().all(axis=None)
    assert cost["unpriced"].tolist() == [4] * 4
    assert cell(found, "unpriced", amount="tokens_in", ecology="solo", model="a") == 0


def test_a_trajectory_that_was_not_completed_is_not_spent_on() -> None:
    found = _spending([row for row in two_by_two() if row.market_id != "solo/P1/a"])
    assert cell(found, "total", amount="tokens_in", ecology="solo", model="a") == 200
    assert cell(found, "per_problem", amount="tokens_in", ecology="solo", model="a") == 200


def test_a_valuation_that_is_not_above_zero_has_no_price() -> None:
    found = _spending([replace(row, valuation=-1e6) for row in two_by_two()])
    assert found["per_million"].isna().all()
    assert not np.isnan(found["per_problem"]).any()
