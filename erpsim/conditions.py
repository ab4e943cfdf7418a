"""What one round of a problem is like for every firm alike: potential, tastes, disturbances, and the news of them.

Nothing here depends on a seat, on who plays or on how long the game is: only on the problem and the round.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from erpsim.catalogue import CHANNEL_INDEX, LIST_PRICES, MEAN_PREFERENCE
from erpsim.parameters import RULES
from erpsim.problem import Disturbance, DisturbanceKind, Problem
from erpsim.streams import stream
from erpsim.units import DAYS, WEEK, YEAR, FloatArray, frozen

OPENING_KINDS: Final = ("opening_overstock", "opening_cash")
"""Disturbances that are over once the books are open."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """One round's market and disturbances, all of them combined; arrays are read-only."""

    potential: FloatArray  # (3,) units per firm and day, before season and shocks
    preference: FloatArray  # (12, 3) a_jk; a channel's sum is 1, inactive cells are 0
    price_exponent: FloatArray  # (3,) b_k
    goodwill_exponent: FloatArray  # (3,) c_k
    goodwill_scale: FloatArray  # (3,) EUR per cell and day
    outside_share: float  # s0
    season: FloatArray  # (30,) factor on the potential by day
    hours_percent: int  # of 24 hours a day that the line works
    extra_setup_hours: int  # on top of the rules' hours
    delay_days: int  # on top of vendor A's lead
    credit_frozen: bool  # no borrowing and no investment
    carbon_price: float  # EUR/kg
    news: tuple[str, ...]  # what firms are told when the round starts


@lru_cache(maxsize=4096)
def conditions(problem: Problem, round_number: int) -> Conditions:
    """Work out the conditions of a round (1-based); the same object for equal arguments.

    Disturbances of one kind that overlap are combined: factors multiply, delays add up, and of carbon prices and setup
    hours the highest holds.
    """
    carbon_prices = magnitudes(problem, "carbon_price", round_number)
    setups = magnitudes(problem, "setup_time", round_number)
    working = math.prod(1 - lost for lost in magnitudes(problem, "capacity_outage", round_number))
    sensitivity = problem.market.sensitivity * math.prod(magnitudes(problem, "price_sensitivity", round_number))
    return Conditions(
        potential=frozen(_potential(problem, round_number)),
        preference=_preference(problem.seed),
        price_exponent=frozen(np.array(RULES.price_exponent) * sensitivity),
        goodwill_exponent=frozen(np.array(RULES.goodwill_exponent)),
        goodwill_scale=frozen(np.array(RULES.goodwill_scale)),
        outside_share=problem.market.outside_share,
        season=frozen(_season(problem.seed, round_number)),
        hours_percent=round(100 * min(max(working, 0.0), 1.0)),
        extra_setup_hours=max([0, *(round(hours) - RULES.setup_hours for hours in setups)]),
        delay_days=round(sum(magnitudes(problem, "supplier_delay", round_number))),
        credit_frozen=bool(magnitudes(problem, "credit_freeze", round_number)),
        carbon_price=max(carbon_prices, default=RULES.carbon_price),
        news=tuple(news for one in problem.disturbances if (news := _news(one, round_number))),
    )


def known_conditions(problem: Problem, round_number: int) -> Conditions:
    """Conditions of a round as a firm knows them when it starts: unannounced disturbances show a round later."""
    known = tuple(one for one in problem.disturbances if one.announced or one.start_round < round_number)
    if known == problem.disturbances:
        return conditions(problem, round_number)
    return conditions(replace(problem, disturbances=known), round_number)


def magnitudes(problem: Problem, kind: DisturbanceKind, round_number: int) -> list[float]:
    """Give the magnitudes of the disturbances of one kind that are on in a round, each in the kind's own unit."""
    values = (one.at(round_number) for one in problem.disturbances if one.kind == kind)
    return [value for value in values if value is not None]


def reference_potential(outside_share: float) -> FloatArray:
    """Market potential N_k for one firm: EUR_k / 5 / Σ_j ā_jk p_j / (1 − s0).

    Args:
        outside_share: s0, above 0 and below 1.

    Returns:
        (3,) units per firm and day: 5,563 / 24,426 / 10,135 at s0 = 0.25.
    """
    weekly = np.array(RULES.channel_value)
    return weekly / WEEK / (LIST_PRICES @ MEAN_PREFERENCE) / (1 - outside_share)


