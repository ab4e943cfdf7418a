"""What a hunt found on each problem, judged: what winners gain, by which named trick, and what harm costs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ecologies.hunt.campaign import Standing
from ecologies.hunt.games import BASE, Decider, play, rule_decider
from ecologies.hunt.genome import NEUTRAL, RAW_START
from ecologies.hunt.objectives import SEARCHES, Baseline, harm
from ecologies.hunt.overlay import decider
from ecologies.hunt.probes import probe_gains
from ecologies.hunt.profile import profile
from ecologies.hunt.tricks import verdicts
from ecologies.stamped_lines import append_line
from erpsim.errors import WorkError
from erpsim.problem import Problem

FILE: Final = "findings.jsonl"

Finding = dict[str, Any]


def lacking(problems: Sequence[Problem], known: Standing) -> dict[str, tuple[str, ...]]:
    """Searches that have not begun, by the problem that lacks them."""
    lacks = {one.problem_id: tuple(it for it in SEARCHES if (one.problem_id, it) not in known) for one in problems}
    return {name: searches for name, searches in lacks.items() if searches}


def judge(folder: Path, problems: Sequence[Problem], known: Standing) -> Iterator[Finding]:
    """Judge every problem on which all searches stand, and give each finding.

    The file of findings, one a line, is replaced once all of them are there.

    Raises:
        WorkError: there is no such problem.
    """
    unfinished = lacking(problems, known)
    whole = [problem for problem in problems if problem.problem_id not in unfinished]
    if not whole:
        raise WorkError(f"{folder}: no problem has every search behind it; `run` first, with the same --problems")
    path = folder / f"{FILE}.new"
    path.write_text("", encoding="ascii")
    for problem in whole:
        found = finding(problem, known)
        append_line(path, found)
        yield found
    path.replace(folder / FILE)


def read_findings(folder: Path) -> list[Finding]:
    """Read what `judge` wrote.

    Raises:
        WorkError: there is nothing, or it is none of findings.
    """
    path = folder / FILE
    try:
        found = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    except (OSError, ValueError) as error:
        raise WorkError(f"{path}: cannot be read ({error}); `judge` writes it") from None
    if not found:
        raise WorkError(f"{path}: holds no findings; `judge` writes them")
    return found


def finding(problem: Problem, known: Standing) -> Finding:
    """Judge one problem's islands; valuations and worths in EUR."""
    plain = rule_decider(BASE)
    base = play(problem, plain)
    islands = {search: known[problem.problem_id, search] for search in SEARCHES}
    deciders: dict[str, Decider] = {search: decider(island.genome) for search, island in islands.items()}
    games = {search: play(problem, deciders[search]) for search in SEARCHES}
    best, ordinary = games["tricks"], profile(base)
    judged = verdicts(best, deciders["tricks"], ordinary)
    done = harm(Baseline(base.worth, base.rivals_worth), games["harm"])
    return {
        "problem_id": problem.problem_id,
        "stratum": problem.stratum,
        "genomes": {search: island.genome.tolist() for search, island in islands.items()},
        "plays": {search: island.plays for search, island in islands.items()},
        "worth": {
            "balanced": base.worth,
            "before_endgame": _before_endgame(problem, known),
            **{search: game.worth for search, game in games.items()},
        },
        "worth_of": {verdict.name: verdict.worth for verdict in judged},
        "named": [verdict.name for verdict in judged if verdict.named(best.worth)],
        "profiles": {
            "balanced": ordinary._asdict(),
            **{search: profile(game)._asdict() for search, game in games.items()},
        },
        "harm": {**done._asdict(), "ratio": done.ratio, "rivals_worth": base.rivals_worth},
        "probes": {
            "balanced": probe_gains(base, plain),
            "management": probe_gains(games["management"], deciders["management"]),
            "tricks": probe_gains(best, deciders["tricks"]),
        },
    }


def _before_endgame(problem: Problem, known: Standing) -> float:
    """Worth of the endgame's parameters without what it lays over the last round, EUR."""
    genome = known[problem.problem_id, "endgame"].genome.copy()
    genome[RAW_START:] = NEUTRAL
    return play(problem, decider(genome)).worth
