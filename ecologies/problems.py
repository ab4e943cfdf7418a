"""The problems of a run: the shipped panel or a file of the user's, and the choice among them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from pathlib import Path

from ecologies.apportion import apportion
from ecologies.panel_file import Panel, decode, load_panel, panel_digest
from erpsim.errors import ProblemError, WorkError
from erpsim.problem import STRATA, Problem


@lru_cache(maxsize=1)
def shipped_panel() -> Panel:
    """Read the panel of 100 problems that comes with the package.

    Raises:
        ProblemError: the file is not the one whose digest is shipped beside it.
    """
    folder = resources.files("ecologies") / "data"
    panel = decode((folder / "panel.json").read_bytes(), "the shipped panel")
    digest = (folder / "panel.json.sha256").read_text(encoding="ascii").split()[0]
    if panel_digest(panel) != digest:
        raise ProblemError(
            f"the shipped panel has digest {panel_digest(panel)}, not {digest}; "
            "restore ecologies/data, or pass a panel of your own as a file"
        )
    return panel


def read_panel(path: Path | None) -> Panel:
    """Read a user's panel, or the shipped one when there is no path.

    Raises:
        ProblemError: naming file, problem, field, value, bound and mend.
    """
    return load_panel(path) if path else shipped_panel()


def select(problems: Sequence[Problem], choice: str) -> tuple[Problem, ...]:
    """Choose problems, in the order of the panel.

    Args:
        problems: the panel's.
        choice: `all`; a number, spread over the strata present by largest remainder, the first ones of each; or ids
            separated by commas.

    Raises:
        WorkError: an id that is not there or stands twice, or a number out of range.
    """
    text = choice.strip()
    if text.lower() == "all":
        return tuple(problems)
    if text.lstrip("+-").isdecimal():
        return _spread(problems, int(text))
    return _named(problems, [part.strip() for part in text.split(",")])


def _spread(problems: Sequence[Problem], count: int) -> tuple[Problem, ...]:
    if not 1 <= count <= len(problems):
        raise WorkError(f"{count} problems are asked for; the panel has {len(problems)}: ask for 1 to {len(problems)}")
    groups = [[problem for problem in problems if problem.stratum == stratum] for stratum in STRATA]
    quotas = apportion(count, [len(group) for group in groups])
    chosen = {id(problem) for group, quota in zip(groups, quotas, strict=True) for problem in group[:quota]}
    return tuple(problem for problem in problems if id(problem) in chosen)


def _named(problems: Sequence[Problem], names: Sequence[str]) -> tuple[Problem, ...]:
    by_id = {problem.problem_id: problem for problem in problems}
    for name in names:
        if name not in by_id:
            near = get_close_matches(name.upper(), by_id, n=3, cutoff=0.5) or [problems[0].problem_id]
            raise WorkError(f"unknown problem {name!r}; the panel has {len(by_id)}, such as {', '.join(near)}")
        if names.count(name) > 1:
            raise WorkError(f"problem {name!r} is asked for twice; name it once")
    return tuple(problem for problem in problems if problem.problem_id in names)
