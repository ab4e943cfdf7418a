"""Purchase orders and marketing of an executable decision, granted line by line from a firm's funds."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import is_
from typing import Final

import numpy as np

from erpsim.catalogue import CHANNEL_INDEX, CHANNELS, CHANNELS_OF, MATERIAL_INDEX, MATERIALS, SKUS
from erpsim.decision import MarketingItem, PurchaseOrder
from erpsim.events import Event, ItemDropped, MarketingAdjusted, OrderAdjusted, storable
from erpsim.exogenous import material_prices
from erpsim.funds import MONEY_CAP, Funds
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.procurement import line_value, order_fee, order_key, purchases
from erpsim.state import FirmState
from erpsim.units import DAYS, FloatArray, euros, floor_cents

QUANTITY_CAP: Final = 10_000_000
"""Largest purchase line looked at, kg or pieces; money binds long before."""


def repair_orders(
    state: FirmState, problem: Problem, asked: tuple[PurchaseOrder, ...], funds: Funds, events: list[Event]
) -> tuple[PurchaseOrder, ...]:
    """Grant purchase order lines in turn; the first line of an order also pays the order's fee."""
    if all(map(_is_sound, asked)):
        bought = purchases(asked, problem, state.round_number, prepaid=state.credit.distressed)
        cost = sum([line.value for line in bought.lines]) + int(np.add.reduce(bought.fees))
        if cost <= funds.left:
            # What funds cover as a whole they cover line by line.
            funds.take(cost)
            return asked
    prices = material_prices(problem, state.round_number)
    granted: list[PurchaseOrder] = []
    keys: set[object] = set()
    for index, order in enumerate(asked):
        line = order if _is_sound(order) else _mended_order(order, f"purchase_orders[{index}]", events)
        if line is None:
            continue
        key = order_key(line)
        fee = 0 if key in keys else order_fee(line.material, line.vendor)
        value = line_value(line, prices)
        if value + fee > funds.left:
            quantity = _affordable(line, prices, funds.left - fee)
            events.append(_short_of_funds(line.quantity, quantity, fee, f"purchase_orders[{index}].quantity", funds))
            if not quantity:
                continue
            line = replace(line, quantity=quantity)
            value = line_value(line, prices)
        funds.take(value + fee)
        keys.add(key)
        granted.append(line)
    return tuple(granted)


def repair_marketing(asked: tuple[MarketingItem, ...], funds: Funds, events: list[Event]) -> tuple[MarketingItem, ...]:
    """Grant marketing lines in turn, down to the cent."""
    granted: list[MarketingItem] = []
    for index, item in enumerate(asked):
        field = f"marketing[{index}]"
        if not _sound_marketing(item, field, events):
            continue
        wanted = floor_cents(min(item.amount, MONEY_CAP))
        amount = min(wanted, funds.left)
        if amount < wanted:
            cause = "cash and unused credit bind"
            event = MarketingAdjusted("funds", f"{field}.amount", item.amount, euros(amount), euros(funds.left), cause)
            events.append(event)
        if amount:
            funds.take(amount)
            paid = euros(amount)
            granted.append(item if paid == item.amount else replace(item, amount=paid))
    return asked if len(granted) == len(asked) and all(map(is_, granted, asked)) else tuple(granted)


def _is_sound(order: PurchaseOrder) -> bool:
    """Whether a line is well-formed as it stands, as most are."""
    return (
        order.material in MATERIAL_INDEX
        and RULES.order_minimum <= order.quantity <= QUANTITY_CAP
        and 1 <= order.day <= DAYS
    )


def _mended_order(order: PurchaseOrder, field: str, events: list[Event]) -> PurchaseOrder | None:
    """The line with a day and a quantity in range, or None when nothing of it can be ordered."""
    if order.material not in MATERIAL_INDEX:
        limit = ", ".join(MATERIALS)
        events.append(ItemDropped("unknown_material", f"{field}.material", order.material, limit=limit))
        return None
    if order.quantity == 0:
        return None
    if order.quantity < 0:
        events.append(
            ItemDropped("out_of_range", f"{field}.quantity", storable(order.quantity), limit=0, cause="below zero")
        )
        return None
    if order.quantity < RULES.order_minimum:
        cause = "below the smallest line"
        events.append(OrderAdjusted("minimum", f"{field}.quantity", order.quantity, None, RULES.order_minimum, cause))
        return None
    day = min(max(order.day, 1), DAYS)
    if day != order.day:
        events.append(
            OrderAdjusted("day", f"{field}.day", storable(order.day), day, DAYS, "days of a round are 1 to 30")
        )
    quantity = min(order.quantity, QUANTITY_CAP)
    if quantity != order.quantity:
        event = OrderAdjusted("quantity_cap", f"{field}.quantity", storable(order.quantity), quantity, QUANTITY_CAP)
        events.append(event)
    return replace(order, day=day, quantity=quantity)


def _affordable(order: PurchaseOrder, prices: FloatArray, available: int) -> int:
    """Largest quantity below the line's whose value fits, 0 when even the smallest line does not."""
    low, high = 0, order.quantity
    while high - low > 1:
        middle = (low + high) // 2
        fits = line_value(replace(order, quantity=middle), prices) <= available
        low, high = (middle, high) if fits else (low, middle)
    return low if low >= RULES.order_minimum else 0


def _short_of_funds(wanted: int, affordable: int, fee: int, field: str, funds: Funds) -> Event:
    cause = "orders are paid at placement in distress" if funds.distressed else "cash and unused credit bind"
    return OrderAdjusted("funds", field, wanted, affordable or None, euros(max(0, funds.left - fee)), cause)


def _sound_marketing(item: MarketingItem, field: str, events: list[Event]) -> bool:
    if item.channel not in CHANNEL_INDEX:
        limit = ", ".join(CHANNELS)
        events.append(ItemDropped("unknown_channel", f"{field}.channel", item.channel, limit=limit))
        return False
    if item.sku is not None and item.sku not in CHANNELS_OF:
        events.append(ItemDropped("unknown_sku", f"{field}.sku", item.sku, limit=", ".join(SKUS)))
        return False
    if item.sku is not None and item.channel not in CHANNELS_OF[item.sku]:
        events.append(ItemDropped("inactive_cell", field, f"{item.sku} {item.channel}", cause="not sold there"))
        return False
    if not math.isfinite(item.amount) or item.amount < 0:
        events.append(ItemDropped("out_of_range", f"{field}.amount", str(item.amount), limit=0, cause="below zero"))
        return False
    return True
