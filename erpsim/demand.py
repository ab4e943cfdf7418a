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


class Choice(NamedTuple):
    """One choice among open cells and the outside option, as weights on one scale by channel."""

    weight: FloatArray  # (F, 24) whole numbers; of a closed cell, what it would weigh if it were open
    outside: FloatArray  # (3,) whole numbers
    total: FloatArray  # (3,) open cells and outside option
    share: FloatArray  # (F, 24) of the total; of a closed cell, the share it would have if it alone opened


class Morning(NamedTuple):
    """What a market day starts from."""

    log_attraction: FloatArray  # (F, 24)
    log_outside: float
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


def choose(log_attraction: FloatArray, open_cells: npt.NDArray[np.bool_], log_outside: float) -> Choice:
    """Weigh the open cells of each channel against each other and the outside option.

    The largest of a channel is taken out before any exponential, so shares are finite whatever the attractions are, and
    the shares of open cells and outside option sum to 1.
    """
    n_firms = len(log_attraction)
    scale = 2.0 ** (_EXACT_BITS - (n_firms * ACTIVE.shape[0] + 1).bit_length())
    offered = np.where(open_cells, log_attraction, -np.inf)
    largest = np.maximum(np.maximum.reduceat(offered.max(axis=0), FIRST_CELL), log_outside)
    # A closed cell may be far above all that is on offer; its share is 1 long before its weight is cut.
    relative = np.minimum(log_attraction - largest[CHANNEL_OF_CELL], _LARGEST_LOG)
    weight = np.rint(np.exp(relative) * scale)
    outside = np.rint(np.exp(log_outside - largest) * scale)
    total = _by_channel(np.where(open_cells, weight, 0.0)) + outside
    share = weight / (total[CHANNEL_OF_CELL] + np.where(open_cells, 0.0, weight))
    return Choice(weight, outside, total, share)


def clear_day(morning: Morning) -> Evening:
    """Clear one day of all channels by water-filling.

    First every cell with stock this morning and the outside option share the potential; a cell sells what its stock
    allows. Then, twice, the unmet wishes of cells that sold out choose again among the cells that still have stock and
    the outside option; what is left is lost. A cell without stock books the wishes that it would have drawn as its own
    demand and takes nothing from anybody. Wishes become whole units by the floor of their sum over the round, so that
    no fraction drifts away; in the later passes by the floor.
    """
    stocked = morning.stock > 0
    choice = choose(morning.log_attraction, stocked, morning.log_outside)
    wished = morning.wished + morning.potential * choice.share
    demanded = (np.floor(wished) - np.floor(morning.wished)).astype(np.int64)
    first = np.minimum(demanded, morning.stock)
    unmet_sold_out = _by_channel(np.where(stocked, demanded - first, 0))
    received = np.zeros_like(first)
    looking = unmet_sold_out
    for _ in range(LATER_PASSES):
        if not looking.any():
            break
        served, looking = _choose_again(morning, morning.stock - first - received, looking)
        received += served
    return Evening(demanded, first, received, wished, unmet_sold_out, unmet_sold_out - _by_channel(received))


class _Pass(NamedTuple):
    served: IntArray  # (F, 24) units
    unmet: IntArray  # (3,) units that chose a cell which then sold out


def _choose_again(morning: Morning, stock: IntArray, looking: IntArray) -> _Pass:
    in_stock = stock > 0
    choice = choose(morning.log_attraction, in_stock, morning.log_outside)
    wish = np.where(in_stock, np.floor(looking[CHANNEL_OF_CELL] * choice.share), 0.0).astype(np.int64)
    served = np.minimum(wish, stock)
    return _Pass(served, _by_channel(wish - served))


def _by_channel(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Sum (F, 24) over firms and each channel's cells: (3,); exact for whole numbers, so in any order."""
    return np.add.reduceat(values.sum(axis=0), FIRST_CELL)
