"""Carbon: a firm's footprint by day and scope, and the bill for it every week.

Scope 1 is production, setup, overstock, freight and pickup; scope 2 energy; scope 3 purchased food and other overhead.
Arrays have the firms, if there are several, on the axes written as "…".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from erpsim.parameters import RULES
from erpsim.units import WEEK, WEEKS, FloatArray, IntArray, cents_array, frozen

SCOPES: Final = 3


@dataclass(frozen=True, eq=False)
class Activity:
    """What firms do in a round that emits, by day, before any green step."""

    produced: IntArray  # (…, 30) units finished
    setup_hours: FloatArray  # (…, 30) h
    overstock_kg: FloatArray  # (…, 30) kg CO2e of stock beyond what is free
    sent: IntArray  # (…, 30) units sent to channels
    pickup_kg: FloatArray  # (…, 30) kg CO2e of purchase orders
    food_received: IntArray  # (…, 30) kg of food


def footprint(activity: Activity, green_production: IntArray | int, green_fleet: IntArray | int) -> FloatArray:
    """Emissions by day and scope, (…, 30, 3) kg CO2e, read-only.

    Args:
        activity: the round's activity.
        green_production: (…) steps bought so far; each cuts production, and nothing else, by 15 % of the full figure.
        green_fleet: (…) steps bought so far; each cuts freight and pickup alone, by 15 % of the full figure.
    """
    # Transposed, since a firm's share goes with all its days.
    production = ((activity.produced * RULES.carbon_production).T * _left(green_production)).T
    fleet = ((activity.sent * RULES.carbon_freight + activity.pickup_kg).T * _left(green_fleet)).T
    kg = np.empty((*production.shape, SCOPES))
    kg[..., 0] = production + activity.setup_hours * RULES.carbon_setup + activity.overstock_kg + fleet
    kg[..., 1] = RULES.carbon_energy
    kg[..., 2] = activity.food_received * RULES.carbon_food + RULES.carbon_overhead
    return frozen(kg)


def bill(kg: FloatArray, price: FloatArray | float) -> IntArray:
    """Carbon cost by day posted, (…, 30) cents, read-only: each fifth day's bill is for the five days that end with it.

    Args:
        kg: (…, 30, 3) kg CO2e by day and scope.
        price: (…) EUR per kg.
    """
    *firms, days, scopes = kg.shape
    by_week = np.add.reduce(kg.reshape(*firms, WEEKS, WEEK * scopes), axis=-1)
    posted = np.zeros((*firms, days), dtype=np.int64)
    posted[..., WEEK - 1 :: WEEK] = cents_array((by_week.T * price).T)
    return frozen(posted)


def _left(steps: IntArray | int) -> FloatArray:
    """What so many steps leave of each day's kg, (…)."""
    left: FloatArray = 1 - np.multiply(steps, RULES.green_cut)
    return left