@lru_cache(maxsize=1024)
def market_study(problem: Problem) -> FloatArray:
    """Units that one firm sells a day when all ask list prices and tastes are average.

    Knows the problem's size and outside share, and no season, trend or disturbance. (12, 3) units/day.
    """
    share = problem.market.outside_share
    return frozen(reference_potential(share) * problem.market.size * (1 - share) * MEAN_PREFERENCE)


def _potential(problem: Problem, round_number: int) -> FloatArray:
    market = problem.market
    potential = reference_potential(market.outside_share) * market.size * (1 + market.trend) ** (round_number - 1)
    changes = magnitudes(problem, "demand_slump", round_number) + magnitudes(problem, "demand_surge", round_number)
    potential = potential * math.prod(max(0.0, 1 + change) for change in changes)
    for one in problem.disturbances:
        share = one.at(round_number)
        if one.kind == "channel_shift" and share is not None:
            moved = share * potential[CHANNEL_INDEX[one.source]]
            potential[CHANNEL_INDEX[one.source]] -= moved
            potential[CHANNEL_INDEX[one.target]] += moved
    return potential


@lru_cache(maxsize=1024)
def _preference(seed: int) -> FloatArray:
    taste = MEAN_PREFERENCE * np.exp(
        RULES.preference_sd * stream(seed, 0, "preference").standard_normal(MEAN_PREFERENCE.shape)
    )
    return frozen(taste / taste.sum(axis=0))


def _season(seed: int, round_number: int) -> FloatArray:
    phase = _season_phase(seed)
    day = DAYS * (round_number - 1) + np.arange(1, DAYS + 1)
    return 1 + RULES.season_amplitude * np.sin(2 * np.pi * (day + phase) / YEAR)


@lru_cache(maxsize=1024)
def _season_phase(seed: int) -> float:
    """Days by which the year is ahead when the game opens."""
    return stream(seed, 0, "season").uniform(0, YEAR)


def _news(disturbance: Disturbance, round_number: int) -> str:
    """Tell what is known of a disturbance: at once if announced, else from the round after its start; "" if nothing."""
    first, last = disturbance.start_round, disturbance.start_round + disturbance.length - 1
    tell, magnitude = _SENTENCES[disturbance.kind], disturbance.at(round_number)
    if disturbance.kind in OPENING_KINDS:
        return f"{tell(disturbance, disturbance.magnitude[0])}." if round_number == 1 else ""
    if disturbance.announced:
        if magnitude is None:
            return ""
        end = "this round only" if first == last else f"rounds {first} to {last}"
        return f"{tell(disturbance, magnitude)} ({end})."
    if magnitude is not None and round_number > first:
        return f"{tell(disturbance, magnitude)} (since round {first}, end unknown)."
    if round_number == first + 1:
        return f"{tell(disturbance, disturbance.magnitude[0])} (in round {first}, over now)."
    return ""


def _percent(fraction: float) -> str:
    return f"{100 * abs(fraction):.0f} %"


_SENTENCES: Final[dict[DisturbanceKind, Callable[[Disturbance, float], str]]] = {
    "demand_slump": lambda _, change: f"Demand is {_percent(change)} below its usual level",
    "demand_surge": lambda _, change: f"Demand is {_percent(change)} above its usual level",
    "channel_shift": lambda one, share: f"{_percent(share)} of the demand in {one.source} moves to {one.target}",
    "price_sensitivity": lambda _, factor: f"Customers react {factor:g} times as strongly to prices as usual",
    "material_price": lambda _, factor: f"Materials cost {factor:g} times their usual price",
    "supplier_delay": lambda _, days: f"Vendor A delivers {days:g} days later than usual",
    "capacity_outage": lambda _, lost: f"The line works {_percent(lost)} fewer hours a day than usual",
    "credit_freeze": lambda *_: "Banks lend nothing new and pay for no investment",
    "carbon_price": lambda _, price: f"Carbon costs {price:.2f} EUR/kg",
    "opening_overstock": lambda _, units: f"The warehouse opens with {abs(units):,.0f} units of unsold goods",
    "opening_cash": lambda _, amount: f"The company opens with {abs(amount):,.0f} EUR less cash than usual",
    "setup_time": lambda _, hours: f"A change of SKU takes {hours - RULES.setup_hours:g} hours longer than usual",
}
