"""Measures what the calibration page shows, problem by problem; started again, it goes on."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from ecologies.calibration.rows import measured_row
from ecologies.calibration.rule_markets import rule_market
from ecologies.panel import generate
from ecologies.panel_file import Panel
from ecologies.problems import select
from ecologies.yardsticks.rows import plan_row, played_row, response_row
from ecologies.yardsticks.store import DATA, Kind, Row, extend, tidy
from erpsim.parameters import RULES_VERSION
from erpsim.problem import Problem
from tests.docs.standin_policy import standin_policies

OTHER_SEED: Final = 1974
OTHER_SIZE: Final = 30
"""Problems of the panel of another seed; strata in the proportions of the shipped one."""
FULL: Final = 6
"""Of so many problems, spread over the strata, one is measured in full."""
SEARCHED: Final = 8
"""Of so many problems, spread over the strata, one is searched for the best response."""
OTHER: Final = DATA / "other"
SEEDS: Final = (1974, 1, 2, 3, 4)
"""Of further panels, on which the order of the strata alone is measured."""
SEED_SIZE: Final = 100


def other_panel() -> Panel:
    """A panel that nothing was tuned on."""
    return Panel(1, f"seed {OTHER_SEED}", generate(OTHER_SEED, OTHER_SIZE))


def measure(panel: Panel, folder: Path) -> None:
    """Play and measure every problem of a panel that its files do not have yet."""
    models = standin_policies()
    in_full = {problem.problem_id for problem in select(panel.problems, str(-(-len(panel.problems) // FULL)))}

    def row(problem: Problem) -> dict[str, Any]:
        return measured_row(problem, models, problem.problem_id in in_full)

    few = select(panel.problems, str(max(1, len(panel.problems) // SEARCHED)))
    steps: tuple[tuple[Kind, Callable[[Problem], Row], Sequence[Problem]], ...] = (
        ("measured", row, panel.problems),
        ("played", played_row, panel.problems),
        ("response", response_row, few),
        ("plan", plan_row, few),
    )
    for kind, make, problems in steps:
        path = folder / f"{kind}.jsonl"
        for made in extend(path, kind, panel, problems, make):
            sys.stdout.write(f"{panel.name} {kind} {made['problem_id']}\n")
            sys.stdout.flush()
        tidy(path, kind, panel)


def measure_strata(path: Path) -> None:
    """Write the median valuation of each stratum in markets of the five rules, on panels of several other seeds."""
    medians = {seed: _stratum_medians(generate(seed, SEED_SIZE)) for seed in SEEDS}
    path.write_text(json.dumps({"rules": RULES_VERSION, "problems": SEED_SIZE, "medians": medians}) + "\n", "ascii")


def _stratum_medians(problems: Sequence[Problem]) -> dict[str, int]:
    worth: dict[str, list[float]] = {}
    for problem in problems:
        worth.setdefault(problem.stratum, []).extend(asyncio.run(rule_market(problem)).final)
    return {stratum: round(median(values)) for stratum, values in worth.items()}
