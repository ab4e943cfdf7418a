"""A hunt on disk: a stamp on the first line, then an island a line each time it was searched some more.

The last line of an island is where it stands. A line that was cut off is left out, so a hunt that was killed goes on
from its last whole slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ecologies.hunt.islands import Island
from ecologies.panel_file import Panel, panel_digest
from ecologies.stamped_lines import append_line, read_stamped, write_lines
from erpsim.errors import WorkError
from erpsim.parameters import RULES_VERSION
from erpsim.problem import Problem

FILE: Final = "hunt.jsonl"


def stamp(panel: Panel, problems: Sequence[Problem]) -> dict[str, Any]:
    """What a journal says of itself; one of other problems or of other rules is refused."""
    return {
        "format": 1,
        "rules": RULES_VERSION,
        "panel": panel_digest(panel),
        "problems": [problem.problem_id for problem in problems],
    }


def read(path: Path, head: dict[str, Any]) -> tuple[Island, ...]:
    """Read a journal's islands in the order in which they were written; none where there is no file.

    Raises:
        WorkError: the journal is of other problems or of other rules.
    """
    if not path.exists():
        return ()
    found = read_stamped(path)
    if found.stamp != head:
        raise WorkError(f"{path}: is of other problems or of other rules; remove it or name another folder")
    return tuple(map(_island, found.rows))


def start(path: Path, head: dict[str, Any], islands: Sequence[Island]) -> None:
    """Write a journal anew, so that a line that was cut off is gone."""
    write_lines(path, (head, *map(_plain, islands)))


def append(path: Path, island: Island) -> None:
    """Add an island's line."""
    append_line(path, _plain(island))


def _plain(island: Island) -> dict[str, Any]:
    return {
        "problem_id": island.problem_id,
        "search": island.search,
        "plays": island.plays,
        "score": island.score,
        "step": island.step,
        "genome": island.genome.tolist(),
    }


def _island(row: dict[str, Any]) -> Island:
    return Island(**{**row, "genome": np.array(row["genome"], dtype=np.float64)})
