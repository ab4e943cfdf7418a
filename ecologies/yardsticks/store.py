"""Yardsticks as files: a stamp on the first line, then one problem a line, appended as they are finished.

The stamp holds the panel's digest and the rules' version; a file of another panel or of other rules is refused. The
command in it is the one that began the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args

from ecologies.panel_file import Panel, panel_digest
from ecologies.stamped_lines import Stamped, append_line, read_stamped, write_lines
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
    path = DATA / f"{kind}.jsonl"
    found = read_stamped(path) if path.is_file() else Stamped({}, ())
    return _by_problem(found) if _fits(found, kind, panel) else {}


def read(path: Path, kind: Kind, panel: Panel) -> dict[str, Row]:
    """Read a file's rows by problem; a file that is not there has none, and a last line that was cut off is left out.

    Raises:
        WorkError: the file is of another panel or of other rules, or none of yardsticks.
    """
    return _by_problem(_held(path, kind, panel)) if path.exists() else {}


def begin(path: Path, kind: Kind, panel: Panel, command: str) -> None:
    """Begin a file with the command that makes it; one that is there keeps its own.

    Raises:
        WorkError: the file is of another panel or of other rules, or none of yardsticks.
    """
    if path.exists():
        _held(path, kind, panel)
    else:
        write_lines(path, [stamp(kind, panel, command)])


def extend(
    path: Path, kind: Kind, panel: Panel, problems: Iterable[Problem], make: Callable[[Problem], Row]
) -> Iterable[Row]:
    """Append the rows of the problems that a file does not have yet, each as soon as it is made, and give them.

    Raises:
        WorkError: the file is of another panel or of other rules, or none of yardsticks.
    """
    begin(path, kind, panel, CALIBRATION)
    held = _held(path, kind, panel)
    # Written anew, so that a line that was cut off is gone.
    write_lines(path, (held.stamp, *held.rows))
    for problem in problems:
        if problem.problem_id in _by_problem(held):
            continue
        row = {"problem_id": problem.problem_id, **make(problem)}
        append_line(path, row)
        yield row


def tidy(path: Path, kind: Kind, panel: Panel) -> None:
    """Put a file's rows into the order of the panel."""
    held = _held(path, kind, panel)
    done = _by_problem(held)
    write_lines(path, [held.stamp, *(done[one.problem_id] for one in panel.problems if one.problem_id in done)])


def _identity(kind: Kind, panel: Panel) -> dict[str, Any]:
    return {"format": 1, "kind": kind, "panel": panel_digest(panel), "rules": RULES_VERSION}


def _held(path: Path, kind: Kind, panel: Panel) -> Stamped:
    found = read_stamped(path)
    if not _fits(found, kind, panel):
        raise WorkError(f"{path}: is of another panel or of other rules; remove it or name another folder")
    return found


def _fits(found: Stamped, kind: Kind, panel: Panel) -> bool:
    return {name: value for name, value in found.stamp.items() if name != "command"} == _identity(kind, panel)


def _by_problem(found: Stamped) -> dict[str, Row]:
    return {row["problem_id"]: row for row in found.rows}
