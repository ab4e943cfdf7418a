"""Measures what the calibration page shows, problem by problem; started again, it goes on.

`python -m tests.docs.calibration_run [--panel FILE] [--folder FOLDER] [--problems CHOICE]`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ecologies.calibration.rows import measured_row
from ecologies.panel import generate
from ecologies.panel_file import Panel
from ecologies.problems import read_panel, select, shipped_panel
from ecologies.yardsticks.__main__ import DATA
from ecologies.yardsticks.rows import played_row
from ecologies.yardsticks.store import Kind, Row, extend, tidy
from erpsim.problem import Problem
from tests.docs.standin_policy import standin_policies

OTHER_SEED: Final = 1974
OTHER_SIZE: Final = 30
"""Problems of the panel of another seed; strata in the proportions of the shipped one."""
FULL: Final = 6
"""Of so many problems, spread over the strata, one is measured in full."""
OTHER: Final = DATA / "other"


def other_panel() -> Panel:
    """A panel that nothing was tuned on."""
    return Panel(1, f"seed {OTHER_SEED}", generate(OTHER_SEED, OTHER_SIZE))


def measure(panel: Panel, folder: Path) -> None:
    """Play and measure every problem of a panel that its files do not have yet."""
    models = standin_policies()
    in_full = {problem.problem_id for problem in select(panel.problems, str(-(-len(panel.problems) // FULL)))}

    def row(problem: Problem) -> dict[str, Any]:
        return measured_row(problem, models, problem.problem_id in in_full)

    makers: dict[Kind, Callable[[Problem], Row]] = {"measured": row, "played": played_row}
    for kind, make in makers.items():
        path = folder / f"{kind}.jsonl"
        for made in extend(path, kind, panel, panel.problems, make):
            sys.stdout.write(f"{panel.name} {kind} {made['problem_id']}\n")
            sys.stdout.flush()
        tidy(path, kind, panel)


def main(arguments: list[str]) -> int:
    """Measure both panels, or a user's."""
    parser = argparse.ArgumentParser(prog="python -m tests.docs.calibration_run")
    parser.add_argument("--panel", type=Path, default=None, help="a panel file; the two of the page if left out")
    parser.add_argument("--folder", type=Path, default=None, help="where the files are kept")
    asked = parser.parse_args(arguments)
    if asked.panel is not None:
        measure(read_panel(asked.panel), asked.folder or Path("calibration"))
        return 0
    measure(shipped_panel(), asked.folder or DATA)
    measure(other_panel(), asked.folder / "other" if asked.folder else OTHER)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
