"""The best that a rule's parameters can do on a problem against five fixed rules, found by search.

The evolution strategy of `rule_cube` over the parameters of `rule_parameters`, started from the best of the five rules.
It knows the problem only through what it plays, so what it finds is a lower bound of the best response.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ecologies.ecology import RULE_NAMES
from ecologies.rule_cube import FIRST_STEP, Cube, Span, next_step
from ecologies.rule_parameters import RULE_PARAMETERS, RuleParameters
from ecologies.rules import RulePolicy
from ecologies.yardsticks.played import against_rules
from erpsim.problem import Problem
from erpsim.streams import stream
from erpsim.units import FloatArray

SPANS: Final = {
    "opening_price": Span(1.0, 2.4),
    "floor": Span(0.6, 1.6),
    "premium": Span(0.85, 1.25),
    "rival_weight": Span(0.0, 0.8),
    "learning": Span(0.0, 1.3),
    "price_step": Span(0.02, 0.4),
    "fill_target": Span(0.7, 1.1),
    "closing_days": Span(0.0, 20.0),
    "material_days": Span(0.0, 25.0),
    "marketing_share": Span(0.0, 0.15),
    "capacity_steps": Span(0, 6, whole=True),
    "setup_cut": Span(0, 5, whole=True),
    "green_hurdle": Span(0.0, 4.0),
    "cash_buffer": Span(0, 3_000_000, whole=True),
    "net_debt": Span(0, 12_000_000, whole=True),
    "payout": Span(0.0, 1.0),
}
TILT: Final = Span(0.8, 1.4)
"""Of the price in one channel against the same SKU's elsewhere."""
EVALUATIONS: Final = 80
"""Markets played for a problem, the five rules' among them."""
CUBE: Final = Cube(SPANS, TILT)


@dataclass(frozen=True)
class Found:
    """The best policy that was found."""

    parameters: RuleParameters
    valuation: float  # EUR
    best_rule: str
    best_rule_valuation: float  # EUR
    evaluations: int


def search(problem: Problem, evaluations: int = EVALUATIONS) -> Found:
    """Search a problem; equal problems and numbers of evaluations find the same."""
    rng = stream(problem.seed, 0, "best response")
    starts = {name: against_rules(problem, RulePolicy(RULE_PARAMETERS[name])) for name in RULE_NAMES}
    first = max(starts, key=starts.__getitem__)
    best, worth, step = RULE_PARAMETERS[first], starts[first], FIRST_STEP
    point = _coded(best)
    for _ in range(evaluations - len(starts)):
        # Half of the coordinates move, so that good ones are not lost with bad ones.
        moves = rng.standard_normal(len(point)) * (rng.random(len(point)) < 0.5)
        tried = np.clip(point + step * moves, 0.0, 1.0)
        candidate = _decoded(best, tried)
        reached = against_rules(problem, RulePolicy(candidate))
        won = reached > worth
        step = next_step(step, won)
        if won:
            point, best, worth = tried, candidate, reached
    return Found(best, worth, first, starts[first], evaluations)


def plain(parameters: RuleParameters) -> dict[str, Any]:
    """The searched parameters as plain data."""
    figures = {name: round(float(getattr(parameters, name)), 4) for name in SPANS}
    return {**figures, "channel_tilt": [round(float(tilt), 4) for tilt in parameters.channel_tilt]}


def _coded(parameters: RuleParameters) -> FloatArray:
    """Parameters as a point of the unit cube."""
    return np.clip(np.array(CUBE.coded(parameters), dtype=np.float64), 0.0, 1.0)


def _decoded(base: RuleParameters, point: FloatArray) -> RuleParameters:
    return replace(base, name="searched", **CUBE.decoded(point.tolist()))
