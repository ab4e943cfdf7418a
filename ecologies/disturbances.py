"""The kinds of disturbance, how strong and how long each may be, and which may not meet in one problem."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Final, Literal, get_args

import numpy as np

from erpsim.catalogue import CHANNELS
from erpsim.conditions import OPENING_KINDS
from erpsim.problem import Disturbance, DisturbanceKind

Level = Literal["mild", "strong"]
KINDS: Final[tuple[DisturbanceKind, ...]] = get_args(DisturbanceKind)

STRENGTHS: Final[dict[DisturbanceKind, tuple[float, float]]] = {
    "demand_surge": (0.20, 0.45),
    "channel_shift": (0.15, 0.35),
    "price_sensitivity": (1.15, 1.3),
    "material_price": (1.25, 1.5),
    "supplier_delay": (3.0, 6.0),
    "carbon_price": (0.20, 0.30),
    "setup_time": (12.0, 16.0),
}
"""Strength of a mild and of a strong disturbance of the kinds that last 1-2 and 2-3 rounds."""

FIXED: Final[dict[DisturbanceKind, tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "capacity_outage": ((0.30, 0.30), (0.45, 0.45, 0.20)),
    "credit_freeze": ((1.0,), (1.0, 1.0)),
    "opening_overstock": ((200_000.0,), (500_000.0,)),
    "opening_cash": ((-1_500_000.0,), (-2_500_000.0,)),
}
"""Magnitudes of a mild and of a strong disturbance of the kinds whose course is fixed."""

LATEST_START: Final[dict[DisturbanceKind, int]] = {"opening_overstock": 1, "opening_cash": 1, "credit_freeze": 2}
"""Last round in which a kind may start; the others start anywhere that leaves a round after them, if it can be."""

EXCLUDED: Final[frozenset[frozenset[DisturbanceKind]]] = frozenset(
    {
        # They cancel out, and the scenario's name would promise two pressures.
        frozenset({"demand_slump", "demand_surge"}),
        # Half the hours and twice the setups leave a line that makes next to nothing.
        frozenset({"capacity_outage", "setup_time"}),
        # A freeze already comes with low cash.
        frozenset({"credit_freeze", "opening_cash"}),
    }
)
"""Pairs that never meet in one problem; besides, no kind comes twice."""

HARDSHIPS: Final[tuple[DisturbanceKind, ...]] = (
    "demand_slump",
    "channel_shift",
    "price_sensitivity",
    "material_price",
    "capacity_outage",
    "credit_freeze",
    "carbon_price",
    "opening_cash",
    "setup_time",
)
"""Kinds that cost the five rules something when they are strong, by more than the error of what was measured.

Random hardship is drawn from these: a surge of demand and a warehouse that opens full help, and the rules get around a
late vendor.
"""


def variants(kind: DisturbanceKind, level: Level, horizon: int) -> tuple[tuple[float, ...], ...]:
    """List the magnitudes by round that a disturbance may have, cut to the horizon."""
    strong = level == "strong"
    courses: tuple[tuple[float, ...], ...]
    if kind == "demand_slump":
        courses = ((-0.15,) * horizon, (-0.40,) * 2) if strong else ((-0.10,) * horizon, (-0.25,))
    elif kind in FIXED:
        courses = (FIXED[kind][strong],)
    else:
        courses = tuple((STRENGTHS[kind][strong],) * length for length in ((2, 3) if strong else (1, 2)))
    return tuple(dict.fromkeys(course[:horizon] for course in courses))


def compatible(kinds: Iterable[DisturbanceKind]) -> bool:
    """Say whether kinds may meet in one problem."""
    return not any(len(set(pair)) == 1 or frozenset(pair) in EXCLUDED for pair in combinations(kinds, 2))


def scenario(disturbances: Iterable[Disturbance]) -> str:
    """Name a problem's scenario: its kinds, sorted, joined by `+`; `calm` without any."""
    return "+".join(sorted(one.kind for one in disturbances)) or "calm"


def draw(kind: DisturbanceKind, level: Level, horizon: int, rng: np.random.Generator) -> Disturbance:
    """Draw course, start, announcement and channels of one disturbance.

    Opening kinds start in round 1 and are known; a freeze starts in round 1 or 2, while cash is short.
    """
    courses = variants(kind, level, horizon)
    magnitude = courses[rng.integers(len(courses))]
    latest = max(1, min(horizon - len(magnitude), LATEST_START.get(kind, horizon)))
    start = int(rng.integers(1, latest + 1))
    announced = bool(rng.integers(2)) or kind in OPENING_KINDS
    source, target = "", ""
    if kind == "channel_shift":
        source, target = (CHANNELS[index] for index in rng.permutation(len(CHANNELS))[:2])
    return Disturbance(kind, level, start, magnitude, announced, source, target)
