"""One round of the market: Offers of all firms in, thirty days cleared, Sales and the public report out.

The market knows offers and the problem, and nothing else of a firm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from erpsim.catalogue import ACTIVE, CHANNELS, LIST_PRICES, SKUS
from erpsim.conditions import conditions
from erpsim.demand import (
    CHANNEL_OF_CELL,
    SKU_OF_CELL,
    Evenings,
    Offered,
    clear_days,
    log_attraction,
    log_outside_option,
    weigh,
)
from erpsim.errors import InvariantError
from erpsim.exogenous import demand_shocks
from erpsim.offer import MarketBooks, MarketReport, Offer, Sales
from erpsim.problem import Problem
from erpsim.units import DAYS, FloatArray, IntArray, cents_array, frozen

SHOWN_FIRMS: Final = 12
"""Up to so many firms a report shows all of them."""
LARGEST_RIVALS: Final = 5
"""In larger markets it shows the reader and so many rivals."""

_PLACE_OF_CELL: Final[IntArray] = frozen(SKU_OF_CELL * len(CHANNELS) + CHANNEL_OF_CELL)  # (24,) in a row of 36

Number = TypeVar("Number", np.float64, np.int64)


class Cleared(NamedTuple):
    """A round of one market."""

    sales: tuple[Sales, ...]  # in seat order
    books: MarketBooks


def clear(problem: Problem, round_number: int, offers: Sequence[Offer]) -> Cleared:
    """Clear the thirty days of a round; permuting the offers permutes the sales.

    Potential of a channel and day is X = N_k F size trend season, of a cell X times its shock.

    Args:
        problem: the problem that is played.
        round_number: 1-based.
        offers: one for each firm, in seat order, at least one.

    Raises:
        InvariantError: an offer holds a price or service level not above 0, or negative stock, arrivals or goodwill.
    """
    board = _checked(_board(offers))
    days = _evenings(problem, round_number, board)
    sold = _by_sku(days.first + days.received)
    demanded, received, unmet = _by_sku(days.demanded), _by_sku(days.received), _by_sku(days.demanded - days.first)
    reports = _reports(np.stack([offer.prices for offer in offers]), sold.sum(axis=1))
    sales = (Sales(*one) for one in zip(demanded, sold, received, unmet, reports, strict=True))
    return Cleared(tuple(sales), MarketBooks(frozen(days.unmet_sold_out), frozen(days.lost)))


class _Board(NamedTuple):
    prices: FloatArray  # (F, 24) EUR/unit
    goodwill: FloatArray  # (30, F, 24) EUR/day
    service: FloatArray  # (F, 24)
    stock: IntArray  # (F, 24) units before day 1
    arrivals: IntArray  # (30, F, 24) units


def _board(offers: Sequence[Offer]) -> _Board:
    """Lay all offers side by side, active cells only."""
    return _Board(
        prices=_by_cell(np.stack([offer.prices for offer in offers])),
        goodwill=_by_cell(np.stack([offer.goodwill for offer in offers], axis=1)),
        service=np.stack([offer.service for offer in offers])[:, CHANNEL_OF_CELL],
        stock=_by_cell(np.stack([offer.opening_stock for offer in offers])),
        arrivals=_by_cell(np.stack([offer.arrivals for offer in offers], axis=1)),
    )


def _checked(board: _Board) -> _Board:
    for name, values in board._asdict().items():
        lowest, highest = np.minimum.reduce(values, axis=None), np.maximum.reduce(values, axis=None)
        positive = name in ("prices", "service")
        # Not a number is neither above nor below anything.
        if not ((lowest > 0 if positive else lowest >= 0) and highest < np.inf):
            _refuse(name, values, positive)
    return board


_NAMES: Final = {
    "prices": "price",
    "goodwill": "goodwill",
    "service": "service level",
    "stock": "opening stock",
    "arrivals": "arrivals",
}


def _refuse(name: str, values: npt.NDArray[Number], positive: bool) -> NoReturn:
    good = ((values > 0) if positive else (values >= 0)) & (values < np.inf)
    seat, cell = np.argwhere(~good.reshape(-1, *good.shape[-2:]).all(axis=0))[0]
    place = f"{SKUS[SKU_OF_CELL[cell]]} in {CHANNELS[CHANNEL_OF_CELL[cell]]}"
    bound = "finite and above 0" if positive else "finite and at least 0"
    raise InvariantError(f"{_NAMES[name]} of seat {seat} for {place} must be {bound}; repair the decision first")


def _evenings(problem: Problem, round_number: int, board: _Board) -> Evenings:
    now, n_firms = conditions(problem, round_number), len(board.prices)
    attraction = log_attraction(now, board.prices, board.goodwill, board.service)
    offered = board.stock + np.add.reduce(board.arrivals) > 0
    weights = weigh(attraction, offered, log_outside_option(n_firms, now.outside_share))
    channel_potential = n_firms * now.potential * now.season[:, None]
    potential = channel_potential[:, CHANNEL_OF_CELL] * _by_cell(demand_shocks(problem, round_number))
    return clear_days(Offered(weights, potential, board.stock, board.arrivals))


def _by_cell(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Pick the active cells: (…, 12, 3) to (…, 24), laid out row by row as all that follows reads them."""
    return values.reshape(*values.shape[:-2], -1).take(_PLACE_OF_CELL, axis=-1)


