"""A rule's material requirements planning: what to make in two cycles, what to order on three days.

Materials in stock and under way count, deliveries are expected at their latest, and the very schedule that the line
follows is worked through beforehand, so that a plan asks for nothing that the round cannot give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from ecologies.rule_parameters import RuleParameters
from erpsim.catalogue import ACTIVE, FOODS, MATERIALS, RECIPES, VENDOR_INDEX
from erpsim.decision import PurchaseOrder, Vendor
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.procurement import order_fee, value_of
from erpsim.production import UNIT_TICKS, Line, day_ticks, schedule
from erpsim.units import DAYS, WEEK, FloatArray, IntArray, frozen

ORDER_DAYS: Final = (1, 11, 21)
CYCLES: Final = 2
ORDER_STEP: Final = 100
"""Purchase quantities are whole hundreds."""
ATTEMPTS: Final = 12
"""Times a plan that money does not cover is made smaller, before nothing is ordered."""
AHEAD: Final = 90
"""Mornings looked at: this round's, and as many as any delivery can take."""
_ROWS: Final = AHEAD + 1
"""Rows of a table by morning: one more than are looked at, on which the last span ends."""
_MORNINGS: Final = np.arange(DAYS)


class SupplyPlan(NamedTuple):
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
    under_way = _under_way(observation)
    supplied = observation.material_stock + under_way.cumsum(axis=0)
    for _ in range(ATTEMPTS):
        items = _items(wanted, observation, demand, line)
        need = _need(items, line, days_ahead)
        bought = _purchases(observation, need.materials - supplied)
        if bought.cost <= funds:
            break
        # Short of money, a rule first gives up materials for the next round, then goods of this one.
        wanted = wanted if days_ahead else wanted * min(0.95, max(0.1, funds / bought.cost))
        days_ahead = 0.0
    else:
        return SupplyPlan((), (), 0)
    if need.ends <= DAYS * day_ticks(line) and bought.in_time:
        return SupplyPlan(items, _orders(bought), bought.cost)
    sure = _sure(items, line, observation.material_stock, _arriving(under_way, bought))
    if sure != items:
        # What could not be made even so needs no materials: order for the rest alone.
        bought = _purchases(observation, _need(sure, line, days_ahead).materials - supplied)
        sure = _sure(sure, line, observation.material_stock, _arriving(under_way, bought))
    return SupplyPlan(sure, _orders(bought), bought.cost)


class _Need(NamedTuple):
    materials: IntArray  # (91, 10) needed so far by morning
    ends: int  # tick on which the line has made all items if it never waits


class _Line(NamedTuple):
    material: int  # material index n
    quantity: int  # kg or pieces
    vendor: Vendor
    day: int  # placed, 1-based
    latest: int  # 0-based morning on which it comes if it takes its longest


class _Purchases(NamedTuple):
    lines: tuple[_Line, ...]
    cost: int  # cents of the lines and the fees
    in_time: bool  # whether even then no material is short on any morning


def _orders(bought: _Purchases) -> tuple[PurchaseOrder, ...]:
    return tuple(
        [
            PurchaseOrder(material=MATERIALS[line.material], quantity=line.quantity, vendor=line.vendor, day=line.day)
            for line in bought.lines
        ]
    )


def _arriving(under_way: IntArray, bought: _Purchases) -> IntArray:
    """Kg or pieces by morning of this round if every delivery takes its longest, (30, 10)."""
    arriving = under_way.copy()
    for line in bought.lines:
        arriving[line.latest, line.material] += line.quantity
    return arriving[:DAYS]


def _sure(
    items: Sequence[tuple[int, int]], line: Line, stock: IntArray, arriving: IntArray
) -> tuple[tuple[int, int], ...]:
    """Items as far as the line makes them from the stock and what arrives."""
    made = schedule(items, line, stock, arriving)
    granted = ((sku, outcome.granted) for (sku, _), outcome in zip(items, made.outcomes, strict=True))
    return tuple(item for item in granted if item[1])


def _wanted(parameters: RuleParameters, observation: Observation, demand: FloatArray) -> FloatArray:
    """Units to make by SKU: expected sales and closing stock less goods in stock, (12,)."""
    last = observation.round_number == observation.horizon
    closing = 0.0 if last else parameters.closing_days / DAYS
    # Goods in one channel serve no other: what a cell has too much is no help elsewhere.
    wanted = np.maximum(0.0, demand * (parameters.fill_target + closing) - observation.goods_stock)
    total: FloatArray = np.add.reduce(np.where(ACTIVE, wanted, 0.0), axis=1)
    return total


def _items(wanted: FloatArray, observation: Observation, demand: FloatArray, line: Line) -> tuple[tuple[int, int], ...]:
    """Lots by cycle: large quantities in both cycles, small ones in one; scarce goods first."""
    lots = _lots(wanted.tolist(), line)
    goods, sales = np.add.reduce(observation.goods_stock, axis=1), np.add.reduce(demand, axis=1)
    cover = (goods / np.maximum(sales, 1.0)).tolist()
    order = sorted([(sku != line.last_sku, round(cover[sku], 3), sku) for sku, lot in enumerate(lots) if lot])
    smallest, step, largest = RULES.lot_minimum, RULES.lot_step, RULES.lot_maximum
    cycles: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    load = [0, 0]
    for _, _, sku in order:
        lot = lots[sku]
        if lot >= CYCLES * smallest:
            half = lot // step // CYCLES * step
            parts = [(0, min(lot - half, largest)), (1, min(half, largest))]
        else:
            parts = [(0 if cover[sku] < 0.25 or load[0] <= load[1] else 1, lot)]
        for cycle, part in parts:
            load[cycle] += part
            cycles[cycle].append((sku, part))
    return (*cycles[0], *cycles[1])


