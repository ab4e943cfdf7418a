"""What tables, sections and figures of a report are made from: a source that was checked, and every statistic of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import pandas as pd

from analysis import metrics
from analysis.coverage import Coverage, entered
from analysis.findings import Findings
from analysis.source import EVENTS, Source

SOLO: Final = ("solo", "")
ARENA: Final = ("arena", "")
STANDIN_MARK: Final = " (stand-in)"
STANDIN_NOTE: Final = (
    "A stand-in is a seeded program behind a real HTTP server: its numbers show that the pipeline works and say nothing"
    " about any language model."
)

Setting = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Material:
    """A source with its coverage and findings."""

    source: Source
    coverage: Coverage
    findings: Findings

    @cached_property
    def entered(self) -> Mapping[Setting, tuple[str, ...]]:
        """Models that each setting (ecology and line-up) was planned with, in seat order."""
        return entered(self.source.planned)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Ecologies with their line-ups, as planned."""
        return tuple(self.entered)

    @property
    def paired(self) -> bool:
        """Whether both Solo and Arena are planned, so that one can be compared with the other."""
        return {SOLO, ARENA} <= self.entered.keys()

    @property
    def models(self) -> tuple[str, ...]:
        """Labels in the order of the plan."""
        return self.source.models

    @cached_property
    def played(self) -> pd.DataFrame:
        """Rows of `metrics.trajectories`."""
        return metrics.trajectories(self.source.records.outcomes)

    @cached_property
    def problems(self) -> pd.DataFrame:
        """Rows of `metrics.by_problem`."""
        return metrics.by_problem(self.played)

    def lacks(self, *names: str) -> bool:
        """Whether the source lacks any of some tables or columns."""
        return bool(self.source.lacks.intersection(names))

    @property
    def audited(self) -> bool:
        """Whether there are events."""
        return not self.lacks(EVENTS)

    def shown(self, label: str) -> str:
        """Name a model, or `label#seat` of one, and say if it is a stand-in."""
        standin = label in self.source.standins or label.rpartition("#")[0] in self.source.standins
        return label + (STANDIN_MARK if standin else "")


def setting_name(setting: Setting) -> str:
    """Name an ecology, with its line-up if it has several."""
    ecology, lineup = setting
    return ecology.capitalize() + (f" {lineup}" if lineup else "")


def of_setting(frame: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Give the rows of one setting."""
    return frame[(frame["ecology"] == setting[0]) & (frame["lineup"] == setting[1])]


def of_model(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    """Give the rows of one model."""
    return frame[frame["model"] == label]


def first(values: pd.Series) -> float | None:
    """Give the one value of a selection; None when there is none or it is undefined."""
    return None if not len(values) or pd.isna(values.iloc[0]) else float(values.iloc[0])
