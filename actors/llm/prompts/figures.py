"""The rules' figures as the system prompt states them, each read from the tables and typed nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any, Final

from erpsim.catalogue import (
    CHANNELS,
    FLAVOUR_PREFERENCE,
    FLAVOURS,
    FOODS,
    LIST_PRICES,
    MATERIALS,
    RECIPES,
    SKU_INDEX,
    SKUS,
)
from erpsim.loans import LIMIT_STEPS, RISK_LINE, Knot
from erpsim.parameters import RULES
from erpsim.units import DAYS, WEEK, YEAR, euros
from erpsim.valuation import Position, breakup_value

EXAMPLE_SKU: Final = "NUT-500"
EXAMPLE_UNITS: Final = 32_000

NOTHING = Position(earnings=0.0, book_value=0.0, company_risk=0.0, cash=0.0, loan=0.0)
"""A firm that owns nothing: what one EUR of something adds to its break-up value is the share that it fetches."""


@lru_cache
def figures() -> dict[str, str]:
    """Texts by placeholder of `system.txt`, without the three that depend on the game."""
    return {
        **_products(),
        **_operations(),
        **_demand(),
        **_money(),
        **_score(),
        "days": str(DAYS),
        "week": str(WEEK),
        "example": json.dumps(example()),
        "example_units": _whole(EXAMPLE_UNITS),
        "example_sku": EXAMPLE_SKU,
    }


def example() -> dict[str, Any]:
    """A decision's form; its numbers are no advice, but its orders are just what its production needs."""
    needs = (RECIPES[SKU_INDEX[EXAMPLE_SKU]] * EXAMPLE_UNITS // 1000).tolist()
    needed = {name: need for name, need in zip(MATERIALS, needs, strict=True) if need}
    return {
        "prices": {EXAMPLE_SKU: {"grocery": 4.1, "independent": 4.35}, "NUT-1000": 4.8},
        "production": [
            {"sku": EXAMPLE_SKU, "quantity": EXAMPLE_UNITS, "distribution": {"grocery": 0.7, "independent": 0.3}}
        ],
        "purchase_orders": [{"material": name, "quantity": need} for name, need in needed.items()],
        "marketing": [{"channel": "grocery", "sku": None, "amount": 6000}],
        "finance": {
            "borrow": 0,
            "repay": 0,
            "dividend": 0,
            "investments": [{"kind": "setup_time", "amount": 1}],
        },
        "rationale": "short",
    }


def _products() -> dict[str, str]:
    return {
        "recipe_original": _recipe("ORIGINAL-1000"),
        "recipe_mixed": _recipe("MIXED-1000"),
        "recipe_nut": _recipe("NUT-1000"),
        "materials": ", ".join(MATERIALS),
        "list_prices": ", ".join(f"{sku} {price:.2f}" for sku, price in zip(SKUS, LIST_PRICES.tolist(), strict=True)),
        "popularity": ", ".join(
            f"{name} {share:.0%}" for name, share in zip(FLAVOURS, FLAVOUR_PREFERENCE, strict=True)
        ),
        "popularity_spread": f"{RULES.preference_sd * 100:g}",
    }


def _operations() -> dict[str, str]:
    rules = RULES
    return {
        "capacity": _whole(rules.capacity),
        "setup_hours": str(rules.setup_hours),
        "lot_minimum": _whole(rules.lot_minimum),
        "lot_maximum": _whole(rules.lot_maximum),
        "lot_step": _whole(rules.lot_step),
        "lead_a": f"{rules.vendor_lead_low[0]}-{rules.vendor_lead_high[0]}",
        "lead_b": f"{rules.vendor_lead_low[1]}-{rules.vendor_lead_high[1]}",
        "markup_b": f"{rules.vendor_markup[1] * 100:g}",
        "fee_b_food": _whole(rules.order_fee_food[1]),
        "fee_b_packaging": _whole(rules.order_fee_packaging[1]),
        "order_minimum": f"{_whole(rules.order_minimum)} kg or pieces",
        "payable_days": str(rules.payable_days),
        "price_floor": f"{rules.price_floor:g}",
        "price_cap": f"{rules.price_cap:g}",
        "freight": f"{rules.freight:g}",
        "carbon_production": f"{rules.carbon_production:g}",
        "carbon_setup": f"{rules.carbon_setup:g}",
        "carbon_pickup_low": _whole(min(rules.carbon_pickup_food + rules.carbon_pickup_packaging)),
        "carbon_pickup_high": _whole(max(rules.carbon_pickup_food + rules.carbon_pickup_packaging)),
        "carbon_freight": f"{rules.carbon_freight:g}",
        "carbon_food": f"{rules.carbon_food:g}",
        "carbon_fixed": _whole(rules.carbon_energy + rules.carbon_overhead),
    }


def _demand() -> dict[str, str]:
    rules = RULES
    return {
        "exponents": _triple(rules.price_exponent),
        "goodwill_exponents": _triple(rules.goodwill_exponent),
        "goodwill_scale": _triple(rules.goodwill_scale),
        "goodwill_decay": f"{rules.goodwill_decay:g}",
        "goodwill_gain": f"{1 - rules.goodwill_decay:.2g}",
        "service_exponent": f"{rules.service_exponent:g}",
        "service_memory": f"{rules.service_memory:g}",
        "service_floor": f"{rules.service_floor:g}",
        "outside_share": f"{rules.outside_share * 100:g}",
        "season": f"{rules.season_amplitude * 100:g}",
    }


def _money() -> dict[str, str]:
    rules = RULES
    waits = zip(CHANNELS, rules.receivable_days_low, rules.receivable_days_high, strict=True)
    return {
        "fixed": _whole(rules.labour + rules.overhead + rules.administration),
        "plant_years": f"{rules.plant_life / YEAR:g}",
        "building_years": f"{rules.building_life / YEAR:g}",
        "free_goods": _whole(rules.storage_goods[0]),
        "free_food": _whole(rules.storage_food[0]),
        "free_packaging": _whole(rules.storage_packaging[0]),
        "storage_block": _whole(rules.storage_block),
        "storage_goods": _whole(rules.storage_goods[1]),
        "storage_food": _whole(rules.storage_food[1]),
        "storage_packaging": _whole(rules.storage_packaging[1]),
        "tax": f"{rules.tax_rate * 100:g}",
        "tax_day": str(rules.tax_day),
        **{f"receivable_{name}": str(low) if low == high else f"{low}-{high}" for name, low, high in waits},
        "overdraft": f"{rules.overdraft_spread * 100:g}",
        "loan_spread": f"{rules.loan_spread * 100:g}",
        "capacity_step": _whole(rules.capacity_step),
        "capacity_cost": _whole(rules.capacity_cost),
        "capacity_growth": f"{rules.capacity_growth * 100:g}",
        "setup_minimum": str(rules.setup_hours_minimum),
        "setup_ladder": " / ".join(_whole(cost) for cost in rules.setup_ladder),
        "green_cost": _whole(rules.green_cost),
        "green_steps": str(rules.green_steps),
        "green_cut": f"{rules.green_cut * 100:g}",
        "risk_line": _risk_line(),
        "limit_steps": _limit_steps(),
    }


def _score() -> dict[str, str]:
    rules = RULES
    return {
        "market_rate": f"{rules.market_rate * 100:g}",
        "equity_floor": _whole(rules.equity_floor),
        "retention": f"{rules.retention:g}",
        "growth_cap": f"{rules.growth_cap * 100:g}",
        "growth_years": str(rules.growth_years),
        "growth_stable": f"{rules.growth_stable * 100:g}",
        "breakup_receivables": f"{breakup_value(replace(NOTHING, receivables=1.0)):g}",
        "breakup_stock": f"{breakup_value(replace(NOTHING, stock=1.0)):g}",
        "breakup_fixed_assets": f"{breakup_value(replace(NOTHING, fixed_assets=1.0)):g}",
    }


def _recipe(sku: str) -> str:
    kilograms = RECIPES[SKU_INDEX[sku]].tolist()
    shares = [(count, food) for count, food in zip(kilograms, FOODS, strict=False) if count]
    return " + ".join(f"{count / 10:g} % {food}" for count, food in shares)


def _triple(values: tuple[float, float, float]) -> str:
    return " / ".join(f"{value:g}" for value in values)


def _risk_line() -> str:
    """Every knot of the risk line, the regular ones at its end as one slope."""
    moves = [_move(*pair) for pair in pairwise(RISK_LINE)]
    regular = sum(1 for _ in takewhile(lambda move: move == moves[-1], reversed(moves)))
    debt, risk = moves[-1]
    single = ", ".join(_knot(knot) for knot in RISK_LINE[: len(RISK_LINE) - regular])
    return f"{single}, then +{risk / 100:.2f} points per {debt} M EUR up to {_knot(RISK_LINE[-1])}"


def _move(left: Knot, right: Knot) -> tuple[str, int]:
    """M EUR, and hundredths of a point of risk, between two knots."""
    return f"{euros(right.net_debt - left.net_debt) / 1e6:g}", round((right.risk - left.risk) * 10_000)


def _knot(knot: Knot) -> str:
    return f"{euros(knot.net_debt) / 1e6:g}: {knot.risk:.2%}"


def _limit_steps() -> str:
    parts = [f"{step.eighths / 8:g} up to risk {step.risk:.2%}" for step in LIMIT_STEPS[:-1]]
    return f"{', '.join(parts)}, {LIMIT_STEPS[-1].eighths / 8:g} above"


def _whole(value: float) -> str:
    """A number as JSON writes it: marks between thousands would come back in answers."""
    return f"{value:.0f}"
