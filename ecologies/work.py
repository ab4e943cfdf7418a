"""Units of work of a run: one market each, found again by its id, so that what is done can be told from the journal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ecologies.arena import arena_market
from ecologies.ecology import RULE_NAMES, SEATS, EcologyName, Market, slug
from ecologies.mixed import mixed_market
from ecologies.policy import PolicySpec
from ecologies.solo import solo_market
from erpsim.errors import WorkError
from erpsim.problem import Problem

PAIRED: Final[tuple[EcologyName, ...]] = ("solo", "arena")


@dataclass(frozen=True)
class WorkRequest:
    """What a run is asked to play.

    Attributes:
        problems: in the order of the panel.
        models: focal policies; their index gives their seat.
        ecologies: which to play; empty means Mixed with a line-up, Solo and Arena without.
        lineup: seats of a Mixed market, empty when none is asked.
        trials: repetitions of every market, at least 1.
    """

    problems: tuple[Problem, ...]
    models: tuple[PolicySpec, ...]
    ecologies: tuple[EcologyName, ...] = ()
    lineup: tuple[PolicySpec, ...] = ()
    trials: int = 1


@dataclass(frozen=True)
class WorkUnit:
    """One market and the problem it plays; together they determine its run."""

    market: Market
    problem: Problem

    @property
    def model_rounds(self) -> int:
        """Rounds that a model has to decide: what a unit costs, in calls."""
        return len(self.market.model_seats) * self.problem.horizon


@dataclass(frozen=True)
class Work:
    """All units of a run, and what the user should be told about the choice."""

    units: tuple[WorkUnit, ...]
    notes: tuple[str, ...] = ()


def plan_work(request: WorkRequest) -> Work:
    """List the markets of a run: by trial, then ecology, then problem, then model.

    An Arena takes exactly six models; with another number it is left out and a note says so.

    Raises:
        WorkError: labels that clash, ecologies without the policies they need, or a number of trials below 1.
    """
    ecologies = request.ecologies or (("mixed",) if request.lineup else PAIRED)
    _check(request, ecologies)
    notes: tuple[str, ...] = ()
    if "arena" in ecologies and len(request.models) != SEATS:
        note = (
            f"Arena is left out: it seats exactly {SEATS} models and this run has {len(request.models)}; "
            "name the seats with --lineup to play another market"
        )
        ecologies = tuple(name for name in ecologies if name != "arena")
        if not ecologies:
            raise WorkError(note)
        notes = (note,)
    markets = (
        WorkUnit(market, problem)
        for trial in range(request.trials)
        for ecology in ecologies
        for problem in request.problems
        for market in _markets(request, ecology, problem.problem_id, trial)
    )
    return Work(_unique(markets), notes)


def check_labels(labels: Sequence[str]) -> None:
    """Hold the models' labels apart from each other, as labels and as path parts, and from the rules' names.

    Raises:
        WorkError: naming the two labels that clash and their slug.
    """
    taken = {slug(name): name for name in RULE_NAMES}
    for label in labels:
        other = taken.setdefault(slug(label), label)
        if other != label or label in RULE_NAMES:
            why = "is the name of a rule policy" if other in RULE_NAMES else f"and {other!r} clash"
            raise WorkError(f"model label {label!r} {why}: records would be kept under {slug(label)!r}; rename it")
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise WorkError(f"model label {twice!r} is asked for twice; name each model once")


def _check(request: WorkRequest, ecologies: Sequence[EcologyName]) -> None:
    check_labels([spec.label for spec in request.models])
    if request.trials < 1:
        raise WorkError(f"trials is {request.trials}, must be at least 1")
    if not request.problems:
        raise WorkError("no problem is chosen; name at least one with --problems")
    if "mixed" in ecologies and not request.lineup:
        raise WorkError("Mixed needs a line-up; name its seats with --lineup")
    if "solo" in ecologies and not request.models:
        raise WorkError("Solo needs at least one model; add one to the models file, or play a --lineup of rules")


def _markets(request: WorkRequest, ecology: EcologyName, problem_id: str, trial: int) -> Iterable[Market]:
    if ecology == "solo":
        return (solo_market(problem_id, model, index, trial) for index, model in enumerate(request.models))
    if ecology == "arena":
        return (arena_market(problem_id, request.models, trial),)
    return (mixed_market(problem_id, request.lineup, trial),)


def _unique(units: Iterable[WorkUnit]) -> tuple[WorkUnit, ...]:
    seen: dict[str, WorkUnit] = {}
    for unit in units:
        if unit.market.market_id in seen:
            raise WorkError(f"two markets would be called {unit.market.market_id!r}; choose each problem once")
        seen[unit.market.market_id] = unit
    return tuple(seen.values())
