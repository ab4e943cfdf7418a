"""Production of an executable decision: what the line can make, by the very schedule that later makes it."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import is_

from erpsim.catalogue import CHANNEL_INDEX, CHANNELS, CHANNELS_OF, SKU_INDEX, SKUS
from erpsim.decision import Decision, ProductionItem
from erpsim.events import Event, ItemDropped, ProductionCapacitySkip, ProductionQuantityClamped, storable
from erpsim.planning import line_of, purchases_of
from erpsim.problem import Problem
from erpsim.procurement import receipts
from erpsim.production import ItemOutcome, schedule
from erpsim.state import FirmState


def repair_production(
    state: FirmState, problem: Problem, draft: Decision, asked: tuple[ProductionItem, ...], events: list[Event]
) -> tuple[ProductionItem, ...]:
    """Cut production to what lots, hours and materials allow, given the orders and investments of `draft`."""
    sound: list[tuple[int, ProductionItem]] = []
    for index, item in enumerate(asked):
        checked = item if _is_sound(item) else _mended_item(item, f"production[{index}]", events)
        if checked is not None:
            sound.append((index, checked))
    outcomes = schedule(
        [(SKU_INDEX[item.sku], item.quantity) for _, item in sound],
        line_of(state, problem, draft),
        state.material_stock,
        receipts(state.open_orders, purchases_of(state, problem, draft)),
    ).outcomes
    granted: list[ProductionItem] = []
    for (index, item), outcome in zip(sound, outcomes, strict=True):
        if outcome.granted == item.quantity:
            granted.append(item)
            continue
        events.append(_production_event(outcome, item.sku, f"production[{index}]"))
        if outcome.granted:
            granted.append(replace(item, quantity=outcome.granted))
    return asked if len(granted) == len(asked) and all(map(is_, granted, asked)) else tuple(granted)


def _is_sound(item: ProductionItem) -> bool:
    """Whether an item is well-formed as it stands, as most are."""
    sold = CHANNELS_OF.get(item.sku)
    if sold is None or item.quantity <= 0:
        return False
    if item.distribution is None:
        return True
    total = 0.0
    for channel, share in item.distribution.items():
        if channel not in sold or not 0 <= share < math.inf:
            return False
        total += share
    return 0 < total < math.inf


def _mended_item(item: ProductionItem, field: str, events: list[Event]) -> ProductionItem | None:
    """The item with the shares that can be used, or None when nothing of it can be made."""
    if item.sku not in SKU_INDEX:
        events.append(ItemDropped("unknown_sku", f"{field}.sku", item.sku, limit=", ".join(SKUS), cause="no such SKU"))
        return None
    if item.quantity < 0:
        events.append(
            ItemDropped("out_of_range", f"{field}.quantity", storable(item.quantity), limit=0, cause="below zero")
        )
    if item.quantity <= 0:
        return None
    shares = {
        channel: share
        for channel, share in (item.distribution or {}).items()
        if _sound_share(item.sku, channel, share, f"{field}.distribution", events)
    }
    if 0 < sum(shares.values()) < math.inf:
        return replace(item, distribution=shares)
    cause = "no usable share; sent by the channels' expected demand"
    events.append(ItemDropped("no_share", f"{field}.distribution", cause=cause))
    return replace(item, distribution=None)


def _sound_share(sku: str, channel: str, share: float, field: str, events: list[Event]) -> bool:
    if channel not in CHANNEL_INDEX:
        event = ItemDropped("unknown_channel", f"{field}.{channel}", limit=", ".join(CHANNELS), cause="no such channel")
    elif channel not in CHANNELS_OF[sku]:
        event = ItemDropped("inactive_cell", f"{field}.{channel}", str(share), cause="the SKU is not sold there")
    elif not math.isfinite(share) or share < 0:
        event = ItemDropped("out_of_range", f"{field}.{channel}", str(share), limit=0, cause="shares are not below 0")
    else:
        return True
    events.append(event)
    return False


def _production_event(outcome: ItemOutcome, sku: str, field: str) -> Event:
    asked = storable(outcome.asked)
    if outcome.granted:
        return ProductionQuantityClamped(
            outcome.code, f"{field}.quantity", asked, outcome.granted, outcome.limit, f"{sku}: {_CAUSES[outcome.code]}"
        )
    return ProductionCapacitySkip(outcome.code, field, asked, None, outcome.limit, f"{sku}: {_CAUSES[outcome.code]}")


_CAUSES = {
    "lot_step": "rounded down to lots of 1,000",
    "lot_size": "below the smallest lot of 16,000",
    "lot_maximum": "above the largest lot of 48,000",
    "capacity": "not enough hours left on the line",
    "material": "materials do not arrive in time",
}
