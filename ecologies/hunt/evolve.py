"""A (1 + 1) evolution strategy over genomes that looks into every corner first.

The first proposals set one family of raw genes to an end of its range, in all rounds or in the last alone, because
tricks live in corners. Then few genes at a time move, with the one-fifth success rule (Rechenberg 1973), or a part of
another problem's best genome is taken over. Draws are keyed by the number of the play, so a hunt can be stopped and
goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from ecologies.hunt.games import BASE, Game, Repairer, branch, play
from ecologies.hunt.genome import FAMILIES, LENGTH, RAW_START, ROUNDS, RULE_GENES, encode, first_change
from ecologies.hunt.objectives import Baseline, Search, score
from ecologies.hunt.overlay import decider
from erpsim.problem import Problem
from erpsim.round import repair
from erpsim.streams import stream
from erpsim.units import FloatArray, IntArray

FIRST_STEP: Final = 0.15
"""Standard deviation of the first moves."""
STEPS: Final = (0.01, 0.5)
GROWTH: Final = 1.5
"""Factor on the step after a success; a failure takes its fourth root away, so that one in five keeps it."""
DECIMALS: Final = 4
"""Of a gene, so that the journal holds it exactly."""
MOVED: Final = 4
"""Genes that a small move changes on average."""


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


class Corner(NamedTuple):
    """One end of one family, from a round (0-based) on."""

    family: int
    start: int
    gene: float


CORNERS: Final = tuple(
    Corner(family, start, gene) for start in (0, ROUNDS - 1) for gene in (1.0, 0.0) for family in range(len(FAMILIES))
)


def opened(problem: Problem, search: Search, base: Baseline) -> Island:
    """An island that has not been searched: it stands at the balanced rule."""
    first = base.worth if search != "harm" else 0.0
    return Island(problem.problem_id, search, 0, first, FIRST_STEP, rounded(encode(BASE)))


def rounded(genome: FloatArray) -> FloatArray:
    """A genome (genes,) as the journal can hold it."""
    genes: FloatArray = np.around(genome, DECIMALS).astype(np.float64)
    return genes


def advance(island: Island, hunt: Hunt, plays: int) -> Island:
    """Search an island for some more plays."""
    game = play(hunt.problem, decider(island.genome), hunt.repairer)
    # The island may have been given a genome of another search; its score is what it reaches here.
    island = replace(island, score=score(island.search, hunt.base, game))
    for _ in range(plays):
        tried = proposed(island, hunt)
        reached = _played(game, island.genome, tried, hunt)
        better = score(island.search, hunt.base, reached)
        won = better > island.score
        factor = GROWTH if won else GROWTH**-0.25
        step = min(max(island.step * factor, STEPS[0]), STEPS[1])
        island = replace(island, plays=island.plays + 1, step=step)
        if won:
            island, game = replace(island, score=better, genome=tried), reached
    return island


def proposed(island: Island, hunt: Hunt) -> FloatArray:
    """The genome (genes,) that an island tries next; equal islands try the same."""
    search = island.search
    corners = () if search == "management" else CORNERS if search != "endgame" else CORNERS[len(CORNERS) // 2 :]
    if island.plays < len(corners):
        return _cornered(island.genome, corners[island.plays])
    rng = stream(hunt.problem.seed, 0, "hunt", search, island.plays)
    places = _PLACES[search]
    moves: tuple[Callable[[], FloatArray], ...] = (
        lambda: _moved(island, rng, places),
        lambda: _crossed(island, rng, hunt.pool, places),
        lambda: _into_corners(island.genome, rng, ROUNDS - 1 if search == "endgame" else 0),
        lambda: _moved(island, rng, _late(rng)),
    )
    return moves[int(rng.choice(len(moves), p=_CHANCES[search]))]()


_RAW: Final = np.arange(RAW_START, LENGTH).reshape(len(FAMILIES), ROUNDS)
_PLACES: Final[dict[Search, IntArray]] = {
    "management": np.arange(RULE_GENES),
    "tricks": np.arange(LENGTH),
    "endgame": _RAW[:, -1],
    "harm": np.arange(LENGTH),
}
"""Genes that a search may move."""
_CHANCES: Final[dict[Search, tuple[float, ...]]] = {
    "management": (0.85, 0.15, 0.0, 0.0),
    "tricks": (0.35, 0.15, 0.2, 0.3),
    "endgame": (0.6, 0.15, 0.25, 0.0),
    "harm": (0.35, 0.15, 0.2, 0.3),
}
"""Of a small move, of taking over, of corners, and of a small move late in the game, which is cheap to play."""


def _played(game: Game, before: FloatArray, after: FloatArray, hunt: Hunt) -> Game:
    start = first_change(before, after)
    if start > len(game.rounds):
        return game
    return branch(game, start, decider(after), hunt.repairer)


def _cornered(genome: FloatArray, corner: Corner) -> FloatArray:
    tried = genome.copy()
    tried[RAW_START:].reshape(len(FAMILIES), ROUNDS)[corner.family, corner.start :] = corner.gene
    return tried


def _into_corners(genome: FloatArray, rng: np.random.Generator, earliest: int) -> FloatArray:
    """One to three corners at once: some tricks take a loan and a dividend, or a price and a shelf."""
    for _ in range(int(rng.integers(1, 4))):
        genome = _cornered(genome, _drawn(rng, earliest))
    return genome


def _drawn(rng: np.random.Generator, earliest: int) -> Corner:
    """Any value for a family from any round on; an end of the range as often as not."""
    gene = float(rng.integers(2)) if rng.random() < 0.5 else round(float(rng.random()), DECIMALS)
    return Corner(int(rng.integers(len(FAMILIES))), int(rng.integers(earliest, ROUNDS)), gene)


def _late(rng: np.random.Generator) -> IntArray:
    """Places of the raw genes from a drawn round on."""
    return _RAW[:, int(rng.integers(ROUNDS)) :].ravel()


def _moved(island: Island, rng: np.random.Generator, places: IntArray) -> FloatArray:
    chosen = places[rng.random(len(places)) < MOVED / len(places)]
    if not len(chosen):
        chosen = places[rng.integers(len(places), size=1)]
    tried = island.genome.copy()
    tried[chosen] += island.step * rng.standard_normal(len(chosen))
    return rounded(np.clip(tried, 0.0, 1.0))


def _crossed(island: Island, rng: np.random.Generator, pool: Sequence[FloatArray], places: IntArray) -> FloatArray:
    """Take over a third of the genes of another problem's best genome, or move when there is none."""
    if not len(pool):
        return _moved(island, rng, places)
    other = pool[int(rng.integers(len(pool)))]
    taken = places[rng.random(len(places)) < 1 / 3]
    tried = island.genome.copy()
    tried[taken] = other[taken]
    return tried
