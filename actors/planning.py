"""From what a person asks for to a `RunPlan`: problems chosen, digests taken, nonsense refused before any start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from actors.llm.prompts.render import prompts_digest
from actors.llm.standin_faults import read_faults
from actors.run_file import RunPlan, RunSettings
from actors.sources import Sources, read_sources
from actors.tally import Extent
from ecologies.ecology import EcologyName
from ecologies.mixed import parse_lineup
from ecologies.models import Models, choose
from ecologies.panel_file import panel_digest
from ecologies.problems import read_panel, select
from ecologies.work import Work, WorkRequest, plan_work
from erpsim.errors import ProblemError, WorkError
from erpsim.parameters import RULES_VERSION

ECOLOGIES: Final[tuple[EcologyName, ...]] = ("solo", "arena", "mixed")


@dataclass(frozen=True)
class RunRequest:
    """What a person asks for, as the command line gets it.

    Attributes:
        problems: a number (spread over the strata), a comma list of ids, or "all".
        ecologies: of solo, arena, mixed; empty for solo and arena, or mixed when there is a line-up.
        lineup: policies of a mixed market, such as ("standin/a*2", "balanced"); empty for none.
        models: labels to take from the models file, in seat order; empty for all.
        trials: times that every market is played.
        reasks: times that a model is asked again after an unusable reply, 0-2.
        tool_turns: most tool turns of a decision.
        infra_fallback: whether a firm that cannot reach its model plays the fallback decision.
        standin_seed: seed of the stand-in models.
    """

    problems: str = "6"
    ecologies: tuple[str, ...] = ()
    lineup: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    trials: int = 1
    reasks: int = 1
    tool_turns: int = 6
    infra_fallback: bool = False
    standin_seed: int = 0


def make_plan(request: RunRequest, settings: RunSettings) -> RunPlan:
    """Settle all that determines a run.

    Raises:
        ProblemError, ModelsError, WorkError: a file or the request makes no sense; the message says where.
    """
    read_faults(list(settings.standin_faults))
    sources = read_sources(settings)
    models = choose(sources.models, request.models) if request.models else sources.models
    work = plan_work(_work_request(request, sources, models))
    if request.lineup and request.ecologies and "mixed" not in request.ecologies:
        raise WorkError(
            f"a line-up plays in mixed markets, and the ecologies asked for are {', '.join(request.ecologies)}; "
            "add mixed to them, or leave the line-up out"
        )
    models = choose(models, _seated(work, models))
    lineup = parse_lineup(",".join(request.lineup), models.specs) if request.lineup else ()
    return RunPlan(
        rules_version=RULES_VERSION,
        panel_digest=panel_digest(sources.panel),
        models_digest=models.digest(),
        prompts_digest=prompts_digest(),
        problems=tuple(dict.fromkeys(unit.problem.problem_id for unit in work.units)),
        ecologies=tuple(dict.fromkeys(unit.market.ecology for unit in work.units)),
        models=tuple(spec.label for spec in models.specs),
        lineup=tuple(spec.label for spec in lineup),
        trials=request.trials,
        reasks=request.reasks,
        tool_turns=request.tool_turns,
        infra_fallback=request.infra_fallback,
        standin_seed=None if settings.models_path else request.standin_seed,
    )


def notes_on(request: RunRequest, settings: RunSettings) -> tuple[str, ...]:
    """What a person should be told about a request that is played in part, such as an Arena left out.

    Raises:
        ProblemError, ModelsError, WorkError: as `make_plan`.
    """
    sources = read_sources(settings)
    models = choose(sources.models, request.models) if request.models else sources.models
    return plan_work(_work_request(request, sources, models)).notes


def present_plan(plan: RunPlan, sources: Sources) -> RunPlan:
    """The plan as it would be with the rules, panel, models and prompts that are here now.

    Raises:
        ModelsError: a model of the plan is not in the models file any more.
    """
    return RunPlan(
        **{
            **vars(plan),
            "rules_version": RULES_VERSION,
            "panel_digest": panel_digest(sources.panel),
            "models_digest": choose(sources.models, plan.models).digest(),
            "prompts_digest": prompts_digest(),
        }
    )


def work_of(plan: RunPlan, sources: Sources) -> Work:
    """Every market of a plan.

    Raises:
        WorkError, ModelsError: the sources do not hold what the plan names.
    """
    request = RunRequest(problems=",".join(plan.problems), ecologies=plan.ecologies, lineup=plan.lineup)
    whole = RunRequest(**{**vars(request), "trials": plan.trials})
    return plan_work(_work_request(whole, sources, choose(sources.models, plan.models)))


def extent_of_plan(plan: RunPlan, settings: RunSettings) -> Extent:
    """What a plan has to play, by the plan alone; rounds are left out if its panel is not there any more."""
    each = plan.trials * sum(len(plan.models) if ecology == "solo" else 1 for ecology in plan.ecologies)
    try:
        panel = read_panel(Path(settings.panel_path) if settings.panel_path else None)
    except ProblemError:
        panel = None
    if panel is None or panel_digest(panel) != plan.panel_digest:
        return Extent(each * len(plan.problems), None)
    chosen = select(panel.problems, ",".join(plan.problems))
    return Extent(each * len(chosen), each * sum(problem.horizon for problem in chosen))


def _seated(work: Work, models: Models) -> list[str]:
    """Labels of the models that play in some market, in the order of the models."""
    seated = {spec for unit in work.units for spec in unit.market.seats}
    return [spec.label for spec in models.specs if spec in seated]


def _work_request(request: RunRequest, sources: Sources, models: Models) -> WorkRequest:
    unknown = [name for name in request.ecologies if name not in ECOLOGIES]
    if unknown:
        raise WorkError(f"unknown ecology {unknown[0]!r}; known: {', '.join(ECOLOGIES)}")
    twice = [name for name in request.ecologies if request.ecologies.count(name) > 1]
    if twice:
        raise WorkError(f"ecology {twice[0]!r} is asked for twice; name it once")
    chosen = tuple(name for name in ECOLOGIES if name in request.ecologies)
    return WorkRequest(
        problems=select(sources.panel.problems, request.problems),
        models=models.specs,
        ecologies=chosen,
        lineup=parse_lineup(",".join(request.lineup), models.specs) if request.lineup else (),
        trials=request.trials,
    )
