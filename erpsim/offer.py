"""The two messages of a round: a firm's Offer goes up to the market, its Sales come down."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from erpsim.units import FloatArray, IntArray, frozen


@dataclass(frozen=True, eq=False)
class Offer:
    """What one firm brings to market in one round; all that a market ever learns of it."""

    prices: FloatArray  # (12, 3) EUR/unit, whole cents; list price in inactive cells
    goodwill: FloatArray  # (30, 12, 3) EUR/day, goodwill after each day's spending
    opening_stock: IntArray  # (12, 3) units on sale on the morning of day 1
    arrivals: IntArray  # (30, 12, 3) units that arrive on the morning of each day; day 1 is 0
    service: FloatArray  # (3,) remembered fill rate by channel, service floor to 1


@dataclass(frozen=True, eq=False, slots=True)
class MarketReport:
    """What everybody may read about a round that is over.

    Up to 12 firms all are shown; beyond, `seats` are the reader's own and the five largest rivals, and the spread of
    all rivals stands in `rival_*`.
    """

    n_firms: int
    seats: tuple[int, ...]  # (S,) seats shown, ascending
    prices: FloatArray  # (S, 12, 3) EUR/unit
    shares: FloatArray  # (S, 12, 3) share of all firms' units in the cell, 0 when none were sold
    volume: IntArray  # (12, 3) units that all firms sold
    rival_price_mean: FloatArray  # (12, 3) EUR/unit over the reader's rivals
    rival_price_low: FloatArray  # (12, 3) EUR/unit
    rival_price_high: FloatArray  # (12, 3) EUR/unit
    rival_units: IntArray  # (12, 3) units that the reader's rivals sold


class CellTotals(NamedTuple):
    """Units of a whole round by cell, each (12, 3) and read-only."""

    demanded: IntArray
    sold: IntArray
    received: IntArray
    unmet: IntArray


@dataclass(frozen=True, eq=False)
class Sales:
    """What one firm sold in one round, in whole units, and the public report as this firm reads it."""

    demanded: IntArray  # (30, 12, 3) own wishes: first choices, or latent demand of an empty cell
    sold: IntArray  # (30, 12, 3) first choices served + received
    received: IntArray  # (30, 12, 3) taken over from cells that sold out
    unmet: IntArray  # (30, 12, 3) demanded - first choices served
    report: MarketReport

    @cached_property
    def by_cell(self) -> CellTotals:
        """Sums over the days; history, service and records all ask for them."""
        days = (self.demanded, self.sold, self.received, self.unmet)
        return CellTotals(*[frozen(np.add.reduce(units)) for units in days])


class MarketBooks(NamedTuple):
    """What the market itself keeps of a round, for checks: Σ unmet of sold-out cells = Σ received + lost."""

    unmet_sold_out: IntArray  # (30, 3) units
    lost: IntArray  # (30, 3) units
