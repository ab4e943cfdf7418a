"""One business problem: its opening position, its market and what will happen to it.

A problem is plain frozen data; `conditions` and `exogenous` derive everything else from it. Files enter through
`ecologies.problems`, which validates against these very fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import Field

Stratum = Literal["baseline", "dual_pressure", "hard", "random_hard"]
STRATA: Final[tuple[Stratum, ...]] = ("baseline", "dual_pressure", "hard", "random_hard")

DisturbanceKind = Literal[
    "demand_slump",
    "demand_surge",
    "channel_shift",
    "price_sensitivity",
    "material_price",
    "supplier_delay",
    "capacity_outage",
    "credit_freeze",
    "carbon_price",
    "opening_overstock",
    "opening_cash",
    "setup_time",
]

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0, le=10**9)]  # units
Euros = Annotated[int, Field(ge=0, le=10**11)]  # far from what 64 bits hold in cents


@dataclass(frozen=True)
class Disturbance:
    """Something that happens to every firm of a market alike.

    `magnitude` has one value for each round of its length, in the kind's own unit: demand_* a factor change
    (−0.25, +0.45), channel_shift the share of `source`'s potential that moves to `target`, price_sensitivity,
    material_price a factor (1.3), supplier_delay days, capacity_outage share of hours lost, carbon_price EUR/kg,
    setup_time hours in all (12, 16), credit_freeze 1. The two opening kinds are already in `Opening`; their magnitude
    (units, EUR) is told as news in round 1.
    """

    kind: DisturbanceKind
    level: Literal["mild", "strong"]
    start_round: Annotated[int, Field(ge=1)]
    magnitude: Annotated[tuple[float, ...], Field(min_length=1)]
    announced: bool
    source: str = ""
    target: str = ""

    @property
    def length(self) -> int:
        """Rounds that it lasts."""
        return len(self.magnitude)

    def at(self, round_number: int) -> float | None:
        """Magnitude in a round, None when it is not on."""
        index = round_number - self.start_round
        return self.magnitude[index] if 0 <= index < len(self.magnitude) else None


@dataclass(frozen=True)
class OpeningOrder:
    """A purchase order already under way when the game opens; its value is payable 20 days after receipt."""

    material: str
    quantity: Annotated[int, Field(ge=1, le=10**9)]  # kg or pieces
    receipt_day: Annotated[int, Field(ge=1, le=30)]  # day of round 1
    value: Euros


@dataclass(frozen=True)
class Opening:
    """Opening position; what is not here is as in `parameters.RULES`. Capital is the balancing figure."""

    cash: Euros
    loan: Euros
    goods: tuple[tuple[Count, Count, Count], ...] = ()  # (12, 3) units, or empty for none
    materials: tuple[Count, ...] = ()  # (10,) kg or pieces, or empty for none
    orders: tuple[OpeningOrder, ...] = ()


@dataclass(frozen=True)
class MarketSettings:
    """How this problem's market differs from the reference market."""

    size: Annotated[float, Field(ge=0.3, le=3.0)]  # x potential
    trend: Annotated[float, Field(ge=-0.2, le=0.2)]  # growth of potential a round
    sensitivity: Annotated[float, Field(ge=0.5, le=2.0)]  # x price exponents
    outside_share: Annotated[float, Field(ge=0.05, le=0.7)]  # s0
    material_level: Annotated[float, Field(ge=0.5, le=2.0)]  # x material prices


@dataclass(frozen=True)
class Problem:
    """One problem of a panel. Equal problems give equal games, byte for byte."""

    problem_id: str
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    stratum: Stratum
    scenario: str  # kinds of its disturbances, sorted, joined by "+", or "calm"
    horizon: Annotated[int, Field(ge=1, le=60)]  # rounds
    opening: Opening
    market: MarketSettings
    disturbances: tuple[Disturbance, ...] = ()

    def __hash__(self) -> int:
        """Two fields tell problems apart well enough; caches ask for this at every turn."""
        return hash((self.problem_id, self.seed))
