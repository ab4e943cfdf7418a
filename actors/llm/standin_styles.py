"""The six stand-in models: playing style, waiting time, and how often which defect spoils their answers.

They stand in for language models so that everything can be run without a key. They are no model of any real one, and
their results say nothing about any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

PREFIX: Final = "standin/"


@dataclass(frozen=True)
class Style:
    """How one stand-in plays and writes.

    Attributes:
        opening: price in round 1, x list.
        position: where its prices want to be, x the rivals' mean.
        rival_weight: how far a round moves them there, 0-1.
        scarcity: how far more demand than the line can serve raises prices, and less lowers them, 0-1.
        least_margin: price floor, x material cost.
        fill: share of the forecast that is planned for.
        cover_days: goods for so many days are wanted at the round's end.
        material_days: materials for so many days are ordered late for the next round.
        cycles: production cycles in a round.
        fast_start: whether the line's first days are supplied by the fast, dearer vendor.
        marketing: advertising, x the rules' scale per cell and day.
        capacity_steps: steps of capacity wanted, by round.
        setup_hours: hours of setup to cut in round 1.
        green_steps: steps of each green kind wanted in round 1.
        reserve: EUR that stay out of investments and repayment.
        payout: share of the dividend that is possible, paid in every round.
        noise: spread of a random factor on prices, as a fraction.
        submits: whether the decision comes as a call of the submit tool.
        delay_s: seconds until it answers, on average.
        defects: chance of each defect in one answer.
    """

    model: str
    character: str
    opening: float
    position: float
    rival_weight: float
    scarcity: float
    least_margin: float = 1.25
    fill: float = 0.97
    cover_days: float = 8.0
    material_days: float = 12.0
    cycles: int = 2
    fast_start: bool = True
    marketing: float = 1.0
    capacity_steps: Mapping[int, int] = field(default_factory=dict)
    setup_hours: int = 3
    green_steps: int = 0
    reserve: float = 400_000.0
    payout: float = 0.0
    noise: float = 0.0
    submits: bool = False
    delay_s: float = 0.1
    defects: Mapping[str, float] = field(default_factory=dict)


_ALL: Final = (
    Style(
        model="standin/a",
        character="careful premium",
        opening=1.34,
        position=1.06,
        rival_weight=0.35,
        scarcity=0.6,
        marketing=5.0,
        green_steps=2,
        delay_s=0.2,
        defects={"fence": 0.10, "prose": 0.05, "investment": 0.03},
    ),
    Style(
        model="standin/b",
        character="price fighter",
        opening=1.12,
        position=0.96,
        rival_weight=0.5,
        scarcity=0.6,
        fill=1.0,
        marketing=2.0,
        capacity_steps={1: 2, 2: 1},
        setup_hours=4,
        delay_s=0.08,
        defects={"comma": 0.08, "over_ask": 0.12, "truncated": 0.02},
    ),
    Style(
        model="standin/c",
        character="balanced planner",
        opening=1.24,
        position=1.0,
        rival_weight=0.3,
        scarcity=1.0,
        marketing=4.0,
        capacity_steps={1: 1},
        setup_hours=4,
        green_steps=1,
        submits=True,
        delay_s=0.15,
        defects={"number_text": 0.05, "unknown_tool": 0.04},
    ),
    Style(
        model="standin/d",
        character="growth investor",
        opening=1.18,
        position=0.99,
        rival_weight=0.3,
        scarcity=0.9,
        cover_days=10.0,
        material_days=14.0,
        marketing=5.0,
        capacity_steps={1: 3, 2: 2, 3: 1},
        setup_hours=4,
        reserve=450_000.0,
        delay_s=0.12,
        defects={"title_keys": 0.08, "investment": 0.15, "over_ask": 0.05, "prose": 0.05},
    ),
    Style(
        model="standin/e",
        character="cash saver",
        opening=1.27,
        position=1.02,
        rival_weight=0.4,
        scarcity=0.8,
        fill=0.92,
        cover_days=5.0,
        material_days=9.0,
        fast_start=False,
        marketing=1.5,
        setup_hours=2,
        reserve=900_000.0,
        payout=0.5,
        delay_s=0.06,
        defects={"refused": 0.03, "fence": 0.05, "no_json": 0.02},
    ),
    Style(
        model="standin/f",
        character="erratic",
        opening=1.22,
        position=1.0,
        rival_weight=0.6,
        scarcity=0.5,
        fill=1.05,
        cover_days=12.0,
        marketing=3.0,
        capacity_steps={1: 1, 4: 2},
        setup_hours=3,
        green_steps=3,
        noise=0.07,
        delay_s=0.25,
        defects={"unknown_sku": 0.12, "number_text": 0.06, "lot_step": 0.15, "truncated": 0.03, "refused": 0.01},
    ),
)

STYLES: Final[Mapping[str, Style]] = MappingProxyType({style.model: style for style in _ALL})
"""The stand-ins by the name that a request asks for."""
