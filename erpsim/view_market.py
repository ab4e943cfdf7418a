"""What `get_market_prices` and `get_demand` answer, as plain data.

Prices and costs in EUR per unit, demand and sales in units a round unless the key says otherwise, shares as fractions.
Only cells are shown in which a channel sells the SKU's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNELS, CHANNELS_OF, SKUS
from erpsim.feasibility_prices import price_band
from erpsim.figures import ratio, rounded, rounded_rows, whole
from erpsim.observation import Observation
from erpsim.offer import MarketReport
from erpsim.parameters import RULES
from erpsim.state import RoundHistory
from erpsim.tool_arguments import Arguments
from erpsim.units import DAYS, FloatArray

Cell = tuple[int, int]
"""SKU and channel index."""
Table = list[list[Any]]
"""Figures by SKU and channel; lists, since views pick figures one by one."""

SMALLEST_MOVE: Final = 0.01
"""Log price change below which own history says nothing about price sensitivity."""

_SKU_OF: Final = np.nonzero(ACTIVE)[0]  # SKU index by active cell
_PLACES: Final = {(j, k): place for place, (j, k) in enumerate(np.argwhere(ACTIVE).tolist())}
"""Place of each active cell in what `ACTIVE` picks out of a table."""


def prices_view(observation: Observation, arguments: Arguments) -> dict[str, Any]:
    """Show own and rivals' prices.

    Keys: `report_round` (the round that the public report is about, null in round 1), `you`, `firms` (the firms shown,
    in the order of `prices` and `shares`; of a large market you and the largest rivals), `products` by SKU: `list`,
    `allowed` [lowest, highest], `material_cost` (this week's) and, in `channels`, by channel: `own` (last price),
    `margin` (own less material cost and freight), `index` (own over the rivals' mean), `rivals` [mean, low, high],
    `prices` and `shares` by firm (share of the units that all firms sold in the cell), `market_units`.
    """
    past = observation.history[-1] if observation.history else None
    seats = past.report.seats if past else (observation.seat,)
    cells = _compared(observation, past.report) if past else _own(observation)
    return {
        "round": observation.round_number,
        "report_round": past.round_number if past else None,
        "you": observation.firm,
        "firms": [observation.firms[seat] for seat in seats],
        "n_firms": len(observation.firms),
        "freight": RULES.freight,
        "products": {SKUS[j]: _product(observation, cells, j, _sold(j, arguments)) for j in arguments.skus},
    }


def demand_view(observation: Observation, arguments: Arguments) -> dict[str, Any]:
    """Show demand for own goods.

    Keys: `cells` by SKU and channel: `expected_at_list` (units a round that one of equal firms sells at list prices: an
    outside study of average tastes, season and trend left out), `elasticity` (an estimate from own history, which other
    firms' moves blur: change of log quantity over change of log price, null when the price hardly moved), `goodwill`
    (EUR/day), and `by_round` for the last `rounds` rounds, oldest first: `price`, `demanded`, `sold`, `received` (from
    rivals that sold out), `unmet`, `fill_rate`, `market_units`, `share`; `channels`: `service` (remembered fill rate)
    and the same by round; `total` by round.
    """
    past = [_volumes(one, observation.seat) for one in observation.history[-arguments.rounds :]]
    cells = {j: [(j, k) for k in _sold(j, arguments)] for j in arguments.skus}
    every_cell = [cell for row in cells.values() for cell in row]
    hints = _hints(observation)
    return {
        "round": observation.round_number,
        "days": DAYS,
        "cells": {SKUS[j]: {CHANNELS[cell[1]]: _demand(hints, past, cell) for cell in row} for j, row in cells.items()},
        "channels": {
            CHANNELS[k]: {
                "service": rounded(float(observation.service[k]), 4),
                "by_round": [_counts(one, [cell for cell in every_cell if cell[1] == k]) for one in past],
            }
            for k in arguments.channels
        },
        "total": [_counts(one, every_cell) for one in past],
    }


def elasticity(quantities: FloatArray, prices: FloatArray) -> FloatArray:
    """Own-price elasticity from a history: least squares through the origin on round-to-round log changes.

    E = Σ Δln q · Δln p / Σ (Δln p)², the estimator of log q = E log p + c over successive rounds; everything else that
    moved demand is in it, so it is a hint.

    Args:
        quantities: (rounds, …) units demanded, oldest first.
        prices: (rounds, …) EUR/unit.

    Returns:
        (…) elasticities, nan where no two rounds with demand differ in price by 1 % or more.
    """
    both = (quantities[1:] > 0) & (quantities[:-1] > 0)
    quantity_moves = both * np.diff(np.log(np.maximum(quantities, 1)), axis=0)
    price_moves = both * np.diff(np.log(prices), axis=0)
    moved = (np.abs(price_moves) >= SMALLEST_MOVE).any(axis=0)
    squares = (price_moves * price_moves).sum(axis=0)
    unknown = np.full(moved.shape, np.nan)
    slope: FloatArray = np.divide((quantity_moves * price_moves).sum(axis=0), squares, out=unknown, where=moved)
    return slope


def _sold(sku: int, arguments: Arguments) -> list[int]:
    """Channels asked for that sell the SKU."""
    sold = CHANNELS_OF[SKUS[sku]]
    return [k for k in arguments.channels if CHANNELS[k] in sold]


def _margins(observation: Observation) -> FloatArray:
    """EUR/unit by active cell: own price less material cost and freight."""
    margins: FloatArray = observation.prices[ACTIVE] - observation.unit_cost[_SKU_OF] - RULES.freight
    return margins


def _own(observation: Observation) -> list[dict[str, Any]]:
    """Own prices by active cell, when there is no report yet."""
    pairs = zip(observation.prices[ACTIVE].tolist(), _margins(observation).tolist(), strict=True)
    return [{"own": rounded(price, 2), "margin": rounded(margin, 4)} for price, margin in pairs]


def _compared(observation: Observation, report: MarketReport) -> list[dict[str, Any]]:
    """Own prices set against the rivals', by active cell."""
    own, mean = observation.prices[ACTIVE], report.rival_price_mean[ACTIVE]
    low, high = report.rival_price_low[ACTIVE], report.rival_price_high[ACTIVE]
    alone = report.n_firms == 1
    rows = zip(
        rounded_rows(np.vstack((own, mean, low, high, report.prices[:, ACTIVE])).T, 2),
        rounded_rows(np.vstack((_margins(observation), report.shares[:, ACTIVE])).T, 4),
        map(ratio, own.tolist(), mean.tolist(), repeat(3)),
        report.volume[ACTIVE].tolist(),
        strict=True,
    )
    return [
        {
            "own": euros[0],
            "margin": parts[0],
            "index": None if alone else index,
            "rivals": None if alone else euros[1:4],
            "prices": euros[4:],
            "shares": parts[1:],
            "market_units": volume,
        }
        for euros, parts, index, volume in rows
    ]


def _product(
    observation: Observation, cells: Sequence[dict[str, Any]], sku: int, channels: Sequence[int]
) -> dict[str, Any]:
    """One SKU in the channels that are shown; `cells` are by active cell."""
    return {
        "list": rounded(float(observation.list_prices[sku]), 2),
        "allowed": list(price_band(sku)),
        "material_cost": rounded(float(observation.unit_cost[sku]), 4),
        "channels": {CHANNELS[k]: cells[_PLACES[sku, k]] for k in channels},
    }


class _Volumes(NamedTuple):
    """A past round."""

    round_number: int
    prices: Table  # EUR/unit
    shares: Table  # own, fractions
    units: tuple[Table, ...]  # demanded, sold, received, unmet, sold by all firms


def _volumes(past: RoundHistory, seat: int) -> _Volumes:
    own_share = past.report.shares[past.report.seats.index(seat)]
    units = (past.demanded, past.sold, past.received, past.unmet, past.report.volume)
    return _Volumes(
        past.round_number, past.prices.tolist(), own_share.tolist(), tuple(table.tolist() for table in units)
    )


class _Hints(NamedTuple):
    """What is known of demand beside the past rounds."""

    at_list: Table  # units a round
    elasticity: Table  # nan where unknown
    goodwill: Table  # EUR/day


def _hints(observation: Observation) -> _Hints:
    past = observation.history
    quantities = np.array([one.demanded for one in past], dtype=np.float64).reshape(-1, *ACTIVE.shape)
    prices = np.array([one.prices for one in past], dtype=np.float64).reshape(-1, *ACTIVE.shape)
    at_list = (observation.market_study * DAYS).tolist()
    return _Hints(at_list, elasticity(quantities, prices).tolist(), observation.goodwill.tolist())


def _demand(hints: _Hints, past: Sequence[_Volumes], cell: Cell) -> dict[str, Any]:
    j, k = cell
    return {
        "expected_at_list": whole(hints.at_list[j][k]),
        "elasticity": rounded(hints.elasticity[j][k], 2),
        "goodwill": rounded(hints.goodwill[j][k], 2),
        "by_round": [
            {
                "price": rounded(one.prices[j][k], 2),
                **_shown(one.round_number, [table[j][k] for table in one.units]),
                "share": rounded(one.shares[j][k], 4),
            }
            for one in past
        ],
    }


def _counts(past: _Volumes, cells: Sequence[Cell]) -> dict[str, Any]:
    """Units of some cells together."""
    return _shown(past.round_number, [sum([table[j][k] for j, k in cells]) for table in past.units])


def _shown(round_number: int, units: Sequence[int]) -> dict[str, Any]:
    demanded, sold, received, unmet, market = units
    return {
        "round": round_number,
        "demanded": demanded,
        "sold": sold,
        "received": received,
        "unmet": unmet,
        "fill_rate": ratio(demanded - unmet, demanded, 4),
        "market_units": market,
    }
