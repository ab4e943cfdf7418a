"""A whole hunt: islands of every search on every problem, searched in turn, each turn a line of the journal.

Turns follow a fixed order and draws are keyed by the play's number, so a hunt that is stopped and started again finds
what it would have found in one go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from ecologies.hunt.evolve import advance
from ecologies.hunt.genome import RAW_START
from ecologies.hunt.islands import Hunt, Island, opened
from ecologies.hunt.journal import FILE, append, read, stamp, start
from ecologies.hunt.objectives import Baseline, Search, baseline
from ecologies.panel_file import Panel
from erpsim.problem import Problem

TURN: Final = 25
"""Plays of an island between two lines of the journal."""
CYCLE: Final[tuple[Search, ...]] = ("management", "tricks", "tricks", "endgame", "harm")
"""Searches of a problem before the next problem's turn; the search for tricks has twice the plays."""

Standing = dict[tuple[str, Search], Island]


def hunt(folder: Path, panel: Panel, problems: Sequence[Problem], plays: int) -> Iterator[Island]:
    """Hunt until so many plays are made in all, those of earlier starts included, and give each island after its turn.

    Raises:
        WorkError: the folder's journal is of other problems or of other rules.
    """
    path, head = folder / FILE, stamp(panel, problems)
    done = read(path, head)
    start(path, head, done)
    standing: Standing = {(island.problem_id, island.search): island for island in done}
    turns = [(problem, search) for problem in problems for search in CYCLE]
    for turn in range(len(done), -(-plays // TURN)):
        problem, search = turns[turn % len(turns)]
        island = advance(_opening(problem, search, standing), _hunt(problem, search, standing), TURN)
        standing[problem.problem_id, search] = island
        append(path, island)
        yield island


def standing(folder: Path, panel: Panel, problems: Sequence[Problem]) -> Standing:
    """Where every island of a journal stands, by problem and search.

    Raises:
        WorkError: the folder's journal is of other problems or of other rules.
    """
    islands = read(folder / FILE, stamp(panel, problems))
    return {(island.problem_id, island.search): island for island in islands}


@cache
def _baseline(problem: Problem) -> Baseline:
    return baseline(problem)


def _opening(problem: Problem, search: Search, known: Standing) -> Island:
    """The island as its turn finds it; searches by raw genes go on from better management where there is some."""
    own = known.get((problem.problem_id, search)) or opened(problem, search, _baseline(problem))
    managed = known.get((problem.problem_id, "management"))
    if search == "tricks" and managed is not None and managed.score > own.score:
        return replace(own, score=managed.score, genome=managed.genome)
    if search == "endgame" and managed is not None:
        return replace(own, genome=np.concatenate([managed.genome[:RAW_START], own.genome[RAW_START:]]))
    return own


def _hunt(problem: Problem, search: Search, known: Standing) -> Hunt:
    pool = [one.genome for (name, kind), one in known.items() if kind == search and name != problem.problem_id]
    return Hunt(problem, _baseline(problem), pool)
