"""Arena: exactly six models in one market, each in the seat that it has in Solo."""

from __future__ import annotations

from collections.abc import Sequence

from ecologies.ecology import SEATS, Market, market_id
from ecologies.policy import PolicySpec
from erpsim.errors import WorkError


def arena_market(problem_id: str, models: Sequence[PolicySpec], trial: int = 0) -> Market:
    """Build the market of all models on one problem.

    Raises:
        WorkError: there are not exactly six models.
    """
    if len(models) != SEATS:
        raise WorkError(
            f"an arena seats {SEATS} models, not {len(models)}; play Solo only, or name the seats with --lineup"
        )
    return Market(market_id("arena", problem_id, trial=trial), "arena", "", trial, problem_id, tuple(models))
