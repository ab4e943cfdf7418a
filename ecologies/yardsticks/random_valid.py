"""A policy without a thought: every part of its decision is drawn from what is allowed, and can be carried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ecologies.rule_finance import funds_of
from ecologies.rule_planner import line_of
from erpsim.catalogue import ACTIVE, CHANNELS, LIST_PRICES, MATERIALS, RECIPES, SKUS, VENDORS
from erpsim.decision import Decision, Finance, Investment, MarketingItem, ProductionItem, PurchaseOrder, Vendor
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.procurement import line_value, order_fee
from erpsim.production import schedule
from erpsim.proposal import Proposal
from erpsim.streams import stream
from erpsim.units import DAYS, euros

MARKETING_SHARE: Final = 0.1
"""Most of the money that orders leave that goes to the advertising of one channel."""

Items = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class RandomValid:
    """Draws prices over the whole band, lots, vendors, advertising, loan and investments; equal seeds, equal plays."""

    seed: int

    async def decide(self, observation: Observation) -> Proposal:
        """Propose a drawn decision; the draws depend on the seed, the round and the seat alone."""
        rng = stream(self.seed, observation.round_number, "random policy", observation.seat)
        return Proposal(random_decision(observation, rng))


def random_decision(observation: Observation, rng: np.random.Generator) -> Decision:
    """Draw a decision from what the observation allows."""
    vendor: Vendor = VENDORS[int(rng.integers(len(VENDORS)))]
    funds = funds_of(observation)
    items = _affordable(_items(observation, rng, vendor), observation, vendor, funds)
    orders = _orders(items, observation, vendor)
    left = max(0, funds - _cost(orders, observation))
    advertising = tuple(
        MarketingItem(channel=channel, amount=euros(int(left * rng.uniform(0, MARKETING_SHARE))))
        for channel in CHANNELS
    )
    left -= sum(round(item.amount * 100) for item in advertising)
    return Decision(
        prices=_prices(rng),
        production=tuple(ProductionItem(sku=SKUS[sku], quantity=units) for sku, units in items),
        purchase_orders=orders,
        marketing=advertising,
        finance=_finance(observation, rng, left),
    )


def _prices(rng: np.random.Generator) -> dict[str, float | dict[str, float]]:
    levels = rng.uniform(RULES.price_floor, RULES.price_cap, size=ACTIVE.shape) * LIST_PRICES[:, None]
    return {
        sku: {channel: round(float(levels[j, k]), 2) for k, channel in enumerate(CHANNELS) if ACTIVE[j, k]}
        for j, sku in enumerate(SKUS)
    }


def _items(observation: Observation, rng: np.random.Generator, vendor: Vendor) -> Items:
    """SKUs in any order with any lots, as far as the line makes them if deliveries take their longest."""
    lots = rng.integers(
        RULES.lot_minimum // RULES.lot_step, RULES.lot_maximum // RULES.lot_step, len(SKUS), endpoint=True
    )
    drawn = [(int(sku), int(lots[sku]) * RULES.lot_step) for sku in rng.permutation(len(SKUS))]
    receipts = np.zeros((DAYS, len(MATERIALS)), dtype=np.int64)
    latest = observation.lead_ranges[VENDORS.index(vendor)][1]
    if latest < DAYS:
        receipts[latest] = sum(RECIPES[sku] * units // 1000 for sku, units in drawn)
    made = schedule(drawn, line_of(observation, 0), observation.material_stock, receipts)
    granted = zip(drawn, made.outcomes, strict=True)
    return tuple((sku, outcome.granted) for (sku, _), outcome in granted if outcome.granted)


def _affordable(items: Items, observation: Observation, vendor: Vendor, funds: int) -> Items:
    while items and _cost(_orders(items, observation, vendor), observation) > funds:
        items = items[:-1]
    return items


def _orders(items: Items, observation: Observation, vendor: Vendor) -> tuple[PurchaseOrder, ...]:
    need = sum((RECIPES[sku] * units // 1000 for sku, units in items), np.zeros(len(MATERIALS), dtype=np.int64))
    short = need - observation.material_stock
    return tuple(
        PurchaseOrder(material=name, quantity=max(RULES.order_minimum, int(quantity)), vendor=vendor)
        for name, quantity in zip(MATERIALS, short, strict=True)
        if quantity > 0
    )


def _cost(orders: tuple[PurchaseOrder, ...], observation: Observation) -> int:
    # Two fees at most: one for food, one for packaging.
    fees = {order_fee(order.material, order.vendor) for order in orders}
    return sum(line_value(order, observation.material_prices) for order in orders) + sum(fees)


def _finance(observation: Observation, rng: np.random.Generator, left: int) -> Finance:
    own = observation.finance
    barred = own.distressed or own.credit_frozen
    credit = 0 if barred else max(0, own.credit_limit - own.loan)
    options = [option for option in observation.investments if option.next_cost <= left and not barred]
    chosen = options[int(rng.integers(len(options)))] if options and rng.random() < 0.5 else None
    investments = (Investment(kind=chosen.kind, amount=chosen.step),) if chosen else ()
    return Finance(borrow=euros(int(credit * rng.uniform())), investments=investments)
