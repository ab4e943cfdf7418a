"""What a rule expects to sell: from a market study before there are sales, then from its own demanded units."""

from __future__ import annotations

from typing import Final

from erpsim.observation import Observation
from erpsim.units import DAYS, FloatArray

OWN_ELASTICITY: Final = 2.2
"""Percent of demand that a rule expects to lose for one percent of price, rivals reacting a little."""
STUDY_ELASTICITY: Final = 3.0
"""Price exponent by which a rule reads the market study when every firm asks the same price."""
STUDY_OUTSIDE: Final = 0.25
"""Share of the market that buys elsewhere when every firm asks list prices, as a rule assumes it."""
LAUNCH_WEIGHT: Final = 0.5
"""Weight of round 1's own demand, which empty shelves everywhere have inflated; the rest is the market study's."""


def demand_at(observation: Observation, prices: FloatArray) -> FloatArray:
    """Expect demand of the coming round at given prices, (12, 3) units.

    Args:
        observation: the round's.
        prices: (12, 3) EUR/unit.
    """
    if not observation.history:
        return _study(observation, prices)
    last = observation.history[-1]
    seen = last.demanded * (prices / last.prices) ** -OWN_ELASTICITY
    if len(observation.history) == 1:
        return LAUNCH_WEIGHT * seen + (1 - LAUNCH_WEIGHT) * _study(observation, prices)
    earlier = observation.history[-2]
    # Two rounds back weigh little: they smooth tastes of single cells, not the market's movement.
    before = earlier.demanded * (prices / earlier.prices) ** -OWN_ELASTICITY
    level = seen.sum() / max(float(before.sum()), 1.0)
    smoothed: FloatArray = 0.75 * seen + 0.25 * before * level
    return smoothed


def _study(observation: Observation, prices: FloatArray) -> FloatArray:
    attraction = (prices / observation.list_prices[:, None]) ** -STUDY_ELASTICITY
    inside: FloatArray = attraction / ((1 - STUDY_OUTSIDE) * attraction + STUDY_OUTSIDE)
    expected: FloatArray = observation.market_study * DAYS * inside
    return expected
