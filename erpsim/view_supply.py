"""What `get_inventory` and `get_raw_materials` answer, as plain data.

Goods in units, foods in kg, packaging in pieces; costs and prices in EUR per unit, kg or piece; days are days of the
coming round, 1 to 30, and above 30 those of the next one.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from erpsim.catalogue import CHANNELS, CHANNELS_OF, FOODS, IS_FOOD, MATERIALS, RECIPES, SKUS, VENDORS
from erpsim.figures import ratio, rounded, rounded_rows, whole
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.storage import storage_charges
from erpsim.tool_arguments import Arguments
from erpsim.units import DAYS, FloatArray, euros

_RECIPES: Final = tuple(
    {name: quantity for name, quantity in zip(MATERIALS, row, strict=True) if quantity} for row in RECIPES.tolist()
)
"""Quantity for 1,000 units by material that is in it, by SKU."""


def inventory_view(observation: Observation, arguments: Arguments) -> dict[str, Any]:
    """Show goods, storage and the line.

    Keys: `goods` by SKU: `stock`, `demand_per_day` (last round's, in round 1 the market study's) and `days_of_cover`
    by channel, `total`, `unit_cost` (moving average), `material_cost` (at this week's prices), `made_last_round`;
    `storage` by kind: `stock`, `free` and what it costs now (`eur_per_day`; each started block of `block` beyond the
    free amount costs `eur_per_day_and_block`); `line`: `units_per_day`, `units_per_hour`, `hours` in this round,
    `setup_hours` of a change of SKU, `set_up_for`, lot sizes in units.
    """
    goods = _goods(observation)
    return {
        "round": observation.round_number,
        "goods": {SKUS[j]: _shown(goods, j, arguments.channels) for j in arguments.skus},
        "storage": _storage(observation),
        "line": _line(observation),
    }


def materials_view(observation: Observation, arguments: Arguments) -> dict[str, Any]:
    """Show raw materials, vendors, recipes and, for a plan, what it needs.

    Keys: `materials` by name: `unit`, `stock`, `under_way` (day and quantity), `price_by_week` (vendor A, the six weeks
    of this round, EUR); `vendors`: `price_factor`, `lead_days` [low, high], fees in EUR an order (lines of one vendor,
    class and day are one order); `smallest_line`; `recipes` by SKU: quantity per 1,000 units; `plan`, when one is
    given: by material `need`, `on_hand`, `under_way`, `to_order` and its `value_eur` at this week's price, the total
    `value_eur`, and the line's time: `hours_needed`, `setups`, `hours` of the round.
    """
    view = {
        "round": observation.round_number,
        "materials": _materials(observation, arguments.materials),
        "vendors": {vendor: _vendor(observation, index) for index, vendor in enumerate(VENDORS)},
        "smallest_line": RULES.order_minimum,
        "payable_days": RULES.payable_days,
        "recipes": {SKUS[j]: _RECIPES[j] for j in arguments.skus},
    }
    return view | {"plan": _plan(observation, arguments)} if arguments.plan else view


def demand_per_day(observation: Observation) -> FloatArray:
    """Units that a cell asks for a day: the last round's demand, or the market study before there is one, (12, 3)."""
    return observation.history[-1].demanded / DAYS if observation.history else observation.market_study


class _Goods(NamedTuple):
    """Goods by SKU."""

    demand: list[list[float]]  # units a day by channel
    stock: list[list[int]]  # by channel
    unit_cost: list[float]
    material_cost: list[float]
    made: list[int] | list[None]  # in the last round


def _goods(observation: Observation) -> _Goods:
    past = observation.history[-1] if observation.history else None
    return _Goods(
        demand=demand_per_day(observation).tolist(),
        stock=observation.goods_stock.tolist(),
        unit_cost=observation.goods_cost.tolist(),
        material_cost=observation.unit_cost.tolist(),
        made=past.produced.tolist() if past else [None] * len(SKUS),
    )


def _shown(goods: _Goods, sku: int, channels: tuple[int, ...]) -> dict[str, Any]:
    """One SKU."""
    wanted, stock, sold = goods.demand[sku], goods.stock[sku], CHANNELS_OF[SKUS[sku]]
    active = [(k, CHANNELS[k]) for k in channels if CHANNELS[k] in sold]
    return {
        "stock": {name: stock[k] for k, name in active},
        "demand_per_day": {name: whole(wanted[k]) for k, name in active},
        "days_of_cover": {name: ratio(stock[k], wanted[k], 1) for k, name in active},
        "total": sum(stock),
        "unit_cost": rounded(goods.unit_cost[sku], 4),
        "material_cost": rounded(goods.material_cost[sku], 4),
        "made_last_round": goods.made[sku],
    }


def _storage(observation: Observation) -> dict[str, Any]:
    kept = observation.material_stock
    stocks = (int(observation.goods_stock.sum()), int(kept[IS_FOOD].sum()), int(kept[~IS_FOOD].sum()))
    tariffs = (RULES.storage_goods, RULES.storage_food, RULES.storage_packaging)
    # Each stock as a day of its own, so that each is charged alone.
    charges = storage_charges(np.diag(stocks)).cost.tolist()
    kinds = zip(("goods", "food", "packaging"), stocks, tariffs, charges, strict=True)
    return {
        kind: {
            "stock": stock,
            "free": free,
            "block": RULES.storage_block,
            "eur_per_day_and_block": tariff,
            "eur_per_day": whole(euros(charge)),
        }
        for kind, stock, (free, tariff), charge in kinds
    }


def _line(observation: Observation) -> dict[str, Any]:
    last = observation.plant.last_sku
    return {
        "units_per_day": observation.plant.capacity,
        "units_per_hour": rounded(observation.plant.capacity / 24, 1),
        "hours": rounded(observation.capacity_hours, 1),
        "setup_hours": rounded(observation.setup_hours, 1),
        "set_up_for": SKUS[last] if last >= 0 else None,
        "lot_step": RULES.lot_step,
        "lot_minimum": RULES.lot_minimum,
        "lot_maximum": RULES.lot_maximum,
    }


def _under_way(observation: Observation, material: int) -> list[dict[str, int]]:
    return [
        {"day": order.receipt_day, "quantity": order.quantity}
        for order in sorted(
            [order for order in observation.open_orders if order.material == material],
            key=lambda order: order.receipt_day,
        )
    ]


def _materials(observation: Observation, materials: tuple[int, ...]) -> dict[str, Any]:
    prices = rounded_rows(observation.material_prices.T, 4)
    return {
        MATERIALS[n]: {
            "unit": "kg" if MATERIALS[n] in FOODS else "pieces",
            "stock": int(observation.material_stock[n]),
            "under_way": _under_way(observation, n),
            "price_by_week": prices[n],
        }
        for n in materials
    }


def _vendor(observation: Observation, vendor: int) -> dict[str, Any]:
    return {
        "price_factor": rounded(1 + RULES.vendor_markup[vendor], 4),
        "lead_days": list(observation.lead_ranges[vendor]),
        "food_fee_eur": RULES.order_fee_food[vendor],
        "packaging_fee_eur": RULES.order_fee_packaging[vendor],
    }


def _plan(observation: Observation, arguments: Arguments) -> dict[str, Any]:
    units = np.zeros(len(SKUS), dtype=np.int64)
    for sku, quantity in arguments.plan.items():
        units[sku] = quantity
    # Rounded up for all runs together; the line books each run's materials in whole kg or pieces.
    needs = -(-(units @ RECIPES) // 1000)
    rows = {MATERIALS[n]: _need(observation, n, int(needs[n])) for n in arguments.materials if needs[n]}
    made = [sku for sku, quantity in arguments.plan.items() if quantity]
    setups = sum(before != after for before, after in pairwise([observation.plant.last_sku, *made]))
    hours = int(units.sum()) * 24 / observation.plant.capacity + setups * observation.setup_hours
    return {
        "materials": rows,
        "value_eur": sum(row["value_eur"] for row in rows.values()),
        "hours_needed": rounded(hours, 1),
        "setups": setups,
        "hours": rounded(observation.capacity_hours, 1),
    }


def _need(observation: Observation, material: int, need: int) -> dict[str, int]:
    on_hand = int(observation.material_stock[material])
    coming = sum(row["quantity"] for row in _under_way(observation, material))
    missing = max(0, need - on_hand - coming)
    to_order = max(missing, RULES.order_minimum) if missing else 0
    value = to_order * float(observation.material_prices[0, material])
    return {
        "need": need,
        "on_hand": on_hand,
        "under_way": coming,
        "to_order": to_order,
        "value_eur": math.ceil(round(value, 2)),
    }
