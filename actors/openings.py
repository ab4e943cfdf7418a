"""First turns of firms that rules play: every market of a problem opens alike, so one turn serves them all."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from actors.trajectory import Trajectory
from ecologies.local import Turn
from ecologies.policy import PolicySpec

MOST: Final = 1_024
"""Turns kept, the last ones; a turn takes about 40 kB, which the markets in flight share."""

Opening = tuple[PolicySpec, str, int, int]
"""Policy, problem, seats of the market, seat: what determines a first turn of a policy that repeats itself."""


class Openings:
    """Turns of round 1 of one actor's firms whose policies answer equal observations alike."""

    def __init__(self) -> None:
        """Know none."""
        self._turns: dict[Opening, Turn] = {}

    def known(self, game: Trajectory) -> Trajectory | None:
        """The firm with its first turn; None where that is not known, or the first round is over."""
        turn = self._turns.get(_opening(game)) if game.state.round_number == 1 else None
        return None if turn is None else replace(game, turn=turn)

    def keep(self, ready: Trajectory) -> None:
        """Remember the turn of a firm in round 1; of a later round nothing is remembered."""
        if ready.state.round_number == 1 and ready.turn is not None:
            self._turns[_opening(ready)] = ready.turn
            if len(self._turns) > MOST:
                del self._turns[next(iter(self._turns))]


def _opening(game: Trajectory) -> Opening:
    return game.spec, game.unit.problem.problem_id, len(game.unit.market.seats), game.identity.seat
