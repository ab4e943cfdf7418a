"""Every measure of one run's checked records, taken once and laid out twice: in tables and in figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis import interventions, metrics
from analysis.agreement import Agreement, same_winner
from analysis.coverage import PlannedTrajectory, entered
from analysis.load import Records

Setting = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Measures:
    """The frames that tables and figures are made from.

    Attributes:
        entered: models that each setting (ecology and line-up) was planned with, in seat order.
        problems: rows of `metrics.by_problem`.
        summary: rows of `metrics.summary`.
        seats: rows of `metrics.seat_summary`.
        deltas: rows of `metrics.mean_differences`.
        events: rows of `interventions.counts`.
        agreement: of Solo and Arena.
    """

    entered: Mapping[Setting, tuple[str, ...]]
    problems: pd.DataFrame
    summary: pd.DataFrame
    seats: pd.DataFrame
    deltas: pd.DataFrame
    events: pd.DataFrame
    agreement: Agreement

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Ecologies with their line-ups, as planned."""
        return tuple(self.entered)

    @property
    def paired(self) -> bool:
        """Whether the run plans both Solo and Arena, so that one can be compared with the other."""
        return {("solo", ""), ("arena", "")} <= self.entered.keys()


def measure(records: Records, planned: Sequence[PlannedTrajectory]) -> Measures:
    """Take every measure.

    Args:
        records: checked ones, see `coverage.cover`.
        planned: every trajectory of a model that the run's plan holds.
    """
    models = entered(planned)
    played = metrics.trajectories(records.outcomes)
    problems = metrics.by_problem(played)
    return Measures(
        entered=models,
        problems=problems,
        summary=metrics.summary(problems),
        seats=metrics.seat_summary(played),
        deltas=metrics.mean_differences(metrics.differences(problems)),
        events=interventions.counts(records.events, models),
        agreement=same_winner(problems, models.get(("solo", ""), ())),
    )
