"""Beside the nine points: what each lever is worth, and measured price elasticities next to published ones."""

from __future__ import annotations

from statistics import mean, median
from typing import Final, NamedTuple

from ecologies.calibration.points import Measured
from erpsim.catalogue import CHANNELS


class LeverWorth(NamedTuple):
    """One lever over the problems that were measured in full."""

    name: str
    problems: int
    pays: int
    hurts: int
    median: float  # EUR
    low: float
    high: float


class Published(NamedTuple):
    """One published figure."""

    what: str
    figure: str
    source: str


PUBLISHED: Final = (
    Published("all goods, mean of 1,851 estimates", "−2.62", "Bijmolt, van Heerde and Pieters (2005)"),
    Published("ready-to-eat cereal, mean own-price (random coefficients)", "−3.6", "Nevo (2000)'s data, by pyblp"),
    Published("ERPsim market volume on mean price, our regression on two exports", "−2.2 to −2.7", "public exports"),
)


def lever_worths(panel: Measured) -> tuple[LeverWorth, ...]:
    """What each lever adds to the balanced rule's valuation, and a credit freeze on every problem that has one."""
    worth: dict[str, list[float]] = {}
    for row in panel.full:
        for name, gain in row["levers"].items():
            worth.setdefault(name, []).append(gain)
    if frozen := [row["freeze"] for row in panel.measured if "freeze" in row]:
        worth["a credit freeze"] = frozen
    found = []
    for name, gains in worth.items():
        pays, hurts = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        found.append(LeverWorth(name, len(gains), pays, hurts, median(gains), min(gains), max(gains)))
    return tuple(found)


class Elasticities(NamedTuple):
    """Of one channel, mean over the problems that were measured in full."""

    channel: str
    own: float
    market: float


def mean_elasticities(panel: Measured) -> tuple[Elasticities, ...]:
    """Mean measured elasticities by channel."""
    return tuple(
        Elasticities(name, *(mean(row["elasticities"][kind][k] for row in panel.full) for kind in (0, 1)))
        for k, name in enumerate(CHANNELS)
    )
