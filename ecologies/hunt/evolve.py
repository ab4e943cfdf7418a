"""A (1 + 1) evolution strategy over genomes with the one-fifth success rule (Rechenberg 1973).

One genome is kept, one is tried at a time; what `proposals` tries depends on the number of the play alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ecologies.hunt.games import Game, branch, play
from ecologies.hunt.genome import first_change
from ecologies.hunt.islands import Hunt, Island
from ecologies.hunt.objectives import score
from ecologies.hunt.overlay import decider
from ecologies.hunt.proposals import proposed
from erpsim.units import FloatArray

STEPS: Final = (0.01, 0.5)
"""Least and largest standard deviation of a move."""
GROWTH: Final = 1.5
"""Factor on the step after a success; a failure takes its fourth root away, so that one in five keeps it."""


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


def _played(game: Game, before: FloatArray, after: FloatArray, hunt: Hunt) -> Game:
    start = first_change(before, after)
    if start > len(game.rounds):
        return game
    return branch(game, start, decider(after), hunt.repairer)
