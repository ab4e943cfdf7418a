"""What a report is made from: records, the plan they are held against, and what is known of them beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from analysis.coverage import PlannedTrajectory
from analysis.load import Records
from analysis.yardsticks import Yardsticks

STANDIN_PROVIDER: Final = "stand-in"
"""What the stand-in server names as the provider, the last part of a route."""

EVENTS: Final = "events"
"""Stands in `Source.lacks` for the whole table of events."""

CALLS: Final = "calls"
"""Stands in `Source.lacks` for the whole table of calls."""


@dataclass(frozen=True, eq=False)
class Source:
    """One run, several that were merged, or tables from elsewhere.

    Attributes:
        name: of the run, short.
        title: of the report.
        records: its tables.
        planned: every trajectory of a model that was to be played.
        standins: labels of the models that are stand-ins.
        given: facts that identify it, such as its id and its digests.
        lacks: what its tables do not hold: `EVENTS`, `CALLS`, or "table.column", such as "rounds.route".
        notes: sentences about how it was read.
        yardsticks: of the panel that it was played on, where there are any.
    """

    name: str
    title: str
    records: Records
    planned: tuple[PlannedTrajectory, ...]
    standins: frozenset[str] = frozenset()
    given: Mapping[str, Any] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    yardsticks: Yardsticks | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Labels in the order of the plan."""
        return tuple(dict.fromkeys(item.model for item in self.planned))


def served_by_standins(rounds: pd.DataFrame) -> frozenset[str]:
    """Labels of the models of whom some reply came from a stand-in server, as the route of their rounds says."""
    ours = rounds[rounds["model"].notna()]
    served = [f"|{STANDIN_PROVIDER}" in str(route) for route in ours["route"]]
    return frozenset(ours["model"][served])
