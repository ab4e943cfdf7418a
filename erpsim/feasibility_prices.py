"""Prices of an executable decision: every active cell, in whole cents, inside the band."""

from __future__ import annotations

import math
from operator import is_
from typing import Final

from erpsim.catalogue import CHANNEL_INDEX, CHANNELS_OF, LIST_PRICES, SKU_INDEX, SKUS
from erpsim.events import Event, ItemDropped, PriceAdjusted
from erpsim.parameters import RULES
from erpsim.state import FirmState

PriceTable = dict[str, float | dict[str, float]]


def price_band(sku: int) -> tuple[float, float]:
    """Lowest and highest price of a SKU in EUR, whole cents inside [0.3, 5] x list."""
    return _BANDS[sku]


def _band(list_price: float) -> tuple[float, float]:
    in_cents = list_price * 100
    low = math.ceil(round(RULES.price_floor * in_cents, 6))
    high = math.floor(round(RULES.price_cap * in_cents, 6))
    return low / 100, high / 100


_BANDS: Final = tuple(_band(list_price) for list_price in LIST_PRICES.tolist())


def repair_prices(state: FirmState, asked: PriceTable, events: list[Event]) -> PriceTable:
    """Fill the price table: a price asked goes into its band, a missing one is the last round's.

    A table, and a row of it, that need nothing of this are given back themselves.
    """
    events += [
        ItemDropped("unknown_sku", f"prices.{name}", limit=", ".join(SKUS), cause="no such SKU")
        for name in asked
        if name not in SKU_INDEX
    ]
    table: PriceTable = {sku: _repair_row(state, j, asked.get(sku, {}), events) for j, sku in enumerate(SKUS)}
    return asked if tuple(asked) == SKUS and all(map(is_, table.values(), asked.values())) else table


def _repair_row(state: FirmState, j: int, asked: float | dict[str, float], events: list[Event]) -> dict[str, float]:
    active, (low, high) = CHANNELS_OF[SKUS[j]], _BANDS[j]
    if not isinstance(asked, dict):
        asked = dict.fromkeys(active, asked)
    if tuple(asked) == active:
        sound = [price for price in asked.values() if low <= price <= high and round(price * 100) / 100 == price]
        if len(sound) == len(asked):
            return asked
    for channel in asked:
        if channel not in active:
            code = "inactive_cell" if channel in CHANNEL_INDEX else "unknown_channel"
            field = f"prices.{SKUS[j]}.{channel}"
            events.append(ItemDropped(code, field, limit=", ".join(active), cause="the SKU is not sold there"))
    return {channel: _repair_price(state, j, channel, asked.get(channel), events) for channel in active}


def _repair_price(state: FirmState, j: int, channel: str, asked: float | None, events: list[Event]) -> float:
    field = f"prices.{SKUS[j]}.{channel}"
    last = round(float(state.prices[j, CHANNEL_INDEX[channel]]), 2)
    if asked is None:
        return last
    if not math.isfinite(asked):
        events.append(ItemDropped("non_finite", field, str(asked), last, cause="a price must be a finite number"))
        return last
    low, high = _BANDS[j]
    granted = round(min(max(asked, low), high), 2)
    if not low <= round(asked, 2) <= high:
        limit = low if asked < low else high
        events.append(PriceAdjusted("band", field, asked, granted, limit, "prices lie within 0.3 and 5 times list"))
    return granted
