"""A market: one problem played once by a line-up of firms, and the names by which its records are found."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ecologies.policy import PolicySpec

EcologyName = Literal["solo", "arena", "mixed"]

SEATS: Final = 6
"""Firms in a Solo or Arena market."""

RULE_NAMES: Final = ("conservative", "aggressive", "balanced", "growth", "risk_averse")
"""The rule policies in the order in which they fill free seats."""


@dataclass(frozen=True)
class Market:
    """One market to be played; with its problem it determines every number of its records.

    Attributes:
        market_id: `solo/P001/<slug>`, `arena/P001` or `mixed/<lineup>/P001`, then `/t<trial>` when trial > 0.
        lineup: digest of the seats in Mixed, empty in Solo and Arena.
        trial: repetition of the same market, from 0.
        seats: the policy of each seat; firm i is played by seats[i].
    """

    market_id: str
    ecology: EcologyName
    lineup: str
    trial: int
    problem_id: str
    seats: tuple[PolicySpec, ...]

    @property
    def model_seats(self) -> tuple[int, ...]:
        """Seats that are not played by a rule: those that have outcomes."""
        return tuple(seat for seat, spec in enumerate(self.seats) if spec.kind != "rule")


def slug(label: str) -> str:
    """Give a label as a path part: every character outside `[A-Za-z0-9._-]` becomes `-`.

    >>> slug("standin/a")
    'standin-a'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "-", label)


def lineup_digest(seats: Sequence[PolicySpec]) -> str:
    """First 12 hex digits of the SHA-256 of the seats' kinds and labels, in seat order."""
    text = json.dumps([[spec.kind, spec.label] for spec in seats], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def market_id(*parts: str, trial: int) -> str:
    """Join the parts of a market's id; the first trial adds nothing, a later one `/t1`, `/t2` and so on."""
    return "/".join((*parts, *([f"t{trial}"] if trial else [])))
