"""From what a stand-in wants to make to runs on the line and to the orders that feed them in time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from actors.llm.standin_styles import Style
from actors.llm.standin_view import Line, View

DAYS: Final = 30
LATE_DAY: Final = 24
"""Day on which materials for the next round are ordered."""


@dataclass(frozen=True)
class Run:
    """One production item and the hour at which it should start."""

    sku: str
    quantity: int
    start_hour: float


class Order(NamedTuple):
    """One line of a purchase order."""

    material: str
    quantity: int
    vendor: str
    day: int


def arrange(wanted: Mapping[str, float], urgent: Sequence[str], view: View, style: Style) -> list[Run]:
    """Lots on the line, in cycles, as many as fit before the last day.

    Args:
        wanted: units by SKU.
        urgent: SKUs in the order in which they should come.
        view: what is known.
        style: how often a SKU comes round, and how the first materials come.
    """
    line = view.line
    lots = {sku: _whole_lots(wanted[sku], line) for sku in urgent}
    cycles: list[list[tuple[str, int]]] = [[] for _ in range(style.cycles)]
    for index, sku in enumerate(urgent):
        parts = min(style.cycles, lots[sku] // line.lot_minimum)
        first = 0 if parts > 1 or index < len(urgent) / 2 else style.cycles - 1
        for part in range(parts):
            share = _whole_lots(lots[sku] / parts, line)
            cycles[(first + part) % style.cycles].append((sku, share))
    return _on_the_line([item for cycle in cycles for item in _ready_first(cycle, line)], view, style)


def orders_for(runs: Sequence[Run], view: View, style: Style) -> list[Order]:
    """What to order, from whom and when: the early runs', the later ones', the next round's start."""
    slowest = view.lead_days["A"][1]
    have = {name: float(supply.stock) + sum(q for _, q in supply.under_way) for name, supply in view.supplies.items()}
    second = _second_day(runs, slowest)
    needs: dict[tuple[str, int], dict[str, float]] = {}
    for run in runs:
        slot = _slot(run.start_hour, slowest, second, style)
        for material, per_thousand in view.recipes[run.sku].items():
            need = run.quantity * per_thousand / 1000
            missing = max(0.0, need - have[material])
            have[material] = max(0.0, have[material] - need)
            bucket = needs.setdefault(slot, {})
            bucket[material] = bucket.get(material, 0.0) + missing
    if view.round_number < view.horizon:
        needs.setdefault(("A", LATE_DAY), {})
        for material, amount in _next_start(runs, view, style, have).items():
            late = needs["A", LATE_DAY]
            late[material] = late.get(material, 0.0) + amount
    return [
        Order(material, max(1000, math.ceil(amount / 1000) * 1000), vendor, day)
        for (vendor, day), bucket in sorted(needs.items(), key=lambda item: (item[0][1], item[0][0]))
        for material, amount in sorted(bucket.items())
        if amount >= 1
    ]


def value_of(orders: Sequence[Order], view: View) -> float:
    """EUR that orders cost."""
    return sum(
        order.quantity
        * view.supplies[order.material].prices[min(5, (order.day - 1) // 5)]
        * (1.03 if order.vendor == "B" else 1.0)
        for order in orders
    )


def start_wait_hours(view: View, style: Style) -> float:
    """Hours until the line has its first materials."""
    if any(supply.stock or supply.under_way for supply in view.supplies.values()):
        return 0.0
    return 24.0 * view.lead_days["B" if style.fast_start else "A"][1]


def as_items(orders: Sequence[Order]) -> list[dict[str, Any]]:
    """Orders in a decision's form."""
    return [order._asdict() for order in orders]


def _whole_lots(units: float, line: Line) -> int:
    """Units in steps, none when they are less than half a smallest lot."""
    if units < line.lot_minimum / 2:
        return 0
    return max(line.lot_minimum, round(units / line.lot_step) * line.lot_step)


def _ready_first(cycle: list[tuple[str, int]], line: Line) -> list[tuple[str, int]]:
    """The SKU that the line is set up for comes first, which saves a setup."""
    return sorted(cycle, key=lambda item: item[0] != line.set_up_for)


def _on_the_line(items: Sequence[tuple[str, int]], view: View, style: Style) -> list[Run]:
    line = view.line
    speed = line.units_per_hour * line.hours / (24.0 * DAYS)  # an outage slows every day alike
    clock, last = start_wait_hours(view, style), line.set_up_for
    runs: list[Run] = []
    for sku, quantity in items:
        setup = line.setup_hours if sku != last else 0.0
        start = max(clock, setup) if not runs else clock + setup
        room = int((24.0 * DAYS - start) * speed) // line.lot_step * line.lot_step
        granted = min(quantity, room)
        if granted < line.lot_minimum:
            continue
        for lot in _lots(granted, line):
            runs.append(Run(sku, lot, start))
            start += lot / speed
        clock, last = start, sku
    return runs


def _lots(quantity: int, line: Line) -> list[int]:
    """Split a long run into items that the line takes."""
    count = math.ceil(quantity / line.lot_maximum)
    base = quantity // count // line.lot_step * line.lot_step
    lots = [base] * count
    lots[0] += min(quantity - base * count, line.lot_maximum - base)
    return lots


def _second_day(runs: Sequence[Run], slowest: int) -> int:
    """Day on which the orders of the round's second half are placed."""
    middle = runs[len(runs) // 2].start_hour / 24.0 if runs else 0.0
    return max(1, int(middle) - slowest)


def _slot(start_hour: float, slowest: int, second: int, style: Style) -> tuple[str, int]:
    day = int(start_hour / 24.0) + 1
    if day >= second + slowest:
        return ("A", second)
    return ("A", 1) if day > slowest or not style.fast_start else ("B", 1)


def _next_start(runs: Sequence[Run], view: View, style: Style, left: Mapping[str, float]) -> dict[str, float]:
    """Materials of the next round's first days, at this round's usage, beyond what is left over."""
    usage: dict[str, float] = {}
    for run in runs:
        for material, per_thousand in view.recipes[run.sku].items():
            usage[material] = usage.get(material, 0.0) + run.quantity * per_thousand / 1000
    wanted = {material: amount * style.material_days / DAYS for material, amount in usage.items()}
    return {material: max(0.0, amount - left[material]) for material, amount in wanted.items()}
