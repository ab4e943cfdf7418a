"""Who buys what on one day: multiplicative competitive interaction with an outside option, cleared by water-filling.

Sources: Nakanishi and Cooper (1974) and Cooper and Nakanishi (1988) for the shares; the outside option is McFadden's.
Works on the 24 active cells (SKU and channel) of every firm, channel by channel, in arrays of shape (F, 24).

Attractions are kept in logs, and their weights are whole multiples of 2^-s of the largest one on offer. Sums of them
are exact in float64, so no result depends on the order of the firms: permuted seats give permuted results.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple, TypeVar

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

Number = TypeVar("Number", np.float64, np.int64)


class Weights(NamedTuple):
    """Attractions on one scale by day and channel, in whole numbers."""

    cells: FloatArray  # (…, F, 24) at least 0
    outside: FloatArray  # (…, 3) at least 1


class Morning(NamedTuple):
    """What a market day starts from."""

    weights: Weights  # (F, 24) and (3,)
    potential: FloatArray  # (24,) X ξ: units a day if a cell had all of its channel
    stock: IntArray  # (F, 24) units, this morning's arrivals included
    wished: FloatArray  # (F, 24) units wished so far in the round, with fractions


class Evening(NamedTuple):
    """What a market day came to, in whole units."""

    demanded: IntArray  # (F, 24) first choices, or latent demand of a cell without stock
    first: IntArray  # (F, 24) first choices served
    received: IntArray  # (F, 24) served from the unmet wishes of sold-out cells
    wished: FloatArray  # (F, 24) as in the morning, this day included
    unmet_sold_out: IntArray  # (3,) first choices of stocked cells that were not served
    lost: IntArray  # (3,) what of these nobody served


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
    highest = np.where(offered, log_attraction, -np.inf).max(axis=-2)
    largest = np.maximum(np.maximum.reduceat(highest, FIRST_CELL, axis=-1), log_outside)
    # A cell that is not offered may be far above all others; it would have all of a channel long before it is cut here.
    relative = np.minimum(log_attraction - largest[..., None, CHANNEL_OF_CELL], _LARGEST_LOG)
    outside = np.maximum(np.rint(np.exp(log_outside - largest) * scale), 1.0)
    return Weights(np.rint(np.exp(relative) * scale), outside)


def shares(weights: Weights, open_cells: npt.NDArray[np.bool_]) -> FloatArray:
    """Share of each open cell in its channel; of a closed cell, the share that it would have if it alone opened.

    The open cells' shares and the outside option's sum to 1 by channel. Takes (F, 24) and gives (F, 24).
    """
    total = _by_channel(weights.cells * open_cells) + weights.outside
    return weights.cells / (total[CHANNEL_OF_CELL] + weights.cells * ~open_cells)


def clear_day(morning: Morning) -> Evening:
    """Clear one day of all channels by water-filling.

    First every cell with stock this morning and the outside option share the potential; a cell sells what its stock
    allows. Then, twice, the unmet wishes of cells that sold out choose again among the cells that still have stock and
    the outside option; what is left is lost. A cell without stock books the wishes that it would have drawn as its own
    demand and takes nothing from anybody. Wishes become whole units by the floor of their sum over the round, so that
    no fraction drifts away; in the later passes by the floor.
    """
    stocked = morning.stock > 0
    wished = morning.wished + morning.potential * shares(morning.weights, stocked)
    # Casting drops the fraction, the floor of what is never negative.
    demanded = wished.astype(np.int64) - morning.wished.astype(np.int64)
    first = np.minimum(demanded, morning.stock)
    left = morning.stock - first
    looking = unmet_sold_out = _by_channel((demanded - first) * stocked)
    for _ in range(LATER_PASSES):
        if not looking.any():
            break
        looking, left = _choose_again(morning.weights, left, looking)
    received = morning.stock - first - left
    return Evening(demanded, first, received, wished, unmet_sold_out, unmet_sold_out - _by_channel(received))


class _Pass(NamedTuple):
    looking: IntArray  # (3,) units that chose a cell which then sold out
    left: IntArray  # (F, 24) units in stock


def _choose_again(weights: Weights, stock: IntArray, looking: IntArray) -> _Pass:
    open_weight = weights.cells * (stock > 0)
    drawn = looking / (_by_channel(open_weight) + weights.outside)
    wish = (open_weight * drawn[CHANNEL_OF_CELL]).astype(np.int64)
    served = np.minimum(wish, stock)
    return _Pass(_by_channel(wish - served), stock - served)


def _by_channel(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Sum (F, 24) over firms and each channel's cells: (3,); exact for whole numbers, so in any order."""
    return np.add.reduceat(np.add.reduce(values), FIRST_CELL)
