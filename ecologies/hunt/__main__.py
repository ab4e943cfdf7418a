"""`python -m ecologies.hunt run|judge|tables FOLDER`: hunt for exploits, judge the winners, print the tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from ecologies.hunt.campaign import TURN, hunt, standing
from ecologies.hunt.findings import judge, lacking, read_findings
from ecologies.hunt.tables import tables
from ecologies.problems import select, shipped_panel
from erpsim.errors import ProblemError, WorkError

PLAYS: Final = (
    f"plays in all, those of earlier starts included, up to the next whole turn of {TURN}; that a turn"
    " begins by playing what it goes on from is not counted"
)


def main(arguments: list[str]) -> int:
    """Hunt, judge or print; a hunt that was stopped goes on."""
    parser = argparse.ArgumentParser(prog="python -m ecologies.hunt", description=__doc__)
    parser.add_argument("task", choices=("run", "judge", "tables"))
    parser.add_argument("folder", type=Path, help="where the journal and the findings are kept")
    parser.add_argument("--plays", type=int, default=20_000, help=PLAYS)
    parser.add_argument("--problems", default="20", help="all, a number, or ids separated by commas")
    asked = parser.parse_args(arguments)
    if asked.plays < 1:
        parser.error(f"--plays has to be at least 1, not {asked.plays}")
    try:
        _do(asked)
    except (WorkError, ProblemError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    return 0


def _do(asked: argparse.Namespace) -> None:
    panel = shipped_panel()
    problems = select(panel.problems, asked.problems)
    if asked.task == "run":
        for island in hunt(asked.folder, panel, problems, asked.plays):
            _say(f"{island.problem_id} {island.search} {island.plays} {island.score:.4f}")
    elif asked.task == "judge":
        known = standing(asked.folder, panel, problems)
        for found in judge(asked.folder, problems, known):
            _say(f"{found['problem_id']} {', '.join(found['named']) or 'no trick'}")
        for name, searches in lacking(problems, known).items():
            _say(f"{name} not judged: no {', '.join(searches)} yet")
    else:
        _say(tables(read_findings(asked.folder)))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
