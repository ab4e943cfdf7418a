"""`python -m ecologies.hunt run|judge|tables FOLDER`: hunt for exploits, judge the winners, print the tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ecologies.hunt.campaign import hunt, standing
from ecologies.hunt.findings import judge, read_findings
from ecologies.hunt.tables import tables
from ecologies.problems import select, shipped_panel


def main(arguments: list[str]) -> int:
    """Hunt, judge or print; a hunt that was stopped goes on."""
    parser = argparse.ArgumentParser(prog="python -m ecologies.hunt", description=__doc__)
    parser.add_argument("task", choices=("run", "judge", "tables"))
    parser.add_argument("folder", type=Path, help="where the journal and the findings are kept")
    parser.add_argument("--plays", type=int, default=20_000, help="plays in all, those of earlier starts included")
    parser.add_argument("--problems", default="20", help="all, a number, or ids separated by commas")
    asked = parser.parse_args(arguments)
    panel = shipped_panel()
    problems = select(panel.problems, asked.problems)
    if asked.task == "run":
        for island in hunt(asked.folder, panel, problems, asked.plays):
            _say(f"{island.problem_id} {island.search} {island.plays} {island.score:.4f}")
    elif asked.task == "judge":
        for found in judge(asked.folder, problems, standing(asked.folder, panel, problems)):
            _say(f"{found['problem_id']} {', '.join(found['named']) or 'no trick'}")
    else:
        _say(tables(read_findings(asked.folder)))
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
