"""A hunt on disk: a stamp on the first line, then an island a line each time it was searched some more.

The last line of an island is where it stands. A line that was cut off is left out, so a hunt that was killed goes on
from its last whole slice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ecologies.hunt.islands import Island
from ecologies.panel_file import Panel, panel_digest
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
    text = path.read_text(encoding="ascii")
    lines = text[: text.rfind("\n") + 1].splitlines()
    if not lines or json.loads(lines[0]) != head:
        raise WorkError(f"{path}: is of other problems or of other rules; remove it or name another folder")
    return tuple(_island(json.loads(line)) for line in lines[1:])


def start(path: Path, head: dict[str, Any], islands: Sequence[Island]) -> None:
    """Write a journal anew, so that a line that was cut off is gone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(_line, (head, *map(_plain, islands)))), encoding="ascii")


def append(path: Path, island: Island) -> None:
    """Add an island's line."""
    with path.open("a", encoding="ascii") as file:
        file.write(_line(_plain(island)))


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


def _line(document: dict[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":")) + "\n"
