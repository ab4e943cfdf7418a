"""Prices of one day's market between equal firms: the Nash equilibrium and the joint profit's, capacity kept.

The day is that of `erpsim.demand` with full shelves, no advertising, full service and no shocks. A firm that sets the
prices p_c of its cells in a channel earns X Σ s_c (p_c − m_c), and by the shares' derivatives the best prices fulfil

    p_c (1 − 1/b) = m_c + λ + Π,   Π = Σ s_c (p_c − m_c − λ) over its own cells of the channel,

with λ the worth of one more unit of capacity (Anderson, de Palma and Thisse 1992, *Discrete Choice Theory of Product
Differentiation*, ch. 7, for the logit; the same steps for attractions that are powers of the price). Equal firms have
equal prices in both solutions; a cartel is one owner of all firms' cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import brentq

from erpsim.catalogue import IS_FOOD, LIST_PRICES, RECIPES
from erpsim.conditions import conditions
from erpsim.demand import CHANNEL_OF_CELL, SKU_OF_CELL
from erpsim.exogenous import material_prices
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.units import DAYS, FloatArray, IntArray

SETUPS: Final = 12
"""Setups of a round that capacity is reckoned with: every SKU made once."""
DAMPING: Final = 0.8
"""Share of the way to the best response that is gone each time."""
TOLERANCE: Final = 1e-9
ITERATIONS: Final = 500


@dataclass(frozen=True, eq=False)
class Game:
    """One day's market between equal firms; K channels, C cells of a firm."""

    channel: IntArray  # (C,) channel of each cell
    list_price: FloatArray  # (C,) EUR/unit
    preference: FloatArray  # (C,)
    cost: FloatArray  # (C,) EUR/unit that varies with the unit
    potential: FloatArray  # (K,) units/day of all firms together
    exponent: FloatArray  # (K,)
    outside: float  # attraction of buying nothing, at least 0
    firms: int
    capacity: float  # units/day of a firm


class Solution(NamedTuple):
    """Equal prices of all firms."""

    prices: FloatArray  # (C,) EUR/unit
    units: FloatArray  # (C,) units/day of one firm
    profit: float  # EUR/day of one firm, before anything that is fixed
    shadow_price: float  # EUR that one more unit of capacity would be worth, 0 when it is spare


def day_of(problem: Problem, round_number: int, firms: int) -> Game:
    """The mean day of a problem's round (1-based) as a static game."""
    now = conditions(problem, round_number)
    hours = 24 * DAYS * now.hours_percent / 100 - SETUPS * (RULES.setup_hours + now.extra_setup_hours)
    return Game(
        channel=CHANNEL_OF_CELL,
        list_price=LIST_PRICES[SKU_OF_CELL],
        preference=now.preference[SKU_OF_CELL, CHANNEL_OF_CELL],
        cost=unit_costs(problem, round_number)[SKU_OF_CELL],
        potential=firms * now.potential * now.season.mean(),
        exponent=now.price_exponent,
        outside=firms * now.outside_share / (1 - now.outside_share),
        firms=firms,
        capacity=max(0.0, hours) * RULES.capacity / 24 / DAYS,
    )


def unit_costs(problem: Problem, round_number: int) -> FloatArray:
    """Materials at the round's mean prices of vendor A, freight and carbon of one more unit, (12,) EUR."""
    now = conditions(problem, round_number)
    materials = RECIPES @ material_prices(problem, round_number).mean(axis=0) / 1000
    cost: FloatArray = materials + RULES.freight + now.carbon_price * unit_carbon()
    return cost


def unit_carbon() -> FloatArray:
    """Carbon of making and delivering one more unit, (12,) kg."""
    food: FloatArray = RULES.carbon_food * RECIPES[:, IS_FOOD].sum(axis=1) / 1000
    return RULES.carbon_production + RULES.carbon_freight + food


