"""What `get_market_prices` and `get_demand` answer, as plain data.

Prices and costs in EUR per unit, demand and sales in units a round unless the key says otherwise, shares as fractions.
Only cells are shown in which a channel sells the SKU's size.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNELS, SKUS
from erpsim.feasibility_prices import price_band
from erpsim.figures import Figure, ratio, rounded
from erpsim.observation import Observation
from erpsim.offer import MarketReport
from erpsim.parameters import RULES
from erpsim.state import RoundHistory
from erpsim.tool_arguments import Arguments
from erpsim.units import DAYS, FloatArray

SMALLEST_MOVE: Final = 0.01
"""Log price change below which own history says nothing about price sensitivity."""


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
    return {
        "round": observation.round_number,
        "report_round": past.round_number if past else None,
        "you": observation.firm,
        "firms": [observation.firms[seat] for seat in seats],
        "n_firms": len(observation.firms),
        "freight": RULES.freight,
        "products": {SKUS[j]: _product(observation, j, arguments.channels) for j in arguments.skus},
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
    past = observation.history[-arguments.rounds :]
    cells = np.zeros_like(ACTIVE)
    cells[np.ix_(arguments.skus, arguments.channels)] = True
    cells &= ACTIVE
    return {
        "round": observation.round_number,
        "days": DAYS,
        "cells": {
            SKUS[j]: {CHANNELS[k]: _demand(observation, past, j, k) for k in arguments.channels if cells[j, k]}
            for j in arguments.skus
        },
        "channels": {
            CHANNELS[k]: {
                "service": rounded(observation.service[k], 4),
                "by_round": [_volumes(one, cells & (np.arange(len(CHANNELS)) == k)) for one in past],
            }
            for k in arguments.channels
        },
        "total": [_volumes(one, cells) for one in past],
    }


def elasticity(quantities: FloatArray, prices: FloatArray) -> float | None:
    """Own-price elasticity from a history: least squares through the origin on round-to-round log changes.

    E = Σ Δln q · Δln p / Σ (Δln p)², the estimator of log q = E log p + c over successive rounds; everything else that
    moved demand is in it, so it is a hint.

    Args:
        quantities: (rounds,) units demanded, oldest first.
        prices: (rounds,) EUR/unit.

    Returns:
        The elasticity, None when no two rounds with demand differ in price by 1 % or more.
    """
    both = (quantities[1:] > 0) & (quantities[:-1] > 0)
    quantity_moves = np.diff(np.log(np.maximum(quantities, 1)))[both]
    price_moves = np.diff(np.log(prices))[both]
    if not (np.abs(price_moves) >= SMALLEST_MOVE).any():
        return None
    return float(quantity_moves @ price_moves / (price_moves @ price_moves))


def _product(observation: Observation, sku: int, channels: tuple[int, ...]) -> dict[str, Any]:
    return {
        "list": rounded(observation.list_prices[sku], 2),
        "allowed": list(price_band(sku)),
        "material_cost": rounded(observation.unit_cost[sku], 4),
        "channels": {CHANNELS[k]: _cell(observation, sku, k) for k in channels if ACTIVE[sku, k]},
    }


def _cell(observation: Observation, sku: int, channel: int) -> dict[str, Any]:
    own = float(observation.prices[sku, channel])
    view = {
        "own": rounded(own, 2),
        "margin": rounded(own - float(observation.unit_cost[sku]) - RULES.freight, 4),
    }
    if not observation.history:
        return view
    report = observation.history[-1].report
    mean, low, high = (
        float(figure[sku, channel])
        for figure in (report.rival_price_mean, report.rival_price_low, report.rival_price_high)
    )
    return view | {
        "index": ratio(own, mean, 3) if report.n_firms > 1 else None,
        "rivals": [rounded(mean, 2), rounded(low, 2), rounded(high, 2)] if report.n_firms > 1 else None,
        "prices": [rounded(price, 2) for price in report.prices[:, sku, channel]],
        "shares": [rounded(share, 4) for share in report.shares[:, sku, channel]],
        "market_units": int(report.volume[sku, channel]),
    }


def _demand(observation: Observation, past: tuple[RoundHistory, ...], sku: int, channel: int) -> dict[str, Any]:
    history = observation.history
    hint = elasticity(
        np.array([one.demanded[sku, channel] for one in history], dtype=np.float64),
        np.array([one.prices[sku, channel] for one in history], dtype=np.float64),
    )
    only = np.zeros_like(ACTIVE)
    only[sku, channel] = True
    return {
        "expected_at_list": rounded(observation.market_study[sku, channel] * DAYS, 0),
        "elasticity": None if hint is None else rounded(hint, 2),
        "goodwill": rounded(observation.goodwill[sku, channel], 2),
        "by_round": [
            {
                "price": rounded(one.prices[sku, channel], 2),
                **_volumes(one, only),
                "share": _share(one.report, observation.seat, sku, channel),
            }
            for one in past
        ],
    }


def _volumes(past: RoundHistory, cells: np.ndarray[Any, np.dtype[np.bool_]]) -> dict[str, Any]:
    demanded, unmet = int(past.demanded[cells].sum()), int(past.unmet[cells].sum())
    return {
        "round": past.round_number,
        "demanded": demanded,
        "sold": int(past.sold[cells].sum()),
        "received": int(past.received[cells].sum()),
        "unmet": unmet,
        "fill_rate": ratio(demanded - unmet, demanded, 4),
        "market_units": int(past.report.volume[cells].sum()),
    }


def _share(report: MarketReport, seat: int, sku: int, channel: int) -> Figure:
    return rounded(report.shares[report.seats.index(seat), sku, channel], 4)
