"""From what a person asks for to a `RunPlan`: problems chosen, digests taken, nonsense refused before any start."""

from __future__ import annotations

from dataclasses import dataclass

from actors.run_file import RunPlan, RunSettings


@dataclass(frozen=True)
class RunRequest:
    """What a person asks for, as the command line gets it.

    Attributes:
        problems: a number (spread over the strata), a comma list of ids, or "all".
        ecologies: of solo, arena, mixed; empty for solo and arena.
        lineup: policies by seat of a mixed market, such as ("standin/a", "rule:balanced"); empty for none.
    """

    problems: str = "6"
    ecologies: tuple[str, ...] = ()
    lineup: tuple[str, ...] = ()
    trials: int = 1
    reasks: int = 1
    tool_turns: int = 6
    infra_fallback: bool = False
    standin_seed: int = 0


def make_plan(request: RunRequest, settings: RunSettings) -> RunPlan:
    """Read the panel and the models file that the settings name, and settle all that determines the run.

    Raises:
        ProblemError, ModelsError, WorkError: a file or the request makes no sense; the message says where.
    """
    raise NotImplementedError
