"""How a stand-in decides: prices from demand and rivals, volumes from a forecast, materials by need, money last.

A plan is a pure function of the figures that it read and of its style; nothing here knows a language model, and
nothing of it enters the simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from actors.llm.standin_styles import Style
from actors.llm.standin_supply import DAYS, Order, Run, arrange, as_items, orders_for, start_wait_hours, value_of
from actors.llm.standin_view import Cell, View

ELASTICITY: Final = {"hypermarket": 2.9, "grocery": 2.5, "independent": 1.9}
"""What a stand-in believes about its own demand when rivals stand still."""
TOGETHER: Final = 1.1
"""The same when all move alike, as in round 1."""
ADVERTISING: Final = {"hypermarket": 15.0, "grocery": 30.0, "independent": 22.0}
"""EUR per cell and day at which advertising has its knee."""
FIXED_COSTS: Final = 450_000.0
LADDER: Final = 5
"""Hours of setup that can be cut in all."""
DEARER: Final = {"setup_time": 1.6, "capacity": 1.05, "green_production": 1.0, "green_fleet": 1.0}
"""How much more the next step costs."""

Noise = Callable[[str], float]
"""Uniform in [0, 1) by purpose, the same in every answer to one request."""


@dataclass(frozen=True)
class Want:
    """One cell as planned: EUR/unit, units in the round, units to bring there."""

    cell: Cell
    price: float
    forecast: float
    missing: float


class Bought(NamedTuple):
    """Investments in a decision's form, and the EUR that they cost."""

    items: list[dict[str, Any]]
    cost: float
    setup_hours: int


def plan(view: View, style: Style, noise: Noise) -> dict[str, Any]:
    """A decision in its JSON form."""
    bill = capacity_units(view, style) * sum(cell.material_cost for cell in view.cells) / len(view.cells)
    bought = _investments(view, style, view.funds - bill)
    faster = replace(view, line=replace(view.line, setup_hours=view.line.setup_hours - bought.setup_hours))
    wants = _priced(faster, style, noise)
    runs, orders = _affordable(wants, faster, style, view.funds - bought.cost)
    marketing = _marketing(view, style, view.funds - bought.cost - value_of(orders, view))
    advertised = float(sum(item["amount"] for item in marketing))
    after = view.cash + view.collections - view.payments - FIXED_COSTS - advertised - bought.cost
    return {
        "prices": _prices(wants),
        "production": _production(runs, wants),
        "purchase_orders": as_items(orders),
        "marketing": marketing,
        "finance": _finance(view, style, after, bought),
        "rationale": f"stand-in, {style.character}: {len(runs)} runs, {sum(run.quantity for run in runs)} units",
    }


def capacity_units(view: View, style: Style) -> float:
    """Units that the line makes in the round, with a setup for each SKU in each cycle."""
    line = view.line
    skus = len({cell.sku for cell in view.cells})
    share = line.hours / (24.0 * DAYS)
    hours = 24.0 * DAYS - start_wait_hours(view, style) - line.setup_hours * skus * style.cycles
    return max(1.0, hours * share * line.units_per_hour)


def _priced(view: View, style: Style, noise: Noise) -> list[Want]:
    """Prices first pulled to the rivals', then moved by what the line can serve."""
    first = [(cell, _pulled(cell, style, noise)) for cell in view.cells]
    needed = sum(_missing(cell, _forecast(cell, price), view, style) for cell, price in first)
    scarcity = (max(needed, 1.0) / capacity_units(view, style)) ** (style.scarcity / 2.5)
    factor = min(1.12, max(0.92, scarcity))
    wants = []
    for cell, price in first:
        floor = cell.material_cost * style.least_margin
        asked = round(min(2.5 * cell.list_price, max(0.5 * cell.list_price, floor, price * factor)), 2)
        forecast = _forecast(cell, asked)
        wants.append(Want(cell, asked, forecast, _missing(cell, forecast, view, style)))
    return wants


def _pulled(cell: Cell, style: Style, noise: Noise) -> float:
    jitter = 1.0 + style.noise * (2.0 * noise(f"price {cell.sku}") - 1.0)
    if cell.rival_price is None or cell.demanded is None:
        return cell.list_price * style.opening * jitter
    aim = cell.rival_price * style.position
    price = cell.price * math.pow(aim / cell.price, style.rival_weight)
    if cell.stock > 1.2 * cell.demanded:
        price *= 0.94  # goods pile up
    return price * jitter


def _forecast(cell: Cell, price: float) -> float:
    """Half by what was asked last, which empty shelves elsewhere swell, half by the study and the rivals' prices."""
    study = cell.expected * math.pow(price / cell.list_price, -TOGETHER)
    if cell.demanded is None or cell.rival_price is None:
        return study
    study *= math.pow(price / cell.rival_price, TOGETHER - ELASTICITY[cell.channel])
    asked = max(cell.demanded, 1.0) * math.pow(price / cell.price, -ELASTICITY[cell.channel])
    return math.sqrt(study * asked)


