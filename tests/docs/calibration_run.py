"""Measures what the calibration page shows, problem by problem; started again, it goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ecologies.calibration.rows import measured_row
from ecologies.panel import generate
from ecologies.panel_file import Panel
from ecologies.problems import select
from ecologies.yardsticks.rows import plan_row, played_row, response_row
from ecologies.yardsticks.store import DATA, Kind, Row, extend, tidy
from erpsim.problem import Problem
from tests.docs.standin_policy import standin_policies

OTHER_SEED: Final = 1974
OTHER_SIZE: Final = 100
"""Problems of the panel of another seed; as many as the shipped one has, so that its strata can be told apart."""
OTHER_STYLED: Final = 30
"""So many of them, spread over the strata, are played by the stand-ins and by simple policies as well."""
FULL: Final = 6
"""Of so many problems, spread over the strata, one is measured in full."""
SEARCHED: Final = 8
"""Of so many problems, spread over the strata, one is searched for the best response."""
OTHER: Final = DATA / "other"
MADE: Final[tuple[Kind, ...]] = ("measured", "played", "response", "plan")
"""What the page shows of a panel."""
JUDGED: Final[tuple[Kind, ...]] = ("measured", "played", "response")
"""What a point may hang on; a clairvoyant's plan stands beside."""


def other_panel() -> Panel:
    """A panel that nothing was tuned on."""
    return Panel(1, f"seed {OTHER_SEED}", generate(OTHER_SEED, OTHER_SIZE))


class Subject(NamedTuple):
    """A panel that is measured; the five rules play all of its problems."""

    panel: Panel
    folder: Path  # of its files
    styled: int | None = None  # problems that stand-ins and simple policies play too, spread over the strata; None: all


def measure(subject: Subject, kinds: Sequence[Kind] = MADE) -> None:
    """Play and measure every problem that a panel's files do not have yet.

    What is measured in full and what is searched are among the problems that stand-ins play.
    """
    panel, folder, _ = subject
    models = standin_policies()
    count = subject.styled or len(panel.problems)
    also, in_full, searched = (
        select(panel.problems, str(number)) for number in (count, -(-count // FULL), max(1, count // SEARCHED))
    )

    def row(problem: Problem) -> dict[str, Any]:
        return measured_row(problem, models if problem in also else {}, problem in in_full)

    steps: tuple[tuple[Kind, Callable[[Problem], Row], Sequence[Problem]], ...] = (
        ("measured", row, panel.problems),
        ("played", played_row, also),
        ("response", response_row, searched),
        ("plan", plan_row, searched),
    )
    for kind, make, problems in steps:
        if kind not in kinds:
            continue
        path = folder / f"{kind}.jsonl"
        for made in extend(path, kind, panel, problems, make):
            sys.stdout.write(f"{panel.name} {kind} {made['problem_id']}\n")
            sys.stdout.flush()
        tidy(path, kind, panel)
