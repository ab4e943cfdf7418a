"""A rule's material requirements planning: what to make in two cycles, what to order on three days.

Materials in stock and under way count, deliveries are expected at their latest, and the very schedule that the line
follows is worked through beforehand, so that a plan asks for nothing that the round cannot give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ecologies.rule_parameters import RuleParameters
from erpsim.catalogue import ACTIVE, MATERIALS, RECIPES, SKUS, VENDORS
from erpsim.decision import PurchaseOrder
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.procurement import line_value, order_fee, order_key
from erpsim.production import UNIT_TICKS, Line, day_ticks, schedule
from erpsim.units import DAYS, FloatArray, IntArray

ORDER_DAYS: Final = (1, 11, 21)
CYCLES: Final = 2
ORDER_STEP: Final = 100
"""Purchase quantities are whole hundreds."""
ATTEMPTS: Final = 12
"""Times a plan that money does not cover is made smaller, before nothing is ordered."""
AHEAD: Final = 90
"""Mornings looked at: this round's, and as many as any delivery can take."""


@dataclass(frozen=True, eq=False)
class SupplyPlan:
    """What a rule makes and buys in a round."""

    items: tuple[tuple[int, int], ...]  # (SKU index, units) in the order of the line
    orders: tuple[PurchaseOrder, ...]
    cost: int  # cents of the orders and their fees


def line_of(observation: Observation, setup_cut: int) -> Line:
    """The line of the round, with setup hours cut further by an investment."""
    percent = round(100 * observation.capacity_hours / (24 * DAYS))
    plant = observation.plant
    return Line(plant.capacity, percent, round(observation.setup_hours) - setup_cut, plant.last_sku)


def capacity_of(line: Line, runs: int) -> int:
    """Units that the line can make in a round with so many setups."""
    hours = 24 * DAYS * line.hours_percent / 100 - runs * line.setup_hours
    return max(0, math.floor(hours * line.capacity / 24))


def supply_plan(
    parameters: RuleParameters, observation: Observation, demand: FloatArray, line: Line, funds: int
) -> SupplyPlan:
    """Plan production and purchases.

    Args:
        parameters: the manager.
        observation: the round's.
        demand: (12, 3) units expected in the round.
        line: the round's line.
        funds: cents that orders may come to.
    """
    wanted = _wanted(parameters, observation, demand)
    days_ahead = 0.0 if observation.round_number == observation.horizon else parameters.material_days
    for _ in range(ATTEMPTS):
        items = _items(wanted, observation, demand, line)
        orders = _orders(observation, _need(items, line, days_ahead))
        cost = _cost(orders, observation)
        if cost <= funds:
            break
        # Short of money, a rule first gives up materials for the next round, then goods of this one.
        wanted = wanted if days_ahead else wanted * min(0.95, max(0.1, funds / cost))
        days_ahead = 0.0
    else:
        return SupplyPlan((), (), 0)
    sure = _sure(items, orders, observation, line)
    if sure != items:
        # What could not be made even so needs no materials: order for the rest alone.
        orders = _orders(observation, _need(sure, line, days_ahead))
        sure = _sure(sure, orders, observation, line)
    return SupplyPlan(sure, orders, _cost(orders, observation))


def _sure(
    items: Sequence[tuple[int, int]], orders: Sequence[PurchaseOrder], observation: Observation, line: Line
) -> tuple[tuple[int, int], ...]:
    """Items as far as the line makes them even if every delivery takes its longest."""
    made = schedule(items, line, observation.material_stock, _late_receipts(observation, orders))
    granted = ((sku, outcome.granted) for (sku, _), outcome in zip(items, made.outcomes, strict=True))
    return tuple(item for item in granted if item[1])


def _wanted(parameters: RuleParameters, observation: Observation, demand: FloatArray) -> FloatArray:
    """Units to make by SKU: expected sales and closing stock less goods in stock, (12,)."""
    last = observation.round_number == observation.horizon
    closing = 0.0 if last else parameters.closing_days / DAYS
    # Goods in one channel serve no other: what a cell has too much is no help elsewhere.
    wanted = np.maximum(0.0, demand * (parameters.fill_target + closing) - observation.goods_stock)
    total: FloatArray = np.where(ACTIVE, wanted, 0.0).sum(axis=1)
    return total


def _items(wanted: FloatArray, observation: Observation, demand: FloatArray, line: Line) -> tuple[tuple[int, int], ...]:
    """Lots by cycle: large quantities in both cycles, small ones in one; scarce goods first."""
    lots = _lots(wanted, line).tolist()
    cover = observation.goods_stock.sum(axis=1) / np.maximum(demand.sum(axis=1), 1.0)
    order = sorted(range(len(SKUS)), key=lambda sku: (sku != line.last_sku, round(float(cover[sku]), 3), sku))
    cycles: list[list[tuple[int, int]]] = [[] for _ in range(CYCLES)]
    load = [0, 0]
    for sku in order:
        if lots[sku] >= CYCLES * RULES.lot_minimum:
            half = lots[sku] // RULES.lot_step // CYCLES * RULES.lot_step
            parts = [min(lots[sku] - half, RULES.lot_maximum), min(half, RULES.lot_maximum)]
        else:
            first = cover[sku] < 0.25 or load[0] <= load[1]
            parts = [lots[sku], 0] if first else [0, lots[sku]]
        for cycle, part in enumerate(parts):
            load[cycle] += part
            cycles[cycle] += [(sku, part)] if part else []
    return (*cycles[0], *cycles[1])


