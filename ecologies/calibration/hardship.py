"""What each kind of disturbance costs the rules, estimated over many problems at once.

Least squares of the five rules' mean valuation on the market's figures and on the presence of each disturbance, all
additive: no interactions, so that what two disturbances do to each other is in the residual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ecologies.disturbances import KINDS, Level
from erpsim.problem import DisturbanceKind, Problem
from erpsim.units import FloatArray

LEVELS: Final[tuple[Level, ...]] = ("mild", "strong")

Key = tuple[DisturbanceKind, Level]


class Effect(NamedTuple):
    """What one kind at one level does to the mean valuation of a problem."""

    mean: float  # EUR, negative where it costs
    error: float  # EUR, standard error
    problems: int  # that have it


@dataclass(frozen=True)
class Hardship:
    """Effects by kind and level, and how much of all differences between problems the estimate explains."""

    effects: Mapping[Key, Effect]
    explained: float  # share of the variance, R²
    residual: float  # EUR, standard deviation of what is left

    def of(self, problem: Problem) -> float:
        """Sum of the effects of a problem's disturbances, EUR."""
        return sum(self.effects[one.kind, one.level].mean for one in problem.disturbances)


def hardship(problems: Sequence[Problem], worth: FloatArray) -> Hardship:
    """Estimate from problems and their mean valuations (problems,), EUR; a kind that never comes gets 0."""
    keys: list[Key] = [(kind, level) for kind in KINDS for level in LEVELS]
    seen = np.array([[(key in _keys(problem)) for key in keys] for problem in problems], dtype=np.float64)
    design = np.hstack([np.array([_market(problem) for problem in problems]), seen])
    inverse = np.linalg.pinv(design.T @ design)
    estimate = inverse @ design.T @ worth
    left = worth - design @ estimate
    variance = float(left @ left) / (len(problems) - np.linalg.matrix_rank(design))
    errors = np.sqrt(variance * inverse.diagonal())
    first = design.shape[1] - len(keys)
    rows = zip(keys, estimate[first:], errors[first:], seen.sum(axis=0), strict=True)
    return Hardship(
        effects={key: Effect(float(mean), float(error), int(count)) for key, mean, error, count in rows},
        explained=1 - float(left.var() / worth.var()),
        residual=variance**0.5,
    )


def _keys(problem: Problem) -> set[Key]:
    return {(one.kind, one.level) for one in problem.disturbances}


def _market(problem: Problem) -> list[float]:
    market = problem.market
    return [1.0, np.log(market.size), market.trend, market.sensitivity, market.outside_share, market.material_level]
