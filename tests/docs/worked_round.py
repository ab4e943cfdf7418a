"""The round that `docs/explanation/rules.md` works through: one firm alone, one lot of one SKU, thirty days."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from erpsim.decision import Decision, Finance, Investment, MarketingItem, ProductionItem, PurchaseOrder
from erpsim.events import Event
from erpsim.offer import Sales
from erpsim.plan import Plan
from erpsim.problem import MarketSettings, Opening, Problem
from erpsim.result import Settled
from erpsim.round import clear, open_firm, plan, repair, settle
from erpsim.state import FirmState

PROBLEM: Final = Problem(
    problem_id="WORKED",
    seed=1974,
    stratum="baseline",
    scenario="calm",
    horizon=1,
    opening=Opening(cash=3_000_000, loan=8_000_000),
    market=MarketSettings(size=1.0, trend=0.0, sensitivity=1.0, outside_share=0.25, material_level=1.0),
)

SKU: Final = "BLUEBERRY-1000"
CHANNEL: Final = "grocery"
UNITS: Final = 24_000
PRICE: Final = 6.00
ADVERTISING: Final = 3_000.0

DECISION: Final = Decision(
    prices={SKU: {CHANNEL: PRICE}},
    production=(ProductionItem(sku=SKU, quantity=UNITS, distribution={CHANNEL: 1.0}),),
    purchase_orders=(
        PurchaseOrder(material="blueberries", quantity=7_200, vendor="B", day=1),
        PurchaseOrder(material="wheat", quantity=8_400, vendor="B", day=1),
        PurchaseOrder(material="oats", quantity=8_400, vendor="B", day=1),
        PurchaseOrder(material="large_box", quantity=24_000, vendor="B", day=1),
        PurchaseOrder(material="large_bag", quantity=24_000, vendor="B", day=1),
    ),
    marketing=(MarketingItem(channel=CHANNEL, sku=SKU, amount=ADVERTISING),),
    finance=Finance(investments=(Investment(kind="setup_time", amount=1),)),
)


class Worked(NamedTuple):
    """Everything that the rules make of the round."""

    state: FirmState
    events: tuple[Event, ...]
    plan: Plan
    sales: Sales
    lost: int  # units that nobody served
    settled: Settled


def played() -> Worked:
    """Play the round by the rules' own code."""
    state = open_firm(PROBLEM, 0)
    repaired = repair(state, PROBLEM, DECISION)
    planned = plan(state, PROBLEM, repaired.decision)
    cleared = clear(PROBLEM, 1, [planned.offer])
    settled = settle(state, PROBLEM, planned, cleared.sales[0])
    return Worked(state, repaired.events, planned, cleared.sales[0], int(np.sum(cleared.books.lost)), settled)
