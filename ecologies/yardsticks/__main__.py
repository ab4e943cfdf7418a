"""`python -m ecologies.yardsticks KIND`: compute yardsticks problem by problem; started again, it goes on."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ecologies.problems import read_panel, select
from ecologies.yardsticks.rows import plan_row, played_row, response_row, static_row
from ecologies.yardsticks.store import DATA, Kind, Row, begin, extend, tidy
from erpsim.errors import ProblemError, WorkError
from erpsim.problem import Problem

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
    parser.add_argument("--folder", type=Path, default=DATA, help="where the files are kept; the package's own data")
    asked = parser.parse_args(arguments)
    try:
        _compute(asked)
    except (WorkError, ProblemError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    return 0


def _compute(asked: argparse.Namespace) -> None:
    panel = read_panel(asked.panel)
    problems = select(panel.problems, asked.problems)
    path = asked.folder / f"{asked.kind}.jsonl"
    begin(path, asked.kind, panel, _command(asked))
    for row in extend(path, asked.kind, panel, problems, MAKERS[asked.kind]):
        sys.stdout.write(f"{asked.kind} {row['problem_id']}\n")
        sys.stdout.flush()
    tidy(path, asked.kind, panel)


def _command(asked: argparse.Namespace) -> str:
    """What was typed, but for the folder."""
    chosen = [] if asked.problems == "all" else ["--problems", asked.problems]
    chosen += ["--panel", str(asked.panel)] if asked.panel else []
    return shlex.join(["python", "-m", "ecologies.yardsticks", asked.kind, *chosen])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
