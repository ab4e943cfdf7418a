"""What chance does to every firm alike: material prices, lead times, payment days and demand shocks.

Each array is a function of (problem, round) alone, drawn from its own keyed streams, cached and read-only; equal
problems therefore meet the same chances in every ecology, whoever asks first and however long the game is.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNELS, FOODS, IS_FOOD, MATERIAL_PRICES, MATERIALS, VENDORS
from erpsim.conditions import conditions, magnitudes
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.streams import stream
from erpsim.units import DAYS, WEEK, WEEKS, YEAR, FloatArray, IntArray, frozen

PRICE_MEMORY: Final = 0.5
"""AR(1) coefficient of the weekly log price."""
SEASON_RANGE: Final = (0.10, 0.25)
"""Amplitude of a food's seasonal sine, log."""
SPREAD_RANGE: Final = (0.02, 0.05)
"""Standard deviation of a food's AR(1) part, log, a week."""
DEVIATION_LIMIT: Final = 0.7
"""A food's log price keeps within this of its base."""
STEP_CHANCE: Final = 0.3
"""Share of problems in which packaging becomes dearer once."""
STEP_SIZE: Final = 0.20
"""By how much, as a fraction."""
STEP_WEEKS: Final = (2, 36)
"""First and last week of the game (1-based) in which that may start."""


@lru_cache(maxsize=1024)
def material_prices(problem: Problem, round_number: int) -> FloatArray:
    """Prices of vendor A by week of a round.

    A food's log price = log base + seasonal sine + AR(1), within ±0.7 of its base; packaging is flat with at most one
    step. The problem's level and its material-price disturbances multiply the path.

    Returns:
        (6, 10) EUR per kg or piece, rounded to 4 decimals.
    """
    factor = np.ones((WEEKS, len(MATERIALS)))
    factor[:, IS_FOOD] = np.exp(_food_deviation(problem.seed, round_number))
    factor[:, ~IS_FOOD] = _packaging_factor(problem.seed, round_number)[:, None]
    level = problem.market.material_level * math.prod(magnitudes(problem, "material_price", round_number))
    return frozen(np.round(MATERIAL_PRICES * factor * level, 4))


@lru_cache(maxsize=1024)
def leads(problem: Problem, round_number: int) -> IntArray:
    """Days from placing an order to the morning on which it is usable, supplier delays of vendor A included.

    Returns:
        (30, 10, 2) days by day placed, material and vendor.
    """
    days = np.empty((DAYS, len(MATERIALS), len(VENDORS)), dtype=np.int64)
    for index, vendor in enumerate(VENDORS):
        low, high = RULES.vendor_lead_low[index], RULES.vendor_lead_high[index]
        draws = stream(problem.seed, round_number, "lead", vendor)
        days[:, :, index] = draws.integers(low, high, size=days.shape[:2], endpoint=True)
    days[:, :, VENDORS.index("A")] += conditions(problem, round_number).delay_days
    return frozen(days)


@lru_cache(maxsize=1024)
def receivable_days(problem: Problem, round_number: int) -> IntArray:
    """Days until a channel pays what it bought: (30, 3) by day of sale and channel."""
    days = np.empty((DAYS, len(CHANNELS)), dtype=np.int64)
    for index, channel in enumerate(CHANNELS):
        low, high = RULES.receivable_days_low[index], RULES.receivable_days_high[index]
        draws = stream(problem.seed, round_number, "receivable", channel)
        days[:, index] = draws.integers(low, high, size=DAYS, endpoint=True)
    return frozen(days)


@lru_cache(maxsize=1024)
def demand_shocks(problem: Problem, round_number: int) -> FloatArray:
    """Lognormal factors with mean 1 on the wishes for a cell: (30, 12, 3) by day, SKU and channel."""
    normal = stream(problem.seed, round_number, "demand").standard_normal((DAYS, *ACTIVE.shape))
    return frozen(np.exp(RULES.demand_sd * normal - RULES.demand_sd**2 / 2))


class _FoodPath(NamedTuple):
    amplitude: FloatArray  # (6,) log
    phase: FloatArray  # (6,) days
    spread: FloatArray  # (6,) log, standard deviation of the AR(1) part
    start: FloatArray  # (6,) its standardised value in the week before the game


@lru_cache(maxsize=1024)
def _food_path(seed: int) -> _FoodPath:
    draws = [stream(seed, 0, "material", food) for food in FOODS]
    return _FoodPath(
        amplitude=frozen(np.array([draw.uniform(*SEASON_RANGE) for draw in draws])),
        phase=frozen(np.array([draw.uniform(0, YEAR) for draw in draws])),
        spread=frozen(np.array([draw.uniform(*SPREAD_RANGE) for draw in draws])),
        start=frozen(np.array([draw.standard_normal() for draw in draws])),
    )


def _food_deviation(seed: int, round_number: int) -> FloatArray:
    """Log price less log base by week of the round and food, (6, 6)."""
    path = _food_path(seed)
    first_day = DAYS * (round_number - 1) + WEEK * np.arange(WEEKS)[:, None] + 1
    season = path.amplitude * np.sin(2 * np.pi * (first_day + path.phase) / YEAR)
    deviation: FloatArray = season + path.spread * _noise(seed, round_number)
    return deviation.clip(-DEVIATION_LIMIT, DEVIATION_LIMIT)


@lru_cache(maxsize=4096)
def _noise(seed: int, round_number: int) -> FloatArray:
    """AR(1) of standard deviation 1 by week and food, (6, 6); a round goes on from the last week before it."""
    before = _food_path(seed).start if round_number == 1 else _noise(seed, round_number - 1)[-1]
    draws = [stream(seed, round_number, "material", food).standard_normal(WEEKS) for food in FOODS]
    innovations = math.sqrt(1 - PRICE_MEMORY**2) * np.array(draws).T
    noise = np.empty((WEEKS, len(FOODS)))
    for week, innovation in enumerate(innovations):
        before = noise[week] = PRICE_MEMORY * before + innovation
    return frozen(noise)


def _packaging_factor(seed: int, round_number: int) -> FloatArray:
    """Packaging prices over their base by week of the round, (6,)."""
    week = WEEKS * (round_number - 1) + np.arange(1, WEEKS + 1)
    return np.where(week >= _packaging_step(seed), 1 + STEP_SIZE, 1.0)


@lru_cache(maxsize=1024)
def _packaging_step(seed: int) -> float:
    """Week of the game (1-based) from which packaging is dearer; never in most problems."""
    draws = stream(seed, 0, "packaging")
    stepped, step_week = draws.random() < STEP_CHANCE, draws.integers(*STEP_WEEKS, endpoint=True)
    return int(step_week) if stepped else math.inf
