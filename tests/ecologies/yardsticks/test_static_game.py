"""Solved day games against solutions that can be written down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ecologies.problems import shipped_panel
from ecologies.yardsticks.static_game import Game, best_response, cartel, day_of, nash
from erpsim.units import frozen


def duopoly(exponent: float, cost: float, outside: float, capacity: float = 1e9) -> Game:
    """Two firms with one cell each and 1,000 customers."""
    return Game(
        channel=frozen(np.array([0])),
        list_price=frozen(np.array([3.0])),
        preference=frozen(np.array([1.0])),
        cost=frozen(np.array([cost])),
        potential=frozen(np.array([1000.0])),
        exponent=frozen(np.array([exponent])),
        outside=outside,
        firms=2,
        capacity=capacity,
    )


def test_a_duopoly_without_an_outside_option_asks_b_over_b_less_two_times_cost() -> None:
    # Half the market each: p (1 - 1/b - 1/2) = m/2. With b = 4 and m = 1, p = 2.
    solved = nash(duopoly(exponent=4.0, cost=1.0, outside=0.0))
    assert solved.prices[0] == pytest.approx(2.0)
    assert solved.units[0] == pytest.approx(500.0)
    assert solved.profit == pytest.approx(500.0)
    assert solved.shadow_price == 0.0


def test_a_duopoly_with_an_outside_option() -> None:
    # At p = list = 3 both attract 1; with A0 = 1 each has s = 1/3. p (1 - 1/b) = m + s (p - m) at b = 3:
    # 2 = m + 1 - m/3, so m = 1.5.
    assert nash(duopoly(exponent=3.0, cost=1.5, outside=1.0)).prices[0] == pytest.approx(3.0)


def test_a_cartel_of_two() -> None:
    # At p = 3 both attract 1 together 2; with A0 = 2 they have half the market: (p - m)(1 - 1/2) = p/b at b = 3: m = 1.
    solved = cartel(duopoly(exponent=3.0, cost=1.0, outside=2.0))
    assert solved.prices[0] == pytest.approx(3.0)
    assert solved.units[0] == pytest.approx(250.0)


def test_capacity_sets_the_price_that_sells_it() -> None:
    # 200 of 1,000 each leaves 600 for the outside: A / (1 + 2 A) = 0.2, A = 1/3 = (p/3)^-3, p = 3 * 3^(1/3).
    game = duopoly(exponent=3.0, cost=1.5, outside=1.0, capacity=200.0)
    for solved in (nash(game), cartel(game)):
        assert solved.prices[0] == pytest.approx(3.0 * 3.0 ** (1 / 3))
        assert solved.units[0] == pytest.approx(200.0)
        assert solved.shadow_price > 0
    # What one unit more would bring: in Nash p (1 - 1/b) = m + λ + s (p - m - λ).
    price = 3.0 * 3.0 ** (1 / 3)
    expected = (price * 2 / 3 - 1.5 - 0.2 * (price - 1.5)) / 0.8
    assert nash(game).shadow_price == pytest.approx(expected)


def test_a_monopoly_price_is_kept_within_the_band() -> None:
    assert cartel(duopoly(exponent=2.0, cost=1.0, outside=1e-6)).prices[0] == pytest.approx(15.0)


def test_no_firm_gains_by_another_price_in_the_equilibrium_of_a_problem() -> None:
    game = replace(day_of(shipped_panel().problems[12], 1, 6), capacity=1e9)
    solved = nash(game)
    pull = game.preference * (solved.prices / game.list_price) ** -game.exponent[game.channel]
    rivals = (game.outside + 5 * np.bincount(game.channel, weights=pull, minlength=3)).astype(np.float64)

    def profit(prices: np.ndarray) -> float:
        own = game.preference * (prices / game.list_price) ** -game.exponent[game.channel]
        share = own / (rivals + np.bincount(game.channel, weights=own, minlength=3))[game.channel]
        return float((share * game.potential[game.channel]) @ (prices - game.cost))

    assert profit(solved.prices) == pytest.approx(solved.profit)
    for cell in range(0, 24, 5):
        for factor in (0.98, 1.02):
            moved = solved.prices.copy()
            moved[cell] *= factor
            assert profit(moved) < solved.profit


def test_a_best_response_is_its_own_best_response_at_the_equilibrium() -> None:
    game = day_of(shipped_panel().problems[0], 1, 6)
    solved = nash(game)
    pull = game.preference * (solved.prices / game.list_price) ** -game.exponent[game.channel]
    rivals = (game.outside + 5 * np.bincount(game.channel, weights=pull, minlength=3)).astype(np.float64)
    assert best_response(game, rivals, copies=1).prices == pytest.approx(solved.prices, rel=1e-6)
    assert solved.units.sum() == pytest.approx(game.capacity)
