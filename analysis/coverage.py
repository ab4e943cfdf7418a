"""What a run was to hold, what it holds and what is missing, settled before any number is taken from it.

A contradiction (a trajectory twice, a gap in its rounds, two versions of the rules) is refused. What is missing is
listed with its cause and printed with every table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from analysis.consistency import TRAJECTORY, contradictions
from analysis.load import Records
from erpsim.errors import RunError

SHOWN: Final = 3
"""Contradictions, or missing trajectories, that one message spells out."""

Key = tuple[str, str, str, int, int]


@dataclass(frozen=True)
class PlannedTrajectory:
    """One model's trajectory that the run's plan holds."""

    ecology: str
    lineup: str
    problem_id: str
    trial: int
    seat: int
    market_id: str
    model: str
    n_rounds: int

    @property
    def key(self) -> Key:
        """What finds it in the records."""
        return (self.ecology, self.lineup, self.problem_id, self.trial, self.seat)


@dataclass(frozen=True)
class Missing:
    """A planned trajectory without a usable outcome."""

    trajectory: PlannedTrajectory
    cause: str


@dataclass(frozen=True)
class Part:
    """Coverage of one ecology (and line-up): numbers planned and completed."""

    ecology: str
    lineup: str
    markets_planned: int
    markets_completed: int
    trajectories_planned: int
    trajectories_completed: int
    rounds_planned: int  # rounds that a model decides
    rounds_completed: int
    problems_planned: int
    problems_complete: int  # with every planned trajectory completed


@dataclass(frozen=True)
class Coverage:
    """Coverage of a run."""

    parts: tuple[Part, ...]
    missing: tuple[Missing, ...]
    rules_version: str

    @property
    def complete(self) -> bool:
        """Whether nothing that was planned is missing."""
        return not self.missing and all(part.rounds_completed == part.rounds_planned for part in self.parts)

    def statement(self) -> str:
        """Say in one line what a table stands on."""
        counts = "; ".join(
            f"{part.ecology} {part.trajectories_completed:,} of {part.trajectories_planned:,} trajectories,"
            f" {part.rounds_completed:,} of {part.rounds_planned:,} model rounds"
            for part in self.parts
        )
        return f"Coverage: {counts}; {self._missing()}; no duplicates, rounds in order, rules {self.rules_version}."

    def _missing(self) -> str:
        if not self.missing:
            return "none missing"
        shown = ", ".join(
            f"{item.trajectory.model} in {item.trajectory.market_id} ({item.cause})" for item in self.missing[:SHOWN]
        )
        more = f" and {len(self.missing) - SHOWN:,} more" if len(self.missing) > SHOWN else ""
        return f"{len(self.missing):,} missing: {shown}{more}"


def cover(records: Records, planned: Sequence[PlannedTrajectory]) -> Coverage:
    """Hold records against a plan.

    Args:
        records: of one run.
        planned: every trajectory of a model that the run's plan holds.

    Raises:
        RunError: the records contradict themselves or the plan; the message lists the first contradictions.
    """
    refuse(records.source, contradictions(records) + _against_plan(records.outcomes, planned))
    missing = tuple(_missing(records, planned))
    parts = tuple(_part(settings, planned, missing, records) for settings in _settings(planned))
    return Coverage(parts, missing, _rules_version(records))


def refuse(source: str, faults: Sequence[str]) -> None:
    """Refuse records that contradict themselves.

    Raises:
        RunError: there is a fault; the message lists the first ones.
    """
    if faults:
        more = f" (and {len(faults) - SHOWN:,} more)" if len(faults) > SHOWN else ""
        raise RunError(
            f"{source}: the records contradict themselves, so no number is taken from them:"
            f" {'; '.join(faults[:SHOWN])}{more}; mend or leave out those rows, or write the records of a run anew with"
            " `erpbench resume`"
        )


def entered(planned: Sequence[PlannedTrajectory]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Give the models that each setting (ecology and line-up) was planned with, in the order of the plan."""
    models: dict[tuple[str, str], dict[str, None]] = {}
    for trajectory in planned:
        models.setdefault((trajectory.ecology, trajectory.lineup), {})[trajectory.model] = None
    return {setting: tuple(names) for setting, names in models.items()}


def _against_plan(outcomes: pd.DataFrame, planned: Sequence[PlannedTrajectory]) -> list[str]:
    by_key = {trajectory.key: trajectory for trajectory in planned}
    faults = []
    columns = [*TRAJECTORY, "market_id", "model", "n_rounds"]
    for *key, market_id, model, n_rounds in outcomes[columns].itertuples(index=False, name=None):
        trajectory = by_key.get(tuple(key))
        if trajectory is None:
            faults.append(f"{market_id} seat {key[-1]} is not in the run's plan")
        elif model != trajectory.model or market_id != trajectory.market_id:
            faults.append(f"{market_id} seat {key[-1]} is played by {model!r}, planned is {trajectory.model!r}")
        elif n_rounds != trajectory.n_rounds:
            faults.append(f"{market_id} seat {key[-1]} ends after round {n_rounds}, planned are {trajectory.n_rounds}")
    return faults


def _missing(records: Records, planned: Sequence[PlannedTrajectory]) -> Iterator[Missing]:
    rows = records.outcomes[[*TRAJECTORY, "valuation"]].itertuples(index=False, name=None)
    ended = {tuple(key): valuation for *key, valuation in rows}
    causes = _causes(records)
    for trajectory in planned:
        if trajectory.key not in ended:
            yield Missing(trajectory, causes.get(trajectory.market_id, "not played yet"))
        elif not math.isfinite(ended[trajectory.key]):
            yield Missing(trajectory, "valuation is not finite")


def _causes(records: Records) -> dict[str, str]:
    """Cause of the latest failure of each market, from its failed tries and its experiment_failed event."""
    lost = records.events[records.events["category"] == "experiment_failed"]
    causes = dict(zip(lost["market_id"], lost["code"], strict=True))
    tries = records.failures.sort_values("attempts", kind="stable")
    return causes | dict(zip(tries["market_id"], tries["cause"], strict=True))


def _settings(planned: Sequence[PlannedTrajectory]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((trajectory.ecology, trajectory.lineup) for trajectory in planned))


def _part(
    setting: tuple[str, str], planned: Sequence[PlannedTrajectory], missing: Sequence[Missing], records: Records
) -> Part:
    ours = [trajectory for trajectory in planned if (trajectory.ecology, trajectory.lineup) == setting]
    gone = [item.trajectory for item in missing if (item.trajectory.ecology, item.trajectory.lineup) == setting]
    markets = {trajectory.market_id for trajectory in ours}
    problems = {trajectory.problem_id for trajectory in ours}
    return Part(
        *setting,
        markets_planned=len(markets),
        markets_completed=len(markets - {trajectory.market_id for trajectory in gone}),
        trajectories_planned=len(ours),
        trajectories_completed=len(ours) - len(gone),
        rounds_planned=sum(trajectory.n_rounds for trajectory in ours),
        rounds_completed=_rounds_completed(setting, records.rounds),
        problems_planned=len(problems),
        problems_complete=len(problems - {trajectory.problem_id for trajectory in gone}),
    )


def _rounds_completed(setting: tuple[str, str], rounds: pd.DataFrame) -> int:
    ours = (rounds["ecology"] == setting[0]) & (rounds["lineup"] == setting[1]) & (rounds["policy_kind"] != "rule")
    return int(ours.sum())


def _rules_version(records: Records) -> str:
    versions = records.rounds["rules_version"]
    return str(versions.iloc[0]) if len(versions) else "unknown"
