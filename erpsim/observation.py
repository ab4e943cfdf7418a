"""What one firm may see when a round starts: its own books, the public report of the last round, and the news.

Never a rival's books, never text that a rival wrote, never the future: drawn leads, shocks and later prices are not
here. Neither a model, nor a policy, nor the ecology is named.
"""

from __future__ import annotations

from dataclasses import dataclass

from erpsim.decision import InvestmentKind
from erpsim.state import OpenOrder, Plant, RoundHistory
from erpsim.units import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class FinanceView:
    """Money, in cents unless said otherwise."""

    cash: int
    receivables: int
    payables: int
    tax_payable: int  # negative when an asset
    loan: int
    credit_limit: int
    equity: int
    company_risk: float  # fraction a year
    loan_rate: float  # fraction a year
    rating: str
    distressed: bool
    credit_frozen: bool  # no borrowing and no investment this round
    net_income: int  # so far
    dividends_paid: int  # so far
    valuation: float | None  # EUR at the last close; None before round 1
    collections_due: IntArray  # (30,) cents by day of this round, of sales made
    payments_due: IntArray  # (30,) cents by day of this round, of goods received, and tax


@dataclass(frozen=True)
class InvestmentOption:
    """One kind of investment that may still be bought."""

    kind: InvestmentKind
    steps_left: int | None  # None: no end
    step: int  # size of a step in the decision's unit
    next_cost: int  # cents of the next step


@dataclass(frozen=True, eq=False)
class Observation:
    """All that a policy is given to decide a round."""

    firm: str
    seat: int
    firms: tuple[str, ...]  # names by seat (all of them)
    round_number: int  # 1-based
    horizon: int
    news: tuple[str, ...]
    finance: FinanceView
    plant: Plant
    capacity_hours: float  # hours that the line works in this round
    setup_hours: float  # of a change of SKU in this round
    investments: tuple[InvestmentOption, ...]
    goods_stock: IntArray  # (12, 3) units
    goods_cost: FloatArray  # (12,) EUR/unit: moving average, or this round's material cost when there is no stock
    unit_cost: FloatArray  # (12,) EUR/unit of materials at this week's prices
    material_stock: IntArray  # (10,) kg or pieces
    open_orders: tuple[OpenOrder, ...]
    material_prices: FloatArray  # (6, 10) EUR by week of this round and material, vendor A
    lead_ranges: tuple[tuple[int, int], tuple[int, int]]  # (low, high) days by vendor
    prices: FloatArray  # (12, 3) EUR/unit charged in the last round
    list_prices: FloatArray  # (12,) EUR/unit
    price_band: tuple[float, float]  # allowed price as multiples of list
    goodwill: FloatArray  # (12, 3) EUR/day
    service: FloatArray  # (3,)
    market_study: FloatArray  # (12, 3) units/day that one firm sells when all ask list prices, an outside study
    carbon_price: float  # EUR/kg of this round
    history: tuple[RoundHistory, ...]  # own finished rounds, with the public report of each
