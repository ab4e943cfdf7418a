"""One firm's round before its books, and what it came to: figures for the records, read off the closed books."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from erpsim.offer import Sales
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.state import FirmState, RoundHistory
from erpsim.units import FloatArray, IntArray


class Traded(NamedTuple):
    """One firm's round when the market has closed: all that its books are made of."""

    state: FirmState  # as the round found it
    problem: Problem  # fixes payment days and the carbon price
    plan: Plan  # what became of the executed decision in this state
    sales: Sales  # what the market sold of the plan's offer


@dataclass(frozen=True, eq=False)
class FirmRound:
    """One firm's finished round. Money in cents, balances at the round's end, rates as fractions."""

    history: RoundHistory  # what the firm remembers of it: prices, units, income, carbon, report
    moves: IntArray  # (30, accounts) cents, debits positive: the round's ledger
    valuation: float  # EUR
    valuation_zero_growth: float  # EUR
    net_income: int
    revenue: int
    cash: int
    loan: int
    equity: int
    rating: str
    company_risk: float
    dividends_paid: int  # so far
    capacity: int  # units/day in the coming round
    fill_rate: float  # Σ first choices served / Σ demanded; 1 when nothing was demanded
    units_sold: int
    units_lost: int  # own unmet demand
    goods_end: IntArray  # (12, 3) units after day 30's sales and before the next morning's arrivals
    carbon_kg: FloatArray  # (3,) kg by scope
    carbon_cost: int


@dataclass(frozen=True, eq=False)
class Settled:
    """A firm after a round: its new state, and what the round came to."""

    state: FirmState
    result: FirmRound
