"""Problems and states that tests of several rooms start from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from erpsim.decision import Decision
from erpsim.opening import open_firm
from erpsim.problem import Disturbance, MarketSettings, Opening, OpeningOrder, Problem
from erpsim.state import FirmState

CALM_MARKET = MarketSettings(size=1.0, trend=0.0, sensitivity=1.0, outside_share=0.25, material_level=1.0)


def calm_problem(*disturbances: Disturbance, cash: int = 3_000_000, loan: int = 8_000_000, seed: int = 7) -> Problem:
    """A problem of the reference market, with the disturbances given."""
    scenario = "+".join(sorted(one.kind for one in disturbances)) or "calm"
    return Problem("P900", seed, "baseline", scenario, 6, Opening(cash, loan), CALM_MARKET, disturbances)


def disturbance(kind: Any, *magnitude: float, start: int = 1, **names: str) -> Disturbance:
    """A mild, announced disturbance."""
    return Disturbance(kind, "mild", start, magnitude, announced=True, **names)


def opened(problem: Problem | None = None, **changes: Any) -> FirmState:
    """The firm of seat 0 before round 1, with fields of its state changed."""
    return replace(open_firm(problem or calm_problem(), 0), **changes)


def decision(**sections: Any) -> Decision:
    """A decision from plain data, validated as a file's would be."""
    return Decision.model_validate(sections)


def busy_opening(*, poor: bool) -> Opening:
    """Goods in two channels, materials and orders under way, with little cash or with enough."""
    return Opening(
        cash=100_000 if poor else 3_000_000,
        loan=8_000_000,
        goods=((0, 20_000, 70_000), *((0, 3_000, 0),) * 11),
        materials=(9_000,) * 10,
        orders=(OpeningOrder("oats", 20_000, 4, 18_000), OpeningOrder("large_box", 7_000, 30, 2_000)),
    )