def _missing(cell: Cell, forecast: float, view: View, style: Style) -> float:
    closing = 0.0 if view.round_number >= view.horizon else forecast * style.cover_days / DAYS
    return max(0.0, forecast * style.fill + closing - cell.stock)


def _affordable(wants: Sequence[Want], view: View, style: Style, funds: float) -> tuple[list[Run], list[Order]]:
    """Runs and their orders; less of everything until the orders can be paid."""
    missing: dict[str, float] = {}
    cover: dict[str, float] = {}
    for want in wants:
        sku = want.cell.sku
        missing[sku] = missing.get(sku, 0.0) + want.missing
        cover[sku] = min(cover.get(sku, 1e9), want.cell.stock / max(1.0, want.forecast))
    urgent = sorted(missing, key=lambda sku: (cover[sku], -missing[sku], sku))
    share = min(1.0, capacity_units(view, style) / max(1.0, sum(missing.values())))
    while True:
        runs = arrange({sku: units * share for sku, units in missing.items()}, urgent, view, style)
        orders = orders_for(runs, view, style)
        if value_of(orders, view) <= 0.95 * funds or share < 0.01:
            return runs, orders
        share *= 0.85


def _prices(wants: Sequence[Want]) -> dict[str, dict[str, float]]:
    prices: dict[str, dict[str, float]] = {}
    for want in wants:
        prices.setdefault(want.cell.sku, {})[want.cell.channel] = want.price
    return prices


def _production(runs: Sequence[Run], wants: Sequence[Want]) -> list[dict[str, Any]]:
    shares: dict[str, dict[str, float]] = {}
    for want in wants:
        shares.setdefault(want.cell.sku, {})[want.cell.channel] = want.missing
    items = []
    for run in runs:
        parts = shares[run.sku]
        total = sum(parts.values()) or 1.0
        split = {channel: round(part / total, 3) for channel, part in parts.items()}
        items.append({"sku": run.sku, "quantity": run.quantity, "distribution": split})
    return items


def _marketing(view: View, style: Style, money: float) -> list[dict[str, Any]]:
    cells: dict[str, int] = {}
    for cell in view.cells:
        cells[cell.channel] = cells.get(cell.channel, 0) + 1
    budget = max(0.0, money) * 0.1
    asked = {channel: ADVERTISING[channel] * style.marketing * count * DAYS for channel, count in cells.items()}
    scale = min(1.0, budget / max(1.0, sum(asked.values())))
    return [
        {"channel": channel, "sku": None, "amount": round(amount * scale)}
        for channel, amount in sorted(asked.items())
        if amount * scale >= 100
    ]


def _investments(view: View, style: Style, money: float) -> Bought:
    """Setup time first, then capacity, then green steps, each as far as money beyond the reserve and credit go."""
    wishes = (
        [] if view.round_number > view.horizon - 3 else [("capacity", style.capacity_steps.get(view.round_number, 0))]
    )
    if view.round_number <= 2 < view.horizon:
        left = int((view.investments.get("setup_time") or {}).get("steps_left") or 0)
        wishes = [("setup_time", style.setup_hours - (LADDER - left)), *wishes]
        wishes += [(kind, style.green_steps) for kind in ("green_production", "green_fleet")]
    items: list[dict[str, Any]] = []
    before = free = max(0.0, min(money - style.reserve, _credit_room(view)))
    for kind, steps in wishes:
        option = view.investments.get(kind)
        cost = float(option["cost"]) if option else 0.0
        granted = 0
        while option and granted < min(steps, option["steps_left"] or steps) and cost <= free:
            free -= cost
            cost *= DEARER[kind]
            granted += 1
        if granted and option:
            items.append({"kind": kind, "amount": granted * int(option["step"])})
    cut = sum(item["amount"] for item in items if item["kind"] == "setup_time")
    return Bought(items, before - free, cut)


def _credit_room(view: View) -> float:
    """EUR of debt until the bank would cut its limit below the loan, by the rules' steps of net debt."""
    edge = 6.5e6 if view.loan > 0.3 * view.equity else 9.5e6
    stocking_up = 500_000.0 if view.round_number <= 2 else 200_000.0
    return edge - view.net_debt - stocking_up


def _finance(view: View, style: Style, after: float, bought: Bought) -> dict[str, Any]:
    """Borrow what the round lacks, repay what it does not need; `after` is the cash left without the round's sales."""
    lacking = max(0.0, style.reserve / 2 - after)
    borrow = min(view.borrow, lacking)
    spare = max(0.0, min(view.repay, after - style.reserve - 300_000.0))
    return {
        "borrow": int(borrow / 1000) * 1000,
        "repay": 0 if borrow else int(spare / 1000) * 1000,
        "dividend": 0 if borrow else int(view.dividend * style.payout),
        "investments": bought.items,
    }
