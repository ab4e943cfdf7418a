"""What a search tries next: every corner first, then few genes at a time, and parts of what was found elsewhere.

A corner sets a family of raw genes to an end of its range, in all rounds or in the last alone, because tricks live in
corners. Draws are keyed by the number of the play, so a hunt can be stopped and goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from ecologies.hunt.genome import FAMILIES, LENGTH, RAW_START, ROUNDS, RULE_GENES
from ecologies.hunt.islands import DECIMALS, Hunt, Island, rounded
from ecologies.hunt.objectives import Search
from erpsim.streams import stream
from erpsim.units import FloatArray, IntArray

MOVED: Final = 4
"""Genes that a small move changes on average."""


class Corner(NamedTuple):
    """One end of one family, from a round (0-based) on."""

    family: int
    start: int
    gene: float


CORNERS: Final = tuple(
    Corner(family, start, gene) for start in (0, ROUNDS - 1) for gene in (1.0, 0.0) for family in range(len(FAMILIES))
)


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
