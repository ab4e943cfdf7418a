"""The decision that is executed when a policy gave none: keep prices, make again what was sold."""

from __future__ import annotations

import math

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNELS, MATERIALS, RECIPES, SKUS
from erpsim.decision import Decision, ProductionItem, PurchaseOrder
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.units import DAYS, IntArray


def fallback(observation: Observation) -> Decision:
    """Last round's prices; last round's sold volume per SKU in lots, in catalogue order; materials from vendor A.

    In round 1, list prices and each SKU's expected demand at list. Items are made as far as the hours of the line go
    after the longest delivery, so that a fallback asks for nothing that it cannot have. No marketing, no finance.
    """
    items = _lots(_wanted(observation), observation)
    made = np.zeros(len(SKUS), dtype=np.int64)
    for item in items:
        made[SKUS.index(item.sku)] += item.quantity
    return Decision(
        prices={
            sku: {channel: float(observation.prices[j, k]) for k, channel in enumerate(CHANNELS) if ACTIVE[j, k]}
            for j, sku in enumerate(SKUS)
        },
        production=tuple(items),
        purchase_orders=tuple(_orders(made, observation)),
    )


def _wanted(observation: Observation) -> IntArray:
    """Units to make by SKU, (12,): what was sold, or the market study before there are sales."""
    if observation.history:
        sold: IntArray = observation.history[-1].sold.sum(axis=1)
        return sold
    expected: IntArray = np.floor(observation.market_study.sum(axis=1) * DAYS).astype(np.int64)
    return expected


def _lots(wanted: IntArray, observation: Observation) -> list[ProductionItem]:
    """Items in catalogue order while hours last; a rest below the smallest lot is left out."""
    longest_lead = observation.lead_ranges[0][1]
    hours = observation.capacity_hours * (1 - longest_lead / DAYS)
    units_per_hour = observation.plant.capacity / 24
    items: list[ProductionItem] = []
    for sku, total in zip(SKUS, wanted.tolist(), strict=True):
        units, setup = total, observation.setup_hours
        while units >= RULES.lot_minimum:
            fits = math.floor((hours - setup) * units_per_hour)
            quantity = min(units, RULES.lot_maximum, fits) // RULES.lot_step * RULES.lot_step
            if quantity < RULES.lot_minimum:
                break
            items.append(ProductionItem(sku=sku, quantity=quantity))
            hours -= setup + quantity / units_per_hour
            units -= quantity
            setup = 0.0
    return items


def _orders(made: IntArray, observation: Observation) -> list[PurchaseOrder]:
    """What the items need beyond stock and orders under way, from vendor A on day 1."""
    under_way = np.zeros(len(MATERIALS), dtype=np.int64)
    for order in observation.open_orders:
        under_way[order.material] += order.quantity
    missing = made @ RECIPES // 1000 - observation.material_stock - under_way
    return [
        PurchaseOrder(material=name, quantity=max(int(quantity), RULES.order_minimum))
        for name, quantity in zip(MATERIALS, missing.tolist(), strict=True)
        if quantity > 0
    ]
