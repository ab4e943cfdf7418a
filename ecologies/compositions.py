"""The `hard` stratum, composed by hand: two or three strong disturbances that make one story."""

from __future__ import annotations

from typing import Final, NamedTuple

from ecologies.disturbances import variants
from erpsim.problem import Disturbance, DisturbanceKind


class Blow(NamedTuple):
    """One strong disturbance of a composition; `rounds` chooses among the lengths that its kind may have."""

    kind: DisturbanceKind
    start: int
    rounds: int
    announced: bool = True
    source: str = ""
    target: str = ""


SUDDEN: Final = False

HARD: Final[dict[str, tuple[Blow, ...]]] = {
    "stagflation": (Blow("demand_slump", 2, 2), Blow("material_price", 2, 3)),
    "broken supply": (Blow("supplier_delay", 2, 3, SUDDEN), Blow("capacity_outage", 3, 3)),
    "discounters win": (
        Blow("price_sensitivity", 2, 3, SUDDEN),
        Blow("channel_shift", 3, 3, True, "independent", "hypermarket"),
    ),
    "credit crunch": (
        Blow("credit_freeze", 1, 2),
        Blow("material_price", 1, 2, SUDDEN),
        Blow("setup_time", 3, 3),
    ),
    "full warehouse, few buyers": (
        Blow("opening_overstock", 1, 1),
        Blow("demand_slump", 1, 6),
        Blow("price_sensitivity", 3, 2, SUDDEN),
    ),
    "worn machines": (
        Blow("setup_time", 1, 3),
        Blow("supplier_delay", 3, 2),
        Blow("material_price", 4, 2, SUDDEN),
    ),
    "carbon and a standstill": (Blow("carbon_price", 2, 3), Blow("capacity_outage", 1, 3, SUDDEN)),
    "thin start": (
        Blow("opening_cash", 1, 1),
        Blow("supplier_delay", 1, 2, SUDDEN),
        Blow("capacity_outage", 2, 3),
    ),
    "boom without hands": (
        Blow("demand_surge", 3, 2),
        Blow("capacity_outage", 2, 3, SUDDEN),
        Blow("material_price", 3, 3),
    ),
    "harvest failure": (
        Blow("material_price", 3, 3),
        Blow("supplier_delay", 3, 2),
        Blow("channel_shift", 2, 3, SUDDEN, "grocery", "independent"),
    ),
    "changing habits": (
        Blow("channel_shift", 1, 3, SUDDEN, "grocery", "independent"),
        Blow("price_sensitivity", 4, 2),
        Blow("setup_time", 3, 2),
    ),
    "frozen boom": (
        Blow("credit_freeze", 1, 2),
        Blow("demand_surge", 2, 2, SUDDEN),
        Blow("capacity_outage", 2, 3),
    ),
    "poor and pressed": (
        Blow("opening_cash", 1, 1),
        Blow("price_sensitivity", 2, 3),
        Blow("carbon_price", 3, 3),
    ),
    "late recession": (
        Blow("demand_slump", 4, 2, SUDDEN),
        Blow("carbon_price", 3, 3),
        Blow("channel_shift", 2, 2, True, "grocery", "hypermarket"),
    ),
    "clogged line": (
        Blow("opening_overstock", 1, 1),
        Blow("setup_time", 2, 3),
        Blow("demand_slump", 3, 2, SUDDEN),
    ),
}
"""Compositions by name, in the order in which a panel takes them."""


def compose(index: int, horizon: int) -> tuple[Disturbance, ...]:
    """Give the disturbances of the n-th composition (0-based, around again after the last), fitted to a horizon."""
    blows = list(HARD.values())[index % len(HARD)]
    return tuple(_disturbance(blow, horizon) for blow in blows)


def _disturbance(blow: Blow, horizon: int) -> Disturbance:
    courses = variants(blow.kind, "strong", horizon)
    magnitude = min(courses, key=lambda course: abs(len(course) - blow.rounds))
    start = max(1, min(blow.start, horizon - len(magnitude) + 1))
    return Disturbance(blow.kind, "strong", start, magnitude, blow.announced, blow.source, blow.target)
