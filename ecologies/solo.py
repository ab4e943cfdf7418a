"""Solo: one focal model in its own seat; the five rules fill the other seats in ascending order."""

from __future__ import annotations

from ecologies.ecology import RULE_NAMES, SEATS, Market, market_id, slug
from ecologies.policy import PolicySpec


def seat_of(model_index: int) -> int:
    """Seat of the run's n-th model (0-based), the same in Solo and Arena; a seventh starts at seat 0 again."""
    return model_index % SEATS


def solo_market(problem_id: str, model: PolicySpec, model_index: int, trial: int = 0) -> Market:
    """Build the market of one model on one problem."""
    rules = tuple(PolicySpec("rule", name) for name in RULE_NAMES)
    seat = seat_of(model_index)
    seats = (*rules[:seat], model, *rules[seat:])
    identity = market_id("solo", problem_id, slug(model.label), trial=trial)
    return Market(identity, "solo", "", trial, problem_id, seats)
