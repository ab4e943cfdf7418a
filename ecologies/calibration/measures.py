"""What is measured on a problem beside the rules' own markets: prices, mistakes, levers, elasticities, winners."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ecologies.calibration.altered import (
    Altered,
    Change,
    balanced,
    from_vendor,
    half_production,
    no_production,
    prices_times,
    uniform_price,
)
from ecologies.ecology import RULE_NAMES
from ecologies.local import play_rounds
from ecologies.policy import Policy
from ecologies.rules import rule_policy
from ecologies.yardsticks.played import SEAT, final_valuations
from erpsim.catalogue import ACTIVE, CHANNELS
from erpsim.market import clear
from erpsim.offer import Offer
from erpsim.problem import Problem
from erpsim.units import FloatArray, IntArray

LEVELS: Final = (0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9, 2.1, 2.5)
"""Price levels that are tried, x list."""
EARLY, LATE = (1, 2), (5, 6)
"""Rounds in which a mistake is made."""
MISTAKES: Final[Mapping[str, Change]] = {
    "prices x 1.4": prices_times(1.4),
    "prices x 0.7": prices_times(0.7),
    "half the runs": half_production,
    "no production": no_production,
}
RISE: Final = 1.05
"""Factor on a price by which elasticities are measured."""
MEASURED_ROUND: Final = 3


class Lever(NamedTuple):
    """A way of playing with and without one thing."""

    used: Policy
    unused: Policy


LEVERS: Final[Mapping[str, Lever]] = {
    "marketing 3 % of revenue": Lever(balanced(), balanced(marketing_share=0.0)),
    "marketing 10 % of revenue": Lever(balanced(marketing_share=0.10), balanced(marketing_share=0.0)),
    "capacity +2,000": Lever(balanced(), balanced(capacity_steps=0)),
    "capacity +5,000": Lever(balanced(capacity_steps=5), balanced(capacity_steps=0)),
    "setup −3 h": Lever(balanced(setup_cut=3), balanced(setup_cut=0)),
    "setup −5 h": Lever(balanced(setup_cut=5), balanced(setup_cut=0)),
    "green steps": Lever(balanced(green_hurdle=0.0), balanced(green_hurdle=math.inf)),
    "vendor B for everything": Lever(Altered(balanced(), from_vendor("B")), balanced()),
    "vendor B at all": Lever(balanced(), Altered(balanced(), from_vendor("A"))),
}
"""What a rule may do or leave; measured by the balanced rule against the five."""


def against(problem: Problem, policy: Policy, rivals: tuple[str, ...] = RULE_NAMES) -> float:
    """Final valuation in EUR of a policy in the measured seat against rules."""
    return final_valuations(problem, [policy, *map(rule_policy, rivals)])[SEAT]


def by_price_level(problem: Problem) -> tuple[float, ...]:
    """Final valuation in EUR at each of `LEVELS` against five balanced rivals."""
    return tuple(against(problem, uniform_price(level), ("balanced",) * 5) for level in LEVELS)


class Mistaken(NamedTuple):
    """What one mistake costs, EUR of final valuation."""

    early: float
    late: float


def mistakes(problem: Problem) -> dict[str, Mistaken]:
    """Cost of each mistake of the balanced rule, made in two early and in two late rounds."""
    right = against(problem, balanced())
    return {
        name: Mistaken(
            *(right - against(problem, Altered(balanced(), change, rounds)) for rounds in (EARLY, LATE)),
        )
        for name, change in MISTAKES.items()
    }


def levers(problem: Problem) -> dict[str, float]:
    """What each lever adds to the balanced rule's final valuation, EUR."""
    worth = {
        policy: against(problem, policy) for policy in dict.fromkeys(one for pair in LEVERS.values() for one in pair)
    }
    return {name: worth[lever.used] - worth[lever.unused] for name, lever in LEVERS.items()}


def freeze(problem: Problem) -> float | None:
    """What a problem's credit freeze adds to the balanced rule's final valuation, EUR; None when it has none."""
    free = tuple(one for one in problem.disturbances if one.kind != "credit_freeze")
    if free == problem.disturbances:
        return None
    return against(problem, balanced()) - against(replace(problem, disturbances=free), balanced())


class Elasticity(NamedTuple):
    """Of units wished for to price, by channel."""

    own: tuple[float, ...]  # one firm raises one SKU
    market: tuple[float, ...]  # all firms raise all SKUs


def elasticities(problem: Problem) -> Elasticity:
    """Measure elasticities on a round of the five rules, cleared again with prices raised by 5 %."""
    offers = asyncio.run(_offers(problem))
    base = clear(problem, MEASURED_ROUND, offers).sales
    wished = _wished(base[0].demanded)
    own = np.full(ACTIVE.shape, np.nan)
    for j, k in np.argwhere(ACTIVE):
        raised = [
            _raised(offers[0], np.arange(ACTIVE.size).reshape(ACTIVE.shape) == j * len(CHANNELS) + k),
            *offers[1:],
        ]
        own[j, k] = _slope(wished[j, k], _wished(clear(problem, MEASURED_ROUND, raised).sales[0].demanded)[j, k])
    every = clear(problem, MEASURED_ROUND, [_raised(offer, ACTIVE) for offer in offers]).sales
    before, after = (sum(_wished(one.demanded).sum(axis=0) for one in sales) for sales in (base, every))
    market = [_slope(before[k], after[k]) for k in range(len(CHANNELS))]
    return Elasticity(tuple(np.nanmean(own, axis=0).tolist()), tuple(market))


async def _offers(problem: Problem) -> list[Offer]:
    """What the five rules bring to the measured round, with more goods than can be sold."""
    async for played in play_rounds(problem, [rule_policy(name) for name in RULE_NAMES]):
        if played.round_number == MEASURED_ROUND:
            break
    full = np.where(ACTIVE, 10_000_000, 0)
    return [replace(turn.plan.offer, opening_stock=full) for turn in played.turns]


def _raised(offer: Offer, cells: npt.NDArray[np.bool_]) -> Offer:
    return replace(offer, prices=np.where(cells, offer.prices * RISE, offer.prices))


def _wished(demanded: IntArray) -> FloatArray:
    wished: FloatArray = demanded.sum(axis=0).astype(np.float64)
    return wished


def _slope(before: float, after: float) -> float:
    return math.log(after / before) / math.log(RISE)


class Winners(NamedTuple):
    """Who is worth most on a problem, by label."""

    solo: str  # each alone against the five rules
    arena: str  # all of them together


def winners(problem: Problem, models: Mapping[str, Policy]) -> Winners:
    """Play six policies as models, each in its own seat in both ecologies."""
    labels = list(models)
    alone: dict[str, float] = {}
    for seat, label in enumerate(labels):
        rules: list[Policy] = [rule_policy(name) for name in RULE_NAMES]
        alone[label] = final_valuations(problem, [*rules[:seat], models[label], *rules[seat:]])[seat]
    together = dict(zip(labels, final_valuations(problem, list(models.values())), strict=True))
    return Winners(max(labels, key=alone.__getitem__), max(labels, key=together.__getitem__))
