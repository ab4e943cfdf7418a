"""Who buys what on one day: multiplicative competitive interaction with an outside option, cleared by water-filling.

Sources: Nakanishi and Cooper (1974) and Cooper and Nakanishi (1988) for the shares; the outside option is McFadden's.
Works on the 24 active cells (SKU and channel) of every firm, channel by channel, in arrays of shape (F, 24).

Attractions are kept in logs, and their weights are whole multiples of 2^-s of the largest one on offer. Sums of them
are exact in float64, so no result depends on the order of the firms: permuted seats give permuted results.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from erpsim.catalogue import ACTIVE, LIST_PRICES
from erpsim.conditions import Conditions
from erpsim.parameters import RULES
from erpsim.units import FloatArray, IntArray, frozen

CHANNEL_OF_CELL: Final[IntArray] = frozen(np.nonzero(ACTIVE.T)[0])  # (24,) ascending
SKU_OF_CELL: Final[IntArray] = frozen(np.nonzero(ACTIVE.T)[1])  # (24,)
FIRST_CELL: Final[IntArray] = frozen(np.searchsorted(CHANNEL_OF_CELL, np.arange(ACTIVE.shape[1])))  # (3,)

LATER_PASSES: Final = 2
"""How often the unmet wishes of sold-out cells choose again."""
_EXACT_BITS: Final = 53
_LARGEST_LOG: Final = 600.0

# Amounts by cell @ _SAME_CHANNEL are the sums over each cell's channel.
_SAME_CHANNEL: Final[FloatArray] = frozen((CHANNEL_OF_CELL[:, None] == CHANNEL_OF_CELL).astype(np.float64))  # (24, 24)


class Weights(NamedTuple):
    """Attractions on one scale by day and channel, in whole numbers."""

    cells: FloatArray  # (…, F, 24) at least 0
    outside: FloatArray  # (…, 3) at least 1


class Offered(NamedTuple):
    """What a row of market days starts from; D days, as a rule the thirty of a round."""

    weights: Weights  # (D, F, 24) and (D, 3)
    potential: FloatArray  # (D, 24) X ξ: units a day if a cell had all of its channel
    stock: IntArray  # (F, 24) units before the first day
    arrivals: IntArray  # (D, F, 24) units that come in before the day's sales


class Evenings(NamedTuple):
    """What market days came to, in whole units."""

    demanded: IntArray  # (D, F, 24) first choices, or latent demand of a cell without stock
    first: IntArray  # (D, F, 24) first choices served
    received: IntArray  # (D, F, 24) served from the unmet wishes of sold-out cells
    unmet_sold_out: IntArray  # (D, 3) first choices of stocked cells that were not served
    lost: IntArray  # (D, 3) what of these nobody served


def log_attraction(now: Conditions, prices: FloatArray, goodwill: FloatArray, service: FloatArray) -> FloatArray:
    """Log attraction: ln a − b ln(p / list) + c ln(1 + G / G0) + h ln q.

    Args:
        now: the round's conditions.
        prices: (F, 24) EUR/unit, above 0.
        goodwill: (30, F, 24) EUR/day, at least 0.
        service: (F, 24) remembered fill rate, above 0.

    Returns:
        (30, F, 24) by day, firm and cell.
    """
    preference = np.log(now.preference[SKU_OF_CELL, CHANNEL_OF_CELL])
    price = now.price_exponent[CHANNEL_OF_CELL] * np.log(prices / LIST_PRICES[SKU_OF_CELL])
    advertising = now.goodwill_exponent[CHANNEL_OF_CELL] * np.log1p(goodwill / now.goodwill_scale[CHANNEL_OF_CELL])
    return (preference - price + RULES.service_exponent * np.log(service)) + advertising


def log_outside_option(n_firms: int, outside_share: float) -> float:
    """Log attraction of buying nothing: ln(F s0 / (1 − s0)), so that a market keeps its inside share whatever F is."""
    return math.log(n_firms * outside_share / (1 - outside_share))


def weigh(log_attraction: FloatArray, offered: npt.NDArray[np.bool_], log_outside: float) -> Weights:
    """Bring log attractions to weights, with the largest of each day and channel taken out before any exponential.

    Args:
        log_attraction: (…, F, 24), finite.
        offered: (F, 24) whether the cell has any stock in the round; others never set the scale.
        log_outside: log attraction of the outside option.

    Returns:
        Weights whose sums over offered cells and the outside option are exact in float64. What is too weak for the
        scale weighs nothing; the outside option always weighs something, so that a total is never 0.
    """
    scale = 2.0 ** (_EXACT_BITS - (log_attraction.shape[-2] * ACTIVE.shape[0] + 1).bit_length())
    highest = np.maximum.reduce(np.where(offered, log_attraction, -np.inf), axis=-2)
    largest = np.maximum(np.maximum.reduceat(highest, FIRST_CELL, axis=-1), log_outside)
    # A cell that is not offered may be far above all others; it would have all of a channel long before it is cut here.
    cells = np.minimum(log_attraction - largest[..., None, CHANNEL_OF_CELL], _LARGEST_LOG)
    np.exp(cells, out=cells)
    cells *= scale
    return Weights(np.rint(cells, out=cells), np.maximum(np.rint(np.exp(log_outside - largest) * scale), 1.0))


def shares(weights: FloatArray, outside: FloatArray, open_cells: FloatArray) -> FloatArray:
    """Share of each open cell in its channel; of a closed cell, the share that it would have if it alone opened.

    The open cells' shares and the outside option's sum to 1 by channel.

    Args:
        weights: (F, 24), of `Weights`.
        outside: (24,) the outside option's weight in each cell's channel.
        open_cells: (F, 24) 1 or 0.

    Returns:
        (F, 24) fractions.
    """
    counted = weights * open_cells
    total = weights - counted
    total += _channel_sum(counted) + outside
    return np.divide(weights, total, out=total)


def clear_days(offered: Offered) -> Evenings:
    """Clear days one after the other, all channels at once, by water-filling.

    First every cell with stock this morning and the outside option share the potential; a cell sells what its stock
    allows. Then, twice, the unmet wishes of cells that sold out choose again among the cells that still have stock and
    the outside option; what is left is lost. A cell without stock books the wishes that it would have drawn as its own
    demand and takes nothing from anybody. Wishes become whole units by the floor of their sum over the days, so that
    no fraction drifts away; in the later passes by the floor.
    """
    weights, outside = offered.weights.cells, offered.weights.outside[:, CHANNEL_OF_CELL]
    # Whole numbers as floats, which hold them exactly: numpy converts nothing on the way.
    arrivals, left = offered.arrivals.astype(np.float64), offered.stock.astype(np.float64)
    mornings, demanded, first, evenings = (np.empty(weights.shape) for _ in range(4))
    unmet = np.empty(outside.shape)
    wished, whole = np.zeros(left.shape), np.zeros(left.shape)
    days = zip(offered.potential, weights, outside, arrivals, mornings, demanded, first, evenings, unmet, strict=True)
    for potential, cells, nothing, arriving, stock, wishes, served, evening, unserved in days:
        np.add(left, arriving, out=stock)
        stocked = np.sign(stock)
        wish = shares(cells, nothing, stocked)
        wish *= potential
        wished += wish
        whole_before, whole = whole, np.floor(wished)
        np.subtract(whole, whole_before, out=wishes)
        np.minimum(wishes, stock, out=served)
        left = np.subtract(stock, served)
        stocked *= wishes - served
        looking = unserved[:] = _channel_sum(stocked)
        for _ in range(LATER_PASSES):
            if not np.count_nonzero(looking):
                break
            looking, left = _choose_again(cells, nothing, looking, left)
        evening[:] = left
    received = mornings - first - evenings
    lost = unmet - np.add.reduce(received, axis=1) @ _SAME_CHANNEL
    whole_units = (
        values.astype(np.int64) for values in (demanded, first, received, unmet[:, FIRST_CELL], lost[:, FIRST_CELL])
    )
    return Evenings(*whole_units)


class _Pass(NamedTuple):
    looking: FloatArray  # (24,) units that chose a cell of this one's channel which then sold out
    left: FloatArray  # (F, 24) units in stock


def _choose_again(weights: FloatArray, outside: FloatArray, looking: FloatArray, stock: FloatArray) -> _Pass:
    wishes = weights * np.sign(stock)
    wishes *= looking / (_channel_sum(wishes) + outside)
    np.floor(wishes, out=wishes)
    served = np.minimum(wishes, stock)
    wishes -= served
    return _Pass(_channel_sum(wishes), stock - served)


@lru_cache(maxsize=64)
def _ones(n_firms: int) -> FloatArray:
    return frozen(np.ones(n_firms))


def _channel_sum(values: FloatArray) -> FloatArray:
    """Sum (F, 24) whole numbers over firms and over each cell's channel, (24,); exact, so in any order."""
    # A product with ones takes a quarter of the time of a sum, and dot a third of the time of @.
    sums: FloatArray = _ones(len(values)).dot(values).dot(_SAME_CHANNEL)
    return sums