def _by_sku(days: IntArray) -> IntArray:
    """Give every firm its own days: (30, F, 24) to (F, 30, 12, 3), read-only, inactive cells 0."""
    whole = np.zeros((days.shape[1], DAYS, *ACTIVE.shape), dtype=np.int64)
    whole[..., SKU_OF_CELL, CHANNEL_OF_CELL] = days.swapaxes(0, 1)
    return frozen(whole)


class _RivalPrices(NamedTuple):
    mean: FloatArray  # (F, 12, 3) EUR/unit
    low: FloatArray  # (F, 12, 3) EUR/unit
    high: FloatArray  # (F, 12, 3) EUR/unit


def _reports(prices: FloatArray, sold: IntArray) -> list[MarketReport]:
    """Report the round to each firm from prices and units sold, both (F, 12, 3)."""
    volume = frozen(sold.sum(axis=0))
    shares = frozen(np.divide(sold, volume, out=np.zeros(prices.shape), where=volume > 0))
    every_price, rivals, rival_units = frozen(prices.copy()), _rival_prices(prices), frozen(volume - sold)
    whole = len(prices) <= SHOWN_FIRMS
    return [
        MarketReport(
            n_firms=len(prices),
            seats=seats,
            prices=every_price if whole else frozen(prices[list(seats)]),
            shares=shares if whole else frozen(shares[list(seats)]),
            volume=volume,
            rival_price_mean=rivals.mean[seat],
            rival_price_low=rivals.low[seat],
            rival_price_high=rivals.high[seat],
            rival_units=rival_units[seat],
        )
        for seat, seats in enumerate(_shown_seats(prices, sold))
    ]


def _shown_seats(prices: FloatArray, sold: IntArray) -> list[tuple[int, ...]]:
    """Seats that each firm reads of: all, or its own and the rivals of the largest revenue; equal ones by content."""
    n_firms = len(prices)
    if n_firms <= SHOWN_FIRMS:
        return [tuple(range(n_firms))] * n_firms
    revenue = (cents_array(prices) * sold).sum(axis=(1, 2))
    ranked = sorted(range(n_firms), key=lambda seat: (-revenue[seat], prices[seat].tobytes(), sold[seat].tobytes()))
    largest = ranked[: LARGEST_RIVALS + 1]
    rivals = ([rival for rival in largest if rival != seat][:LARGEST_RIVALS] for seat in range(n_firms))
    return [tuple(sorted([seat, *shown])) for seat, shown in enumerate(rivals)]


def _rival_prices(prices: FloatArray) -> _RivalPrices:
    """Prices of all others for each firm; list prices when there is no other."""
    n_firms = len(prices)
    if n_firms == 1:
        alone = frozen(np.broadcast_to(LIST_PRICES[:, None], prices.shape).copy())
        return _RivalPrices(alone, alone, alone)
    whole = cents_array(prices)
    mean = (whole.sum(axis=0) - whole) / (100 * (n_firms - 1))
    ends = np.sort(prices, axis=0)
    low = np.where(prices == ends[0], ends[1], ends[0])
    high = np.where(prices == ends[-1], ends[-2], ends[-1])
    return _RivalPrices(frozen(mean), frozen(low), frozen(high))
