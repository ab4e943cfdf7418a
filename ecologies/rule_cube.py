"""Parameters of a rule as a point of the unit cube, and the step of a search through it.

A search keeps one point and tries one at a time: a (1 + 1) evolution strategy with the one-fifth success rule
(Rechenberg 1973).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ecologies.rule_parameters import RuleParameters

FIRST_STEP: Final = 0.15
"""Standard deviation of the first moves, of a span."""
STEPS: Final = (0.01, 0.5)
"""Least and largest standard deviation of a move."""
GROWTH: Final = 1.5
"""Factor on the step after a success; a failure takes its fourth root away, so that one in five keeps it."""


class Span(NamedTuple):
    """Where one parameter is searched."""

    low: float
    high: float
    whole: bool = False

    def coded(self, figure: float) -> float:
        """Where a figure lies in the span, 0 at its low end and 1 at its high one."""
        return (figure - self.low) / (self.high - self.low)

    def at(self, coordinate: float) -> float:
        """The figure at a place of the span."""
        figure = self.low + coordinate * (self.high - self.low)
        return round(figure) if self.whole else figure


class Cube(NamedTuple):
    """The spans of named parameters, and the one of the price in each channel against the same SKU's elsewhere."""

    spans: Mapping[str, Span]
    tilt: Span

    def coded(self, rule: RuleParameters) -> list[float]:
        """Coordinates of a rule: its parameters, then its tilts; beyond 0 to 1 where one is out of its span."""
        figures = [span.coded(getattr(rule, name)) for name, span in self.spans.items()]
        return figures + [self.tilt.coded(tilt) for tilt in rule.channel_tilt]

    def decoded(self, coordinates: Sequence[float]) -> dict[str, Any]:
        """Fields of `RuleParameters` at a point, `channel_tilt` among them."""
        figures = {name: span.at(place) for (name, span), place in zip(self.spans.items(), coordinates, strict=False)}
        return {**figures, "channel_tilt": tuple(map(self.tilt.at, coordinates[len(self.spans) :]))}


def next_step(step: float, won: bool) -> float:
    """The step after a try that won or did not."""
    return min(max(step * (GROWTH if won else GROWTH**-0.25), STEPS[0]), STEPS[1])