def _lots(wanted: Sequence[float], line: Line) -> list[int]:
    """Whole lots by SKU that fit the line, scaled down together when they do not."""
    scale, lots = 1.0, [0] * len(wanted)
    for _ in range(30):
        lots = [_whole_lots(scale * units) for units in wanted]
        runs = sum((lot > 0) + (lot >= CYCLES * RULES.lot_minimum) for lot in lots)
        room = capacity_of(line, runs)
        if sum(lots) <= room:
            break
        scale *= max(0.5, min(0.99, room / max(1, sum(lots))))
    return lots


def _whole_lots(units: float) -> int:
    """Whole lots for both cycles together; half a smallest lot and more is one."""
    if units < RULES.lot_minimum:
        return RULES.lot_minimum if units >= RULES.lot_minimum / 2 else 0
    return min(math.floor(units / RULES.lot_step) * RULES.lot_step, CYCLES * RULES.lot_maximum)


def _need(items: Sequence[tuple[int, int]], line: Line, days_ahead: float) -> _Need:
    """Materials needed so far by morning: each run's when it starts, then the next round's first days'."""
    mornings: list[int] = []  # on which each run starts, never falling
    day, setup = max(1, day_ticks(line)), line.setup_hours * line.capacity
    clock, sku_before = 0, line.last_sku
    for sku, units in items:
        clock += setup * (sku != sku_before)
        mornings.append(min(DAYS - 1, clock // day))
        clock, sku_before = clock + UNIT_TICKS * units, sku
    runs = np.array(items, dtype=np.int64).reshape(len(items), 2)
    so_far = np.zeros((len(items) + 1, len(MATERIALS)), dtype=np.int64)  # of so many first runs
    (RECIPES[runs[:, 0]] * runs[:, 1:] // 1000).cumsum(axis=0, out=so_far[1:])
    need = np.empty((_ROWS, len(MATERIALS)), dtype=np.int64)
    started = np.array(mornings, dtype=np.int64).searchsorted(_MORNINGS, side="right")
    need[:DAYS] = so_far.take(started, axis=0)
    need[DAYS:] = [units + math.ceil(days_ahead / DAYS * units) for units in so_far[-1].tolist()]
    return _Need(need, clock)


def _purchases(observation: Observation, gap: IntArray) -> _Purchases:
    """Order what is short: from A when that is in time, else from B.

    Args:
        observation: the round's.
        gap: (91, 10) kg or pieces needed so far by morning beyond stock and deliveries under way.
    """
    windows = _windows(observation.lead_ranges[0][1], observation.lead_ranges[1][1])
    # What is short on a later morning is ordered here, in time for it.
    at_once, *by_window = np.maximum.reduceat(gap, windows.bounds, axis=0)[::2].tolist()
    prices, minimum = observation.material_prices.tolist(), RULES.order_minimum
    lines: list[_Line] = []
    coming = [0] * len(MATERIALS)
    cost = 0
    for (vendor, day, first), worst in zip(windows.orders, by_window, strict=True):
        short = [n for n, most in enumerate(worst) if most > coming[n]]
        by_material, seller = prices[(day - 1) // WEEK], VENDOR_INDEX[vendor]
        for n in short:
            quantity = max(-((coming[n] - worst[n]) // ORDER_STEP) * ORDER_STEP, minimum)
            coming[n] += quantity
            cost += value_of(quantity, by_material[n], seller)
            lines.append(_Line(n, quantity, vendor, day, first))
        # Lines of one vendor, class and day travel together and pay one fee.
        for n in {n < len(FOODS): n for n in short}.values():
            cost += order_fee(MATERIALS[n], vendor)
    return _Purchases(tuple(lines), cost, max(at_once) <= 0)


class _Windows(NamedTuple):
    """Mornings looked at together: those before any order can come, then those that each order is for."""

    orders: tuple[tuple[Vendor, int, int], ...]  # vendor, day placed, first morning
    bounds: IntArray  # first morning and end of each, one after the other


@lru_cache(maxsize=64)
def _windows(slow: int, fast: int) -> _Windows:
    """Mornings of a round with the longest lead of A and of B."""
    orders: list[tuple[Vendor, int, int]] = []
    bounds = [0, min(ORDER_DAYS[0] + fast - 1, AHEAD)]
    for day, following in zip(ORDER_DAYS, (*ORDER_DAYS[1:], AHEAD), strict=True):
        by_fast, by_slow = day + fast - 1, day + slow - 1
        by_next = following + slow - 1 if following < AHEAD else AHEAD
        spans: tuple[tuple[Vendor, int, int], ...] = (
            ("B", by_fast, min(by_slow, DAYS)),
            ("A", by_slow, min(by_next, AHEAD)),
        )
        for vendor, first, end in spans:
            if first < end:
                orders.append((vendor, day, first))
                bounds += [first, end]
    return _Windows(tuple(orders), frozen(np.array(bounds)))


def _under_way(observation: Observation) -> IntArray:
    """Deliveries under way by morning, (91, 10)."""
    arriving = np.zeros((_ROWS, len(MATERIALS)), dtype=np.int64)
    for order in observation.open_orders:
        arriving[min(order.receipt_day, AHEAD) - 1, order.material] += order.quantity
    return arriving
