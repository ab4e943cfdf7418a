"""Purchase orders: what lines cost, when they arrive, and the fee and pickup that lines travelling together share.

Lines of one vendor, material class and day placed are one purchase order: one fee, one pickup. The price of the day
placed is paid; the lead belongs to (round, day placed, material, vendor), so equal lines arrive together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from erpsim.catalogue import FOODS, MATERIAL_CLASSES, MATERIAL_INDEX, MATERIALS, VENDOR_INDEX
from erpsim.decision import PurchaseOrder
from erpsim.exogenous import leads, material_prices
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.recall import last_result
from erpsim.state import OpenOrder
from erpsim.units import DAYS, WEEK, FloatArray, IntArray, cents, frozen

_FEES: Final = (RULES.order_fee_food, RULES.order_fee_packaging)  # EUR by class and vendor
_PICKUPS: Final = (RULES.carbon_pickup_food, RULES.carbon_pickup_packaging)  # kg CO2e by class and vendor
_MARKUPS: Final = tuple(1 + markup for markup in RULES.vendor_markup)  # factor on the price by vendor
_CLASSES: Final = tuple(0 if name in FOODS else 1 for name in MATERIALS)
"""Index in `catalogue.MATERIAL_CLASSES` by material."""
_MORNINGS: Final = (DAYS, len(MATERIALS))


class PurchaseLine(NamedTuple):
    """One line as it was placed."""

    material: int  # material index n
    quantity: int  # kg or pieces
    vendor: int  # vendor index
    day: int  # day placed, 1-based
    value: int  # cents
    receipt_day: int  # 1-based, usable on that morning; above 30 in the next round


class OrderKey(NamedTuple):
    """What lines of one purchase order have in common."""

    vendor: int  # vendor index
    material_class: int  # index in `catalogue.MATERIAL_CLASSES`
    day: int  # day placed, 1-based


@dataclass(frozen=True, eq=False)
class Purchases:
    """All that a firm buys in one round."""

    lines: tuple[PurchaseLine, ...]  # in the decision's order
    prepaid: bool  # paid when placed rather than 20 days after receipt
    fees: IntArray  # (30,) cents by day placed
    pickups: IntArray  # (30, 2) purchase orders by day placed and class: food, packaging
    pickup_kg: FloatArray  # (30,) kg CO2e by day placed, before any green step


class Deliveries(NamedTuple):
    """What arrives in a round, by morning, and what is still under way at its end; arrays are read-only."""

    quantities: IntArray  # (30, 10) kg or pieces
    values: IntArray  # (30, 10) cents
    payable: IntArray  # (30,) cents of all materials that were not paid when placed
    later: tuple[OpenOrder, ...]  # days counted from day 1 of the next round; oldest first


@last_result()
def purchases(orders: Sequence[PurchaseOrder], problem: Problem, round_number: int, prepaid: bool) -> Purchases:
    """Place order lines that are feasible as they stand.

    Args:
        orders: lines with known names and days 1 … 30.
        problem: the problem, which fixes prices and leads.
        round_number: 1-based.
        prepaid: whether the firm must pay on placement.
    """
    prices, lead_days = material_prices(problem, round_number), leads(problem, round_number)
    fees = np.zeros(DAYS, dtype=np.int64)
    pickups = np.zeros((DAYS, len(MATERIAL_CLASSES)), dtype=np.int64)
    pickup_kg = np.zeros(DAYS)
    lines = _lines(orders, prices, lead_days)
    keys = [(line.vendor, _CLASSES[line.material], line.day) for line in lines]
    for vendor, kind, day in dict.fromkeys(keys):
        fees[day - 1] += cents(_FEES[kind][vendor])
        pickups[day - 1, kind] += 1
        pickup_kg[day - 1] += _PICKUPS[kind][vendor]
    return Purchases(lines, prepaid, frozen(fees), frozen(pickups), frozen(pickup_kg))


def line_value(order: PurchaseOrder, prices: FloatArray) -> int:
    """Value of a line in cents, at the price of the week in which it is placed.

    Args:
        order: the line, with a day 1 … 30.
        prices: (6, 10) EUR per kg or piece by week of the round and material, vendor A's.
    """
    price = prices.item((order.day - 1) // WEEK, MATERIAL_INDEX[order.material])
    return value_of(order.quantity, price, VENDOR_INDEX[order.vendor])


def value_of(quantity: int, price: float, vendor: int) -> int:
    """Value in cents of so many kg or pieces, from EUR for one at vendor A, when bought from a vendor by its index."""
    return cents(quantity * price * _MARKUPS[vendor])


def order_key(order: PurchaseOrder) -> OrderKey:
    """Tell which purchase order a line belongs to: equal keys share one fee and one pickup."""
    return OrderKey(VENDOR_INDEX[order.vendor], _CLASSES[MATERIAL_INDEX[order.material]], order.day)


def order_fee(material: str, vendor: str) -> int:
    """Fee in cents of a purchase order for this material's class from this vendor."""
    return cents(_FEES[_CLASSES[MATERIAL_INDEX[material]]][VENDOR_INDEX[vendor]])


@last_result()
def deliveries(under_way: Iterable[OpenOrder], bought: Purchases) -> Deliveries:
    """Tell what arrives in the round and what comes later.

    Args:
        under_way: orders of earlier rounds; days count from day 1 of this round.
        bought: this round's purchases.
    """
    orders = [(one.material, one.quantity, one.receipt_day, one.value, one.prepaid) for one in under_way]
    orders += [(one.material, one.quantity, one.receipt_day, one.value, bought.prepaid) for one in bought.lines]
    later = [OpenOrder(n, units, day - DAYS, value, prepaid) for n, units, day, value, prepaid in orders if day > DAYS]
    now = chain.from_iterable(order for order in orders if order[2] <= DAYS)
    table: IntArray = np.fromiter(now, dtype=np.int64).reshape(-1, 5)
    material, units, day, value, prepaid = table[:, 0], table[:, 1], table[:, 2] - 1, table[:, 3], table[:, 4]
    quantities, values = np.zeros(_MORNINGS, dtype=np.int64), np.zeros(_MORNINGS, dtype=np.int64)
    payable = np.zeros(DAYS, dtype=np.int64)
    np.add.at(quantities, (day, material), units)
    np.add.at(values, (day, material), value)
    np.add.at(payable, day, value * (1 - prepaid))
    return Deliveries(frozen(quantities), frozen(values), frozen(payable), tuple(later))


def receipts(under_way: Iterable[OpenOrder], bought: Purchases) -> IntArray:
    """Quantities of `deliveries`, (30, 10) kg or pieces, read-only."""
    return deliveries(under_way, bought).quantities


def _lines(orders: Iterable[PurchaseOrder], prices: FloatArray, lead_days: IntArray) -> tuple[PurchaseLine, ...]:
    by_week: list[list[float]] = prices.tolist()
    lines: list[PurchaseLine] = []
    for order in orders:
        material, quantity, day = MATERIAL_INDEX[order.material], order.quantity, order.day
        vendor = VENDOR_INDEX[order.vendor]
        value = value_of(quantity, by_week[(day - 1) // WEEK][material], vendor)
        receipt_day = day + lead_days.item(day - 1, material, vendor)
        lines.append(PurchaseLine(material, quantity, vendor, day, value, receipt_day))
    return tuple(lines)
