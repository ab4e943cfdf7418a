"""The evolution strategy of `rule_cube` over genomes.

One genome is kept, one is tried at a time; what `proposals` tries depends on the number of the play alone.
"""

from __future__ import annotations

from dataclasses import replace

from ecologies.hunt.games import Game, branch, play
from ecologies.hunt.genome import first_change
from ecologies.hunt.islands import Hunt, Island
from ecologies.hunt.objectives import score
from ecologies.hunt.overlay import decider
from ecologies.hunt.proposals import proposed
from ecologies.rule_cube import next_step
from erpsim.units import FloatArray


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
        island = replace(island, plays=island.plays + 1, step=next_step(island.step, won))
        if won:
            island, game = replace(island, score=better, genome=tried), reached
    return island


def _played(game: Game, before: FloatArray, after: FloatArray, hunt: Hunt) -> Game:
    start = first_change(before, after)
    if start > len(game.rounds):
        return game
    return branch(game, start, decider(after), hunt.repairer)