def nash(game: Game) -> Solution:
    """The symmetric Nash equilibrium, by damped best responses from list prices.

    Raises:
        ArithmeticError: the best responses do not settle.
    """
    log_prices = np.log(game.list_price)
    for _ in range(ITERATIONS):
        rivals = game.outside + (game.firms - 1) * _by_channel(game, _attraction(game, np.exp(log_prices)))
        answer = best_response(game, rivals, copies=1)
        step = np.log(answer.prices) - log_prices
        if np.abs(step).max() < TOLERANCE:
            return answer
        log_prices = log_prices + DAMPING * step
    raise ArithmeticError(f"best responses did not settle within {ITERATIONS} rounds; the last step was {step}")


def cartel(game: Game) -> Solution:
    """The prices that give all firms together the most, with all their capacity."""
    return best_response(game, np.full(len(game.potential), game.outside), copies=game.firms)


def best_response(game: Game, rivals: FloatArray, copies: int) -> Solution:
    """The best prices of an owner of so many equal firms.

    Args:
        game: the day.
        rivals: (K,) attraction of everything else in each channel, above 0 where nothing else is.
        copies: firms of the owner, each with its own capacity.
    """

    def excess(shadow_price: float) -> float:
        return float(_units(game, _priced(game, rivals, copies, shadow_price), rivals, copies).sum()) - game.capacity

    shadow_price = 0.0
    if excess(0.0) > 0:
        high = 1.0
        while excess(high) > 0 and high < 1e3:
            high *= 2
        # Prices at their cap sell what they sell, whatever a unit is worth.
        shadow_price = brentq(excess, 0.0, high, xtol=1e-10) if excess(high) <= 0 else high
    prices = _priced(game, rivals, copies, shadow_price)
    units = _units(game, prices, rivals, copies)
    return Solution(prices, units, float(units @ (prices - game.cost)), float(shadow_price))


def _priced(game: Game, rivals: FloatArray, copies: int, shadow_price: float) -> FloatArray:
    """Prices that fulfil the first-order condition at a worth of capacity, channel by channel."""
    prices = np.empty(len(game.list_price))
    for k in range(len(game.potential)):
        prices[game.channel == k] = _channel_prices(_channel(game, k, shadow_price), float(rivals[k]), copies)
    return prices


class _Channel(NamedTuple):
    """An owner's cells in one channel, of one firm."""

    list_price: FloatArray  # (c,) EUR/unit
    preference: FloatArray  # (c,)
    cost: FloatArray  # (c,) EUR/unit, what a unit of capacity is worth in it
    exponent: float

    def at(self, margin: float) -> FloatArray:
        """Prices (c,) that a common margin calls for, within floor and cap."""
        wanted = (self.cost + margin) / (1 - 1 / self.exponent)
        held: FloatArray = np.clip(wanted, RULES.price_floor * self.list_price, RULES.price_cap * self.list_price)
        return held


def _channel(game: Game, k: int, shadow_price: float) -> _Channel:
    own = game.channel == k
    return _Channel(game.list_price[own], game.preference[own], game.cost[own] + shadow_price, game.exponent[k])


def _channel_prices(channel: _Channel, rivals: float, copies: int) -> FloatArray:
    """Prices (c,) at the margin Π that they bring about themselves."""

    def gap(margin: float) -> float:
        prices = channel.at(margin)
        pull = copies * channel.preference * (prices / channel.list_price) ** -channel.exponent
        return float(pull @ (prices - channel.cost) / (rivals + pull.sum())) - margin

    return channel.at(brentq(gap, -1e3, 1e3, xtol=1e-12))


def _units(game: Game, prices: FloatArray, rivals: FloatArray, copies: int) -> FloatArray:
    """Units a day of one of the owner's firms by cell."""
    pull = _attraction(game, prices)
    share: FloatArray = pull / (rivals + copies * _by_channel(game, pull))[game.channel]
    return share * game.potential[game.channel]


def _attraction(game: Game, prices: FloatArray) -> FloatArray:
    pull: FloatArray = game.preference * (prices / game.list_price) ** -game.exponent[game.channel]
    return pull


def _by_channel(game: Game, values: FloatArray) -> FloatArray:
    sums: FloatArray = np.bincount(game.channel, weights=values, minlength=len(game.potential)).astype(np.float64)
    return sums
