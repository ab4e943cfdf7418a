"""A genome at play: the rule decides, then the raw genes scale or replace parts of what it decided.

What is asked may be out of all bounds; the game's own repair grants what its rules allow.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ecologies.hunt.games import Decider
from ecologies.hunt.genome import FAMILIES, NEUTRAL, ROUNDS, Plan, decode
from ecologies.rules import decide_rule
from erpsim.catalogue import CHANNELS, SKU_INDEX
from erpsim.decision import (
    Decision,
    Finance,
    Investment,
    InvestmentKind,
    MarketingItem,
    ProductionItem,
    PurchaseOrder,
    Vendor,
)
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.units import DAYS, FloatArray, euros

PRICE_REACH: Final = 4.0
"""Largest factor on a price or on a channel's share, and its inverse the smallest."""
SCALE_REACH: Final = 3.0
"""Largest factor on quantities and budgets; the smallest is 0."""
ASKED_FROM: Final = 0.6
"""From this gene on an amount is asked in place of the rule's; below `LEFT_TO`, none is."""
LEFT_TO: Final = 0.4
DIVIDEND_LOW: Final = 4.0
DIVIDEND_HIGH: Final = 8.0
"""Dividends are asked from 10^4 to 10^8 EUR."""
CAPACITY_STEPS: Final = 6
SETUP_HOURS: Final = 5
GREEN_STEPS: Final = 3

Genes = dict[str, float]


def decider(genome: FloatArray) -> Decider:
    """The decider that a genome (genes,) describes; equal observations give equal decisions."""
    read = decode(genome)

    def decide(observation: Observation) -> Decision:
        return laid_over(decide_rule(read.rule, observation), observation, read)

    return decide


def laid_over(decision: Decision, observation: Observation, read: Plan) -> Decision:
    """Lay the genes of the observation's round over a rule's decision."""
    column = min(observation.round_number, ROUNDS) - 1
    genes: Genes = dict(zip(FAMILIES, read.raw[:, column].tolist(), strict=True))
    if all(gene == NEUTRAL for gene in genes.values()) and bool((read.sku == NEUTRAL).all()):
        return decision
    return decision.model_copy(
        update={
            "prices": _prices(decision, genes, read.sku),
            "production": _production(
                decision, scale(genes["production"]), PRICE_REACH ** (2 * genes["grocery_share"] - 1)
            ),
            "purchase_orders": _orders(decision, genes),
            "marketing": _marketing(decision, scale(genes["marketing"])),
            "finance": _finance(decision.finance, observation, genes),
        }
    )


def scale(gene: float) -> float:
    """Factor on a quantity: 0 at gene 0, 1 at 0.5, the reach at 1, straight between."""
    return 2 * gene if gene <= NEUTRAL else 1 + (SCALE_REACH - 1) * (2 * gene - 1)


def level(gene: float) -> float | None:
    """Share of what may be asked, 0 to 1; None where the rule's own amount stands."""
    if gene < LEFT_TO:
        return 0.0
    return None if gene < ASKED_FROM else (gene - ASKED_FROM) / (1 - ASKED_FROM)


def _prices(decision: Decision, genes: Genes, sku_genes: FloatArray) -> dict[str, dict[str, float]]:
    by_channel = {channel: PRICE_REACH ** (2 * genes[f"price_{channel}"] - 1) for channel in CHANNELS}
    by_sku = PRICE_REACH ** (2 * sku_genes - 1)
    return {
        sku: {channel: price * by_channel[channel] * float(by_sku[SKU_INDEX[sku]]) for channel, price in row.items()}
        for sku, row in decision.prices.items()
        if isinstance(row, dict)
    }


def _production(decision: Decision, factor: float, grocery: float) -> tuple[ProductionItem, ...]:
    return tuple(
        replace(
            item,
            quantity=round(item.quantity * factor / RULES.lot_step) * RULES.lot_step,
            distribution={
                channel: share * (grocery if channel == "grocery" else 1.0)
                for channel, share in (item.distribution or {}).items()
            },
        )
        for item in decision.production
    )


def _orders(decision: Decision, genes: Genes) -> tuple[PurchaseOrder, ...]:
    factor, gene = scale(genes["purchases"]), genes["vendor"]
    vendor: Vendor | None = "A" if gene < 1 / 3 else "B" if gene > 2 / 3 else None
    later = max(0, round((2 * genes["order_day"] - 1) * (DAYS - 1)))
    return tuple(
        replace(
            order,
            quantity=round(order.quantity * factor),
            vendor=vendor or order.vendor,
            day=min(DAYS, order.day + later),
        )
        for order in decision.purchase_orders
    )


def _marketing(decision: Decision, factor: float) -> tuple[MarketingItem, ...]:
    return tuple(replace(item, amount=round(item.amount * factor, 2)) for item in decision.marketing)


def _finance(finance: Finance, observation: Observation, genes: Genes) -> Finance:
    own = observation.finance
    borrow, repay, dividend = level(genes["borrow"]), level(genes["repay"]), level(genes["dividend"])
    changes: dict[str, Any] = {}
    if borrow is not None:
        changes["borrow"] = round(borrow * euros(max(0, own.credit_limit - own.loan)), 2)
    if repay is not None:
        changes["repay"] = round(repay * euros(max(0, min(own.cash, own.loan))), 2)
    if dividend is not None:
        exponent = DIVIDEND_LOW + dividend * (DIVIDEND_HIGH - DIVIDEND_LOW)
        changes["dividend"] = round(10.0**exponent, 2) if dividend else 0.0
    changes["investments"] = _investments(finance, genes)
    return replace(finance, **changes)


def _investments(finance: Finance, genes: Genes) -> tuple[Investment, ...]:
    asked: dict[InvestmentKind, tuple[float | None, int, int]] = {
        "capacity": (level(genes["capacity"]), CAPACITY_STEPS * RULES.capacity_step, RULES.capacity_step),
        "setup_time": (level(genes["setup"]), SETUP_HOURS, 1),
        "green_production": (level(genes["green"]), GREEN_STEPS, 1),
        "green_fleet": (level(genes["green"]), GREEN_STEPS, 1),
    }
    kept = [item for item in finance.investments if asked[item.kind][0] is None]
    made = [
        Investment(kind=kind, amount=round(share * most / step) * step)
        for kind, (share, most, step) in asked.items()
        if share
    ]
    return (*kept, *made)
