"""Where a search stands on one problem, and what it goes on from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ecologies.hunt.games import BASE, Repairer
from ecologies.hunt.genome import encode
from ecologies.hunt.objectives import Baseline, Search
from ecologies.rule_cube import FIRST_STEP
from erpsim.problem import Problem
from erpsim.round import repair
from erpsim.units import FloatArray

DECIMALS: Final = 4
"""Of a gene, so that the journal holds it exactly."""


@dataclass(frozen=True, eq=False)
class Island:
    """One search on one problem: its best genome so far."""

    problem_id: str
    search: Search
    plays: int
    score: float
    step: float
    genome: FloatArray  # (genes,)


class Hunt(NamedTuple):
    """What does not change while an island is searched."""

    problem: Problem
    base: Baseline
    pool: Sequence[FloatArray] = ()  # best genomes found on other problems
    repairer: Repairer = repair


def opened(problem: Problem, search: Search, base: Baseline) -> Island:
    """An island that has not been searched: it stands at the balanced rule."""
    first = base.worth if search != "harm" else 0.0
    return Island(problem.problem_id, search, 0, first, FIRST_STEP, rounded(encode(BASE)))


def rounded(genome: FloatArray) -> FloatArray:
    """A genome (genes,) as the journal can hold it."""
    genes: FloatArray = np.around(genome, DECIMALS).astype(np.float64)
    return genes