def _lots(wanted: FloatArray, line: Line) -> IntArray:
    """Whole lots by SKU that fit the line, scaled down together when they do not, (12,)."""
    scale = 1.0
    lots = np.zeros(len(SKUS), dtype=np.int64)
    for _ in range(30):
        units = scale * wanted
        lots = np.floor(units / RULES.lot_step).astype(np.int64) * RULES.lot_step
        lots = np.where(units < RULES.lot_minimum, np.where(units >= RULES.lot_minimum / 2, RULES.lot_minimum, 0), lots)
        lots = np.minimum(lots, CYCLES * RULES.lot_maximum)
        runs = int((lots > 0).sum() + (lots >= CYCLES * RULES.lot_minimum).sum())
        room = capacity_of(line, runs)
        if lots.sum() <= room:
            break
        scale *= max(0.5, min(0.99, room / max(1, int(lots.sum()))))
    return lots


def _need(items: Sequence[tuple[int, int]], line: Line, days_ahead: float) -> IntArray:
    """Materials needed so far by morning, (90, 10): each run's when it starts, then the next round's first days'."""
    daily = np.zeros((AHEAD, len(MATERIALS)), dtype=np.int64)
    clock, sku_before = 0, line.last_sku
    for sku, units in items:
        clock += line.setup_hours * line.capacity * (sku != sku_before)
        daily[min(DAYS - 1, clock // max(1, day_ticks(line)))] += RECIPES[sku] * units // 1000
        clock, sku_before = clock + UNIT_TICKS * units, sku
    daily[DAYS] = np.ceil(days_ahead / DAYS * daily.sum(axis=0)).astype(np.int64)
    return np.cumsum(daily, axis=0)


def _orders(observation: Observation, need: IntArray) -> tuple[PurchaseOrder, ...]:
    """Order what stock and deliveries under way do not cover: from A when that is in time, else from B."""
    slow, fast = observation.lead_ranges[0][1], observation.lead_ranges[1][1]
    arriving = _under_way(observation)
    orders: list[PurchaseOrder] = []
    for index, day in enumerate(ORDER_DAYS):
        by_fast, by_slow = day + fast - 1, day + slow - 1
        by_next = ORDER_DAYS[index + 1] + slow - 1 if index + 1 < len(ORDER_DAYS) else AHEAD
        for vendor, first, end in (("B", by_fast, min(by_slow, DAYS)), ("A", by_slow, by_next)):
            short = _short(need - np.cumsum(arriving, axis=0), first, end)
            arriving[first] += short
            orders += [
                PurchaseOrder(material=MATERIALS[n], quantity=int(short[n]), vendor=vendor, day=day)
                for n in np.flatnonzero(short)
            ]
    return tuple(orders)


def _under_way(observation: Observation) -> IntArray:
    """Stock, as if it came on the first morning, and deliveries under way by morning, (90, 10)."""
    arriving = np.zeros((AHEAD, len(MATERIALS)), dtype=np.int64)
    arriving[0] = observation.material_stock
    for order in observation.open_orders:
        arriving[min(order.receipt_day, AHEAD) - 1, order.material] += order.quantity
    return arriving


def _short(gap: IntArray, first: int, end: int) -> IntArray:
    """Largest shortage on the mornings from `first` to before `end`, as quantities to order, (10,)."""
    if first >= end:
        return np.zeros(gap.shape[1], dtype=np.int64)
    worst = np.maximum(0, gap[first:end].max(axis=0))
    rounded = -(-worst // ORDER_STEP) * ORDER_STEP
    return np.where(rounded > 0, np.maximum(rounded, RULES.order_minimum), 0)


def _late_receipts(observation: Observation, orders: Sequence[PurchaseOrder]) -> IntArray:
    """Deliveries by morning if every new order takes its longest, (30, 10)."""
    arriving = _under_way(observation)
    arriving[0] -= observation.material_stock
    for order in orders:
        lead = observation.lead_ranges[VENDORS.index(order.vendor)][1]
        arriving[min(order.day + lead, AHEAD) - 1, MATERIALS.index(order.material)] += order.quantity
    return arriving[:DAYS]


def _cost(orders: Sequence[PurchaseOrder], observation: Observation) -> int:
    """Cents of the lines, and of one fee for each order that they travel in."""
    fees = {order_key(order): order_fee(order.material, order.vendor) for order in orders}
    return sum(line_value(order, observation.material_prices) for order in orders) + sum(fees.values())
