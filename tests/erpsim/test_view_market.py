from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from erpsim.tool_arguments import Arguments
from erpsim.view_market import demand_view, elasticity, prices_view
from tests.erpsim.histories import CELLS, PRICES, cell, past_round, public_report, seen, units

GROCERY = cell("NUT-500", "grocery")
ONLY = Arguments(skus=(0,), channels=(1,))


def priced(price: float) -> Any:
    prices = PRICES.copy()
    prices[GROCERY] = price
    return prices


def test_without_a_past_own_price_and_margin_are_told_alone() -> None:
    view = prices_view(seen(unit_cost=np.full(12, 0.9)), ONLY)
    assert (view["report_round"], view["firms"], view["n_firms"]) == (None, ["Almond"], 3)
    assert view["products"]["NUT-500"] == {
        "list": 3.9, "allowed": [1.17, 19.5], "material_cost": 0.9,
        "channels": {"grocery": {"own": 3.9, "margin": 2.95}},
    }  # fmt: skip


def test_prices_are_set_against_rivals() -> None:
    shares = np.zeros((3, *CELLS))
    shares[:, *GROCERY] = (0.5, 0.3, 0.2)
    report = public_report(
        prices=np.stack([priced(4.4), priced(3.8), priced(4.2)]),
        shares=shares,
        volume=units(NUT_500_grocery=1_000),
        rival_price_mean=priced(4.0),
        rival_price_low=priced(3.8),
        rival_price_high=priced(4.2),
    )
    view = prices_view(seen(past_round(report=report), prices=priced(4.4), unit_cost=np.full(12, 1.0)), ONLY)
    assert (view["report_round"], view["you"], view["firms"]) == (1, "Almond", ["Almond", "Barley", "Clover"])
    assert view["products"]["NUT-500"]["channels"]["grocery"] == {
        "own": 4.4, "margin": 3.35, "index": 1.1, "rivals": [4, 3.8, 4.2], "prices": [4.4, 3.8, 4.2],
        "shares": [0.5, 0.3, 0.2], "market_units": 1_000,
    }  # fmt: skip


def test_a_firm_alone_has_no_rivals_to_be_set_against() -> None:
    view = prices_view(seen(past_round(report=public_report(1))), ONLY)
    shown = view["products"]["NUT-500"]["channels"]["grocery"]
    assert (shown["index"], shown["rivals"], shown["prices"]) == (None, None, [3.9])


def test_a_large_market_shows_the_firms_of_its_report_only() -> None:
    report = replace(public_report(3), n_firms=20, seats=(0, 7, 13))
    view = prices_view(seen(past_round(report=report), firms=tuple(f"Firm {seat}" for seat in range(20))), ONLY)
    assert (view["firms"], view["n_firms"]) == (["Firm 0", "Firm 7", "Firm 13"], 20)


def test_demand_by_round_counts_what_was_wanted_sold_and_missed() -> None:
    shares = np.zeros((3, *CELLS))
    shares[0][GROCERY] = 0.25
    past = past_round(
        demanded=units(NUT_500_grocery=1_000, NUT_500_independent=50),
        sold=units(NUT_500_grocery=850),
        received=units(NUT_500_grocery=50),
        unmet=units(NUT_500_grocery=200, NUT_500_independent=50),
        report=public_report(shares=shares, volume=units(NUT_500_grocery=3_400)),
    )
    view = demand_view(seen(past, service=np.array([1.0, 0.9, 0.75])), Arguments(skus=(0,), channels=(1, 2)))
    counts = {"demanded": 1_000, "sold": 850, "received": 50, "unmet": 200, "fill_rate": 0.8, "market_units": 3_400}
    shown = view["cells"]["NUT-500"]["grocery"]
    assert shown["by_round"] == [{"price": 3.9, "round": 1, **counts, "share": 0.25}]
    assert view["channels"]["grocery"] == {"service": 0.9, "by_round": [{"round": 1, **counts}]}
    assert view["channels"]["independent"]["by_round"][0]["fill_rate"] == 0
    assert (view["total"][0]["demanded"], view["total"][0]["unmet"]) == (1_050, 250)


def test_the_first_round_has_the_market_study_alone() -> None:
    view = demand_view(seen(), ONLY)
    assert view["cells"]["NUT-500"]["grocery"] == {
        "expected_at_list": 38_472, "elasticity": None, "goodwill": 0, "by_round": []
    }  # fmt: skip
    assert view["total"] == []


def test_rounds_shows_so_many_of_the_last() -> None:
    observation = seen(past_round(1), past_round(2), past_round(3))
    view = demand_view(observation, Arguments(skus=(0,), rounds=2))
    assert [row["round"] for row in view["cells"]["NUT-500"]["grocery"]["by_round"]] == [2, 3]


def test_the_elasticity_hint_comes_from_own_history() -> None:
    """A price up by a tenth that takes a fifth of demand: ln 0.8 / ln 1.1 = −2.34."""
    rounds = [
        past_round(1, prices=priced(4.0), demanded=units(NUT_500_grocery=1_000)),
        past_round(2, prices=priced(4.4), demanded=units(NUT_500_grocery=800)),
    ]
    assert demand_view(seen(*rounds), ONLY)["cells"]["NUT-500"]["grocery"]["elasticity"] == -2.34


def test_the_elasticity_of_two_moves_is_their_least_squares_slope() -> None:
    """Log moves of price 0.1 and −0.2, of quantity −0.3 and 0.4: (−0.03 − 0.08) / (0.01 + 0.04) = −2.2."""
    prices = np.exp(np.array([1.0, 1.1, 0.9]))
    quantities = np.exp(np.array([9.0, 8.7, 9.1]))
    assert elasticity(quantities, prices) == pytest.approx(-2.2)


@pytest.mark.parametrize(
    ("quantities", "prices"),
    [([], []), ([100.0], [4.0]), ([100.0, 90.0], [4.0, 4.03]), ([0.0, 90.0], [4.0, 5.0]), ([90.0, 0.0], [4.0, 5.0])],
)
def test_a_price_that_hardly_moved_identifies_nothing(quantities: list[float], prices: list[float]) -> None:
    assert np.isnan(elasticity(np.array(quantities), np.array(prices)))


def test_what_a_firm_asks_now_is_not_in_the_hint() -> None:
    observation = seen(past_round(1, demanded=units(NUT_500_grocery=1_000)))
    moved = replace(observation, prices=priced(6.0))
    assert demand_view(moved, ONLY)["cells"]["NUT-500"]["grocery"]["elasticity"] is None
