"""Every figure of the rules, once, with its unit, its sensible range and its source.

`RULES` is the table's value; a field's metadata carries unit, low, high and source. Problems override market
parameters (`problem.MarketSettings`), never these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

RULES_VERSION: Final = "1.0.0"
"""Stamped on every record; a change that moves any outcome bumps it and makes scores not comparable."""

JOB_AID = "ERPsim manufacturing job aids and exports, 2023-24"
CALIBRATED = "calibrated"
CHOICE = "choice"


def _figure(value: Any, unit: str, bounds: tuple[float, float], source: str) -> Any:
    return field(default=value, metadata={"unit": unit, "low": bounds[0], "high": bounds[1], "source": source})


@dataclass(frozen=True)
class Rules:
    """The rules' figures; money in EUR, rates as fractions a year, triples by channel in catalogue order."""

    # production
    capacity: int = _figure(24_000, "units/day", (1_000, 1_000_000), JOB_AID)
    lot_step: int = _figure(1_000, "units", (1, 16_000), CHOICE)
    lot_minimum: int = _figure(16_000, "units", (1_000, 48_000), JOB_AID)
    lot_maximum: int = _figure(48_000, "units", (16_000, 1_000_000), JOB_AID)
    setup_hours: int = _figure(8, "h", (3, 24), JOB_AID)
    setup_hours_minimum: int = _figure(3, "h", (0, 8), JOB_AID)
    # procurement
    order_minimum: int = _figure(1_000, "kg or pieces", (1, 100_000), CHOICE)
    vendor_markup: tuple[float, float] = _figure((0.0, 0.03), "fraction of price", (0, 1), CALIBRATED)
    vendor_lead_low: tuple[int, int] = _figure((2, 1), "days", (1, 20), JOB_AID)
    vendor_lead_high: tuple[int, int] = _figure((7, 2), "days", (1, 20), CALIBRATED)
    order_fee_food: tuple[int, int] = _figure((0, 1_000), "EUR/order", (0, 100_000), JOB_AID)
    order_fee_packaging: tuple[int, int] = _figure((0, 2_000), "EUR/order", (0, 100_000), JOB_AID)
    payable_days: int = _figure(20, "days", (1, 30), JOB_AID)
    # distribution and storage
    freight: float = _figure(0.05, "EUR/unit", (0, 1), JOB_AID)
    storage_block: int = _figure(50_000, "units, kg or pieces", (1, 1_000_000), JOB_AID)
    storage_goods: tuple[int, int] = _figure((250_000, 500), "free units; EUR/day a block", (0, 1e7), JOB_AID)
    storage_food: tuple[int, int] = _figure((250_000, 1_000), "free kg; EUR/day a block", (0, 1e7), JOB_AID)
    storage_packaging: tuple[int, int] = _figure((750_000, 100), "free pieces; EUR/day a block", (0, 1e7), JOB_AID)
    # demand
    price_exponent: tuple[float, float, float] = _figure((3.5, 3.0, 2.3), "b", (0.5, 8), CALIBRATED)
    goodwill_exponent: tuple[float, float, float] = _figure((0.06, 0.10, 0.15), "c", (0, 1), CALIBRATED)
    goodwill_scale: tuple[float, float, float] = _figure((15.0, 30.0, 22.0), "EUR/cell/day", (1, 1e4), CALIBRATED)
    goodwill_decay: float = _figure(0.95, "per day", (0, 1), CALIBRATED)
    service_exponent: float = _figure(0.5, "h", (0, 2), CALIBRATED)
    service_memory: float = _figure(0.5, "per round", (0, 1), CALIBRATED)
    service_floor: float = _figure(0.5, "fraction", (0.01, 1), CALIBRATED)
    outside_share: float = _figure(0.25, "fraction", (0.01, 0.9), CALIBRATED)
    channel_value: tuple[float, float, float] = _figure(
        (103_500.0, 414_000.0, 155_000.0), "EUR/week and firm", (1e3, 1e7), "job aids' market sizes times 1.15"
    )
    season_amplitude: float = _figure(0.08, "fraction", (0, 0.5), CALIBRATED)
    preference_sd: float = _figure(0.25, "log", (0, 1), CALIBRATED)
    demand_sd: float = _figure(0.08, "log", (0, 1), CALIBRATED)
    price_floor: float = _figure(0.3, "x list", (0.01, 1), CHOICE)
    price_cap: float = _figure(5.0, "x list", (1, 100), CHOICE)
    # finance
    land: int = _figure(500_000, "EUR", (0, 1e9), JOB_AID)
    buildings: int = _figure(1_500_000, "EUR", (0, 1e9), JOB_AID)
    plant: int = _figure(24_000_000, "EUR", (0, 1e9), JOB_AID)
    labour: int = _figure(4_000, "EUR/day", (0, 1e6), JOB_AID)
    overhead: int = _figure(3_000, "EUR/day", (0, 1e6), JOB_AID)
    administration: int = _figure(8_000, "EUR/day", (0, 1e6), JOB_AID)
    plant_life: int = _figure(3_600, "days", (30, 36_000), JOB_AID)
    building_life: int = _figure(9_000, "days", (30, 36_000), JOB_AID)
    receivable_days_low: tuple[int, int, int] = _figure((20, 10, 1), "days", (1, 30), JOB_AID)
    receivable_days_high: tuple[int, int, int] = _figure((20, 20, 20), "days", (1, 30), JOB_AID)
    loan_spread: float = _figure(0.03, "a year over company risk", (0, 1), "derived from game exports")
    overdraft_spread: float = _figure(0.04, "a year over the loan rate", (0, 1), CHOICE)
    tax_rate: float = _figure(0.25, "fraction", (0, 1), CHOICE)
    tax_day: int = _figure(20, "day of the next round", (1, 30), CHOICE)
    capacity_step: int = _figure(1_000, "units/day", (1, 100_000), JOB_AID)
    capacity_cost: int = _figure(1_000_000, "EUR for the first step", (1, 1e9), JOB_AID)
    capacity_growth: float = _figure(0.05, "of the first step's cost, a step", (0, 1), CALIBRATED)
    setup_ladder: tuple[int, ...] = _figure(
        (50_000, 75_000, 125_000, 250_000, 750_000), "EUR for each hour cut, 8 to 3", (1, 1e7), JOB_AID
    )
    green_cost: int = _figure(10_000, "EUR/step", (1, 1e7), JOB_AID)
    green_steps: int = _figure(3, "steps", (0, 10), JOB_AID)
    green_cut: float = _figure(0.15, "fraction a step", (0, 0.5), JOB_AID)
    # carbon
    carbon_production: float = _figure(0.30, "kg/unit", (0, 10), JOB_AID)
    carbon_setup: float = _figure(50.0, "kg/h", (0, 1e4), JOB_AID)
    carbon_pickup_food: tuple[float, float] = _figure((10_000.0, 10_000.0), "kg/order", (0, 1e6), JOB_AID)
    carbon_pickup_packaging: tuple[float, float] = _figure((6_000.0, 15_000.0), "kg/order", (0, 1e6), JOB_AID)
    carbon_freight: float = _figure(0.25, "kg/unit", (0, 10), JOB_AID)
    carbon_energy: float = _figure(500.0, "kg/day", (0, 1e6), JOB_AID)
    carbon_overhead: float = _figure(400.0, "kg/day", (0, 1e6), JOB_AID)
    carbon_food: float = _figure(0.35, "kg/kg purchased", (0, 10), "derived from game exports")
    carbon_overstock: tuple[float, float, float] = _figure(
        (2_500.0, 5_000.0, 1_500.0), "kg/day a block of goods, food, packaging", (0, 1e6), JOB_AID
    )
    carbon_price: float = _figure(0.08, "EUR/kg", (0, 1), "EU ETS level, 80 EUR/t")
    # valuation
    market_rate: float = _figure(0.07, "a year", (0.01, 0.3), JOB_AID)
    retention: float = _figure(0.30, "fraction of earnings", (0, 1), CALIBRATED)
    growth_cap: float = _figure(0.06, "a year, first five years", (0, 0.2), CALIBRATED)
    growth_stable: float = _figure(0.01, "a year, after", (0, 0.1), CALIBRATED)
    growth_years: int = _figure(5, "years", (1, 20), CHOICE)
    spread_minimum: float = _figure(0.03, "a year", (0.001, 0.2), CHOICE)
    equity_floor: int = _figure(1_000_000, "EUR", (1, 1e9), CHOICE)


RULES: Final = Rules()
