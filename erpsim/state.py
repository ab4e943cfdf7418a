"""What a firm is: its ERP state between two rounds. Rules take a state and give a new one; nobody edits it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from erpsim.cuts import Cut
from erpsim.decision import Decision
from erpsim.offer import MarketReport
from erpsim.units import FloatArray, IntArray

DUE_DAYS: Final = 60
"""Days ahead for which amounts due are kept: the longest delivery plus its term reaches day 33 of the next round."""
NOTHING_ASKED: Final = Decision()


@dataclass(frozen=True, slots=True)
class OpenOrder:
    """Material under way. `receipt_day` counts from day 1 of the round that comes next."""

    material: int  # material index n
    quantity: int  # kg or pieces
    receipt_day: int  # day of the coming round, 1-based; usable on that morning
    value: int  # cents
    prepaid: bool = False  # paid when it was placed


@dataclass(frozen=True, slots=True)
class Plant:
    """The line and what has been bought for it."""

    capacity: int  # units/day
    capacity_steps: int  # steps bought so far
    setup_cut: int  # hours cut so far from the 8 of the rules
    green_production: int  # steps
    green_fleet: int  # steps
    cost: int  # cents ever paid for plant; what is depreciated
    last_sku: int  # SKU index the line is set up for, -1 for none


@dataclass(frozen=True, slots=True)
class Credit:
    """What the bank set at the last round's close; it holds for the coming round."""

    company_risk: float  # fraction a year
    limit: int  # cents
    distressed: bool


@dataclass(frozen=True, eq=False, slots=True)
class RoundHistory:
    """One finished round as the firm remembers it."""

    round_number: int
    prices: FloatArray  # (12, 3) EUR/unit
    demanded: IntArray  # (12, 3) units in the round
    sold: IntArray  # (12, 3) units, received ones included
    received: IntArray  # (12, 3) units
    unmet: IntArray  # (12, 3) units
    produced: IntArray  # (12,) units
    marketing: int  # cents
    revenue: int  # cents
    cost_of_goods: int  # cents
    net_income: int  # cents
    dividends: int  # cents
    valuation: float  # EUR
    carbon_kg: tuple[float, float, float]  # kg by scope
    carbon_cost: int  # cents
    report: MarketReport
    decision: Decision = NOTHING_ASKED  # as executed
    cuts: tuple[Cut, ...] = ()  # what repair did not grant of the proposal
    fallback: bool = False  # no usable proposal came, and the fallback was executed


@dataclass(frozen=True, eq=False)
class FirmState:
    """One firm of one market, as it stands when `round_number` is about to be played."""

    seat: int  # 0-based
    round_number: int  # the coming round, 1-based; horizon + 1 when the game is over
    balances: IntArray  # (accounts,) cents, debits positive, income accounts at 0
    material_stock: IntArray  # (10,) kg or pieces
    material_value: IntArray  # (10,) cents
    goods_stock: IntArray  # (12, 3) units on sale on the morning of day 1
    goods_value: IntArray  # (12,) cents
    open_orders: tuple[OpenOrder, ...]
    receivables_due: IntArray  # (60,) cents due on day d + 1 of the coming rounds
    payables_due: IntArray  # (60,) cents, of goods received
    plant: Plant
    credit: Credit
    goodwill: FloatArray  # (12, 3) EUR/day
    service: FloatArray  # (3,) by channel
    prices: FloatArray  # (12, 3) EUR/unit of the last round; list prices before round 1
    profit_before_tax: int  # cents so far
    dividends_paid: int  # cents so far
    history: tuple[RoundHistory, ...]  # rounds 1 … round_number - 1
