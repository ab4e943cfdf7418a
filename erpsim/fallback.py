"""The decision that is executed when a policy gave none: keep prices, make again what was sold."""

from __future__ import annotations

import numpy as np

from erpsim.catalogue import CHANNEL_INDEX, CHANNELS_OF, MATERIALS, RECIPES, SKU_INDEX, SKUS
from erpsim.decision import Decision, ProductionItem, PurchaseOrder
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.state import NOTHING_ASKED
from erpsim.units import DAYS, IntArray


def fallback(observation: Observation) -> Decision:
    """Last round's prices; last round's sold volume per SKU in lots, in catalogue order; materials from vendor A.

    In round 1, list prices and each SKU's expected demand at list, all SKUs scaled alike to what the line can make
    after the longest delivery, so that a firm without decisions sells every SKU. No marketing, no finance.
    """
    items = _lots(_wanted(observation))
    made = np.zeros(len(SKUS), dtype=np.int64)
    for item in items:
        made[SKU_INDEX[item.sku]] += item.quantity
    rows = zip(CHANNELS_OF.items(), observation.prices.tolist(), strict=True)
    sections = {
        "prices": {sku: {channel: row[CHANNEL_INDEX[channel]] for channel in sold} for (sku, sold), row in rows},
        "production": tuple(items),
        "purchase_orders": tuple(_orders(made, observation)),
    }
    # The parts are valid as they are made, so the whole is not validated once more.
    return NOTHING_ASKED.model_copy(update=sections)


def _wanted(observation: Observation) -> IntArray:
    """Units to make by SKU, (12,): what was sold, or the market study before there are sales."""
    if observation.history:
        sold: IntArray = observation.history[-1].sold.sum(axis=1)
        return sold
    expected = observation.market_study.sum(axis=1) * DAYS
    scale = min(1.0, _makeable(observation) / expected.sum())
    wanted: IntArray = np.floor(expected * scale).astype(np.int64)
    return wanted


def _makeable(observation: Observation) -> float:
    """Units that the line makes when it waits for the longest delivery and then makes every SKU once."""
    longest_lead = observation.lead_ranges[0][1]
    hours = observation.capacity_hours * (1 - longest_lead / DAYS) - len(SKUS) * observation.setup_hours
    return max(0.0, hours) * observation.plant.capacity / 24


def _lots(wanted: IntArray) -> list[ProductionItem]:
    """Items in catalogue order; a rest below the smallest lot is left out."""
    items: list[ProductionItem] = []
    for sku, total in zip(SKUS, wanted.tolist(), strict=True):
        units = total
        while units >= RULES.lot_minimum:
            quantity = min(units, RULES.lot_maximum) // RULES.lot_step * RULES.lot_step
            items.append(ProductionItem(sku=sku, quantity=quantity))
            units -= quantity
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
