"""What tables, sections and figures of a report are made from: a source that was checked, and every statistic of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
        """Models that each setting (ecology and line-up) was planned with, in seat order; many in that of `models`."""
        planned = entered(self.source.planned)
        if not self.crowded:
            return planned
        places = {label: place for place, label in enumerate(self.models)}
        return {setting: tuple(sorted(names, key=places.__getitem__)) for setting, names in planned.items()}

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Ecologies with their line-ups, as planned."""
        return tuple(self.entered)

    @property
    def paired(self) -> bool:
        """Whether both Solo and Arena are planned, so that one can be compared with the other."""
        return {SOLO, ARENA} <= self.entered.keys()

    @property
    def crowded(self) -> bool:
        """Whether there are too many models to compare each with each, or to draw each."""
        return len(self.source.models) > metrics.CROWD

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Labels in the order of the plan; many with the highest mean valuation first."""
        return best_first(self.findings.summary, self.source.models) if self.crowded else self.source.models

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


def best_first(summary: pd.DataFrame, models: Sequence[str]) -> tuple[str, ...]:
    """Order models by their mean valuation over all settings; those without one come last.

    Args:
        summary: rows of `metrics.summary`.
        models: in the order that settles ties.
    """
    means = summary.groupby("model")["valuation_m"].mean().dropna()
    return tuple(sorted(models, key=lambda label: -float(means.get(label, -math.inf))))


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
