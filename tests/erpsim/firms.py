"""Sales as a test wishes them, and rounds played with them, for the tests of a firm's books."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNEL_INDEX, SKU_INDEX
from erpsim.decision import Decision
from erpsim.offer import MarketReport, Offer, Sales
from erpsim.plan import Plan
from erpsim.planning import plan
from erpsim.problem import Problem
from erpsim.result import Settled
from erpsim.settlement import settle
from erpsim.state import FirmState
from erpsim.units import DAYS, IntArray

CELLS = ACTIVE.shape


class Cell(NamedTuple):
    """One day of one SKU in one channel."""

    day: int  # 1-based
    sku: str
    channel: str


def report() -> MarketReport:
    """A public report in which nothing happened."""
    none, figures = np.zeros(CELLS, dtype=np.int64), np.zeros(CELLS)
    return MarketReport(1, (0,), figures[None], figures[None], none, figures, figures, figures, none)


def sales(wishes: Mapping[Cell, int] | IntArray, offer: Offer) -> Sales:
    """Serve wishes, by cell or (30, 12, 3) units, from what the offer has on each day; nobody else sells."""
    demanded = np.zeros((DAYS, *CELLS), dtype=np.int64)
    if isinstance(wishes, np.ndarray):
        demanded[:] = wishes * ACTIVE
    else:
        for (day, sku, channel), units in wishes.items():
            demanded[day - 1, SKU_INDEX[sku], CHANNEL_INDEX[channel]] = units
    sold = np.zeros_like(demanded)
    stock = offer.opening_stock.copy()
    for day in range(DAYS):
        stock = stock + offer.arrivals[day]
        sold[day] = np.minimum(stock, demanded[day])
        stock = stock - sold[day]
    return Sales(demanded, sold, np.zeros_like(sold), demanded - sold, report())


class Played(NamedTuple):
    """A round as it was played."""

    plan: Plan
    sales: Sales
    settled: Settled


def play(
    state: FirmState, problem: Problem, decision: Decision, wishes: Mapping[Cell, int] | IntArray | None = None
) -> Played:
    """Play one round of an executable decision against given wishes."""
    planned = plan(state, problem, decision)
    sold = sales({} if wishes is None else wishes, planned.offer)
    return Played(planned, sold, settle(state, problem, planned, sold))
