"""From an executed decision to a firm's round before any sale: what is bought, made, sent, spent and offered."""

from __future__ import annotations

from dataclasses import dataclass

from erpsim.cuts import Cut
from erpsim.decision import Decision
from erpsim.offer import Offer
from erpsim.procurement import Deliveries, Purchases
from erpsim.production import Schedule
from erpsim.units import IntArray


@dataclass(frozen=True)
class Investments:
    """Investments of one round, in steps or hours, and what they cost in cents."""

    capacity_steps: int
    capacity_cost: int  # capitalised
    setup_hours: int
    setup_cost: int  # expensed
    green_production: int
    green_fleet: int
    green_cost: int  # expensed


@dataclass(frozen=True)
class FinanceMoves:
    """Loan and dividend of one round, in cents, all on day 1."""

    borrow: int
    repay: int
    dividend: int


@dataclass(frozen=True, eq=False)
class Plan:
    """A firm's round as it is fixed before the market opens."""

    decision: Decision
    finance: FinanceMoves
    investments: Investments
    purchases: Purchases
    deliveries: Deliveries  # of old and new orders
    schedule: Schedule
    arrivals: IntArray  # (31, 12, 3) units arriving on each morning; 31 is day 1 of the next round
    sent: IntArray  # (30,) units sent to channels on each day
    marketing: IntArray  # (30,) cents spent on each day
    offer: Offer
    cuts: tuple[Cut, ...] = ()  # what repair did not grant of the proposal; remembered, never reckoned with
    fallback: bool = False  # no usable proposal came

    @property
    def receipts(self) -> IntArray:
        """Kg or pieces received on each morning, of old and new orders, (30, 10)."""
        return self.deliveries.quantities
