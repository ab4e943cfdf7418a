"""`python -m ecologies.yardsticks KIND`: compute yardsticks problem by problem; started again, it goes on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ecologies.problems import read_panel, select
from ecologies.yardsticks.rows import plan_row, played_row, response_row, static_row
from ecologies.yardsticks.store import Kind, Row, extend, tidy
from erpsim.problem import Problem

DATA: Final = Path(__file__).parents[1] / "data" / "yardsticks"

MAKERS: Final[dict[Kind, Callable[[Problem], Row]]] = {
    "static": static_row,
    "played": played_row,
    "response": response_row,
    "plan": plan_row,
}


def main(arguments: list[str]) -> int:
    """Compute what is missing of one kind and say each problem as it is done."""
    parser = argparse.ArgumentParser(prog="python -m ecologies.yardsticks", description=__doc__)
    parser.add_argument("kind", choices=tuple(MAKERS))
    parser.add_argument("--problems", default="all", help="all, a number, or ids separated by commas")
    parser.add_argument("--panel", type=Path, default=None, help="a panel file; the shipped one if left out")
    parser.add_argument("--folder", type=Path, default=DATA, help="where the files are kept")
    asked = parser.parse_args(arguments)
    panel = read_panel(asked.panel)
    path = asked.folder / f"{asked.kind}.jsonl"
    for row in extend(path, asked.kind, panel, select(panel.problems, asked.problems), MAKERS[asked.kind]):
        sys.stdout.write(f"{asked.kind} {row['problem_id']}\n")
        sys.stdout.flush()
    tidy(path, asked.kind, panel)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
