"""What a run's own file says was to be played, as the trajectories that a report counts against."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from actors.run_file import RunFile
from analysis.coverage import PlannedTrajectory
from ecologies.mixed import parse_lineup
from ecologies.models import ModelEntry, load_models
from ecologies.policy import PolicySpec
from ecologies.problems import read_panel, select
from ecologies.work import Work, WorkRequest, plan_work
from erpsim.errors import ModelsError


@dataclass(frozen=True)
class Planned:
    """What was to be played, and by which stand-ins."""

    trajectories: tuple[PlannedTrajectory, ...]
    standins: frozenset[str]


def planned(run_file: RunFile) -> Planned:
    """List every trajectory of a model that the run plans, in the order of its markets.

    Raises:
        ProblemError, WorkError: the panel that the run names cannot be read or lacks a problem.
    """
    entries = _entries(run_file)
    trajectories = tuple(
        PlannedTrajectory(
            ecology=unit.market.ecology,
            lineup=unit.market.lineup,
            problem_id=unit.market.problem_id,
            trial=unit.market.trial,
            seat=seat,
            market_id=unit.market.market_id,
            model=unit.market.seats[seat].label,
            n_rounds=unit.problem.horizon,
        )
        for unit in _work(run_file, entries).units
        for seat in unit.market.model_seats
    )
    if run_file.plan.standin_seed is not None:
        return Planned(trajectories, frozenset(run_file.plan.models))
    return Planned(trajectories, frozenset(label for label, entry in entries.items() if entry.standin))


def _work(run_file: RunFile, entries: dict[str, ModelEntry]) -> Work:
    plan, settings = run_file.plan, run_file.settings
    panel = read_panel(Path(settings.panel_path) if settings.panel_path else None)
    models = tuple(entries[label].spec if label in entries else PolicySpec("model", label) for label in plan.models)
    return plan_work(
        WorkRequest(
            problems=select(panel.problems, ",".join(plan.problems)),
            models=models,
            ecologies=plan.ecologies,
            lineup=parse_lineup(",".join(plan.lineup), models) if plan.lineup else (),
            trials=plan.trials,
        )
    )


def _entries(run_file: RunFile) -> dict[str, ModelEntry]:
    """Entries of the run's models file; none if it is gone, for a report must outlive it."""
    if run_file.settings.models_path is None:
        return {}
    try:
        models = load_models(Path(run_file.settings.models_path))
    except ModelsError:
        return {}
    return {entry.label: entry for entry in models.entries if entry.label in run_file.plan.models}
