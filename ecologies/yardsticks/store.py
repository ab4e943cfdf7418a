"""Yardsticks as files: a stamp on the first line, then one problem a line, appended as they are finished.

The stamp holds the panel's digest and the rules' version; a file of another panel or of other rules is refused. The
command in it is the one that began the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal, get_args

from ecologies.panel_file import Panel, panel_digest
from erpsim.errors import WorkError
from erpsim.parameters import RULES_VERSION
from erpsim.problem import Problem

Kind = Literal["static", "played", "response", "plan", "measured"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

DATA: Final = Path(__file__).parents[1] / "data" / "yardsticks"
"""Where the yardsticks of the shipped panel are kept."""
CALIBRATION: Final = "bash scripts/calibrate"
"""What begins files that no other command began."""

Row = Mapping[str, Any]


def stamp(kind: Kind, panel: Panel, command: str = CALIBRATION) -> dict[str, Any]:
    """What a file of yardsticks says of itself."""
    return {**_identity(kind, panel), "command": command}


def shipped(kind: Kind, panel: Panel) -> dict[str, Row]:
    """Yardsticks that come with the package, by problem; empty when they are of another panel or of other rules."""
    file = resources.files("ecologies") / "data" / "yardsticks" / f"{kind}.jsonl"
    lines = file.read_text(encoding="ascii").splitlines() if file.is_file() else []
    return _rows(lines) if _fits(lines, kind, panel) else {}


def read(path: Path, kind: Kind, panel: Panel) -> dict[str, Row]:
    """Read a file's rows by problem; a file that is not there has none, and a last line that was cut off is left out.

    Raises:
        WorkError: the file is of another panel or of other rules, or none of yardsticks.
    """
    return _rows(_lines(path, kind, panel))


def begin(path: Path, kind: Kind, panel: Panel, command: str) -> None:
    """Begin a file with the command that makes it; one that is there keeps its own.

    Raises:
        WorkError: the file is of another panel or of other rules, or none of yardsticks.
    """
    if not _lines(path, kind, panel):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, [stamp(kind, panel, command)])


def extend(
    path: Path, kind: Kind, panel: Panel, problems: Iterable[Problem], make: Callable[[Problem], Row]
) -> Iterable[Row]:
    """Append the rows of the problems that a file does not have yet, each as soon as it is made, and give them.

    Raises:
        WorkError: the file is of another panel or of other rules.
    """
    begin(path, kind, panel, CALIBRATION)
    done = read(path, kind, panel)
    # Written anew, so that a line that was cut off is gone.
    _write(path, [_head(path), *done.values()])
    for problem in problems:
        if problem.problem_id in done:
            continue
        row = {"problem_id": problem.problem_id, **make(problem)}
        with path.open("a", encoding="ascii") as file:
            file.write(_line(row))
        yield row


def tidy(path: Path, kind: Kind, panel: Panel) -> None:
    """Put a file's rows into the order of the panel."""
    done = read(path, kind, panel)
    _write(path, [_head(path), *(done[one.problem_id] for one in panel.problems if one.problem_id in done)])


def _identity(kind: Kind, panel: Panel) -> dict[str, Any]:
    return {"format": 1, "kind": kind, "panel": panel_digest(panel), "rules": RULES_VERSION}


def _lines(path: Path, kind: Kind, panel: Panel) -> list[str]:
    if not path.exists():
        return []
    text = path.read_text(encoding="ascii", errors="replace")
    lines = text[: text.rfind("\n") + 1].splitlines()
    if not _fits(lines, kind, panel):
        raise WorkError(f"{path}: is of another panel or of other rules; remove it or name another folder")
    return lines


def _fits(lines: list[str], kind: Kind, panel: Panel) -> bool:
    try:
        head = json.loads(lines[0]) if lines else None
    except json.JSONDecodeError:
        return False
    return isinstance(head, dict) and {name: head.get(name) for name in head if name != "command"} == _identity(
        kind, panel
    )


def _head(path: Path) -> Row:
    head: Row = json.loads(path.read_text(encoding="ascii").partition("\n")[0])
    return head


def _rows(lines: list[str]) -> dict[str, Row]:
    rows = [json.loads(line) for line in lines[1:]]
    return {row["problem_id"]: row for row in rows}


def _write(path: Path, documents: Iterable[Row]) -> None:
    path.write_text("".join(map(_line, documents)), encoding="ascii")


def _line(document: Row) -> str:
    return json.dumps(document, separators=(",", ":")) + "\n"
