"""What a hunted game is scored by: what the firm is worth, or what its rivals lose for what it gives up."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from ecologies.hunt.games import BASE, Game, play, rule_decider
from erpsim.problem import Problem

Search = Literal["management", "tricks", "endgame", "harm"]
SEARCHES: Final[tuple[Search, ...]] = ("management", "tricks", "endgame", "harm")
"""For the highest worth by a rule's parameters alone, by all genes, or by the last round's over the best parameters;
and by all genes for the most harm."""

LEAST_LOSS: Final = 1_000_000.0
"""EUR of own loss that a smaller one counts as: harm that costs nothing is no bargain without end."""


class Baseline(NamedTuple):
    """A problem as it ends with the balanced rule in the hunter's seat, EUR."""

    worth: float
    rivals_worth: float


class Harm(NamedTuple):
    """What a game did against the baseline, EUR; negative losses are gains."""

    own_loss: float
    rivals_loss: float  # of all five together

    @property
    def ratio(self) -> float:
        """Rivals' loss for each EUR given up; 0 where the firm gains, since then it just plays well."""
        return 0.0 if self.own_loss < 0 else self.rivals_loss / max(self.own_loss, LEAST_LOSS)


def baseline(problem: Problem) -> Baseline:
    """Play a problem with the balanced rule in the hunter's seat."""
    game = play(problem, rule_decider(BASE))
    return Baseline(game.worth, game.rivals_worth)


def harm(base: Baseline, game: Game) -> Harm:
    """Compare a game with the baseline of its problem."""
    return Harm(base.worth - game.worth, base.rivals_worth - game.rivals_worth)


def score(search: Search, base: Baseline, game: Game) -> float:
    """What a search maximises: EUR, or a ratio for harm."""
    return harm(base, game).ratio if search == "harm" else game.worth
