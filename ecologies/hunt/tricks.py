"""Named tricks: where each would show in a play, and the play with that element replaced by the balanced rule's.

What a play loses by the replacement is what the element is worth to it. Elements overlap, so worths do not add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from ecologies.hunt.cells import Cell, repriced
from ecologies.hunt.games import BASE, Decider, Game, Repairer, branch, play
from ecologies.hunt.profile import NEAR, Profile, profile
from ecologies.rules import decide_rule
from erpsim.catalogue import SKU_INDEX
from erpsim.decision import Decision
from erpsim.feasibility_prices import price_band
from erpsim.observation import Observation
from erpsim.round import repair

WORTH_NAMING: Final = 0.01
"""Share of the valuation that a trick must be worth to be named."""
LATE: Final = 2
"""Rounds at the end in which a loan or an investment counts as late."""

Replacement = Callable[[Decision, Decision, Observation], Decision]


class Trick(NamedTuple):
    """One element of play that may be a trick."""

    name: str
    first_round_left: int | None  # rounds before the end from which it differs; None: from the start
    replaced: Replacement  # own decision, the balanced rule's in the same position, the observation
    shows: Callable[[Profile, Profile], bool]  # own play's signature, the balanced rule's


class Verdict(NamedTuple):
    """What one trick is worth to a play."""

    name: str
    worth: float  # EUR lost without it; negative when the play is better off without
    shows: bool

    def named(self, valuation: float) -> bool:
        """Whether the play uses the trick and lives by it."""
        return self.shows and self.worth > WORTH_NAMING * valuation


def verdicts(game: Game, hunter: Decider, base: Profile, repairer: Repairer = repair) -> tuple[Verdict, ...]:
    """Take every trick in turn out of a play.

    Args:
        game: the play.
        hunter: what decided it.
        base: signature of the balanced rule on the same problem.
        repairer: the rules it was played under.
    """
    own = profile(game)
    return tuple(
        Verdict(trick.name, game.worth - _without(game, hunter, trick, repairer).worth, trick.shows(own, base))
        for trick in (*TRICKS, *ELEMENTS)
    )


def without(hunter: Decider, trick: Trick) -> Decider:
    """A decider with one element replaced by what the balanced rule does in its place."""

    def decide(observation: Observation) -> Decision:
        return trick.replaced(hunter(observation), decide_rule(BASE, observation), observation)

    return decide


def _without(game: Game, hunter: Decider, trick: Trick, repairer: Repairer) -> Game:
    if trick.first_round_left is None:
        return play(game.problem, without(hunter, trick), repairer)
    return branch(game, len(game.rounds) - trick.first_round_left + 1, without(hunter, trick), repairer)


def _section(name: str) -> Replacement:
    def replaced(own: Decision, base: Decision, _: Observation) -> Decision:
        return own.model_copy(update={name: getattr(base, name)})

    return replaced


def _finance(*names: str) -> Replacement:
    def replaced(own: Decision, base: Decision, _: Observation) -> Decision:
        changes = {name: getattr(base.finance, name) for name in names}
        return own.model_copy(update={"finance": replace(own.finance, **changes)})

    return replaced


def _whole(_: Decision, base: Decision, __: Observation) -> Decision:
    return base


def _prices_where(chosen: Callable[[Cell, float], bool]) -> Replacement:
    """Only the prices of chosen cells, which are told by the own cell and the balanced rule's price."""

    def replaced(own: Decision, base: Decision, observation: Observation) -> Decision:
        def price_of(cell: Cell) -> float:
            row = base.prices[cell.sku]
            theirs = row[cell.channel] if isinstance(row, dict) else row
            return theirs if chosen(cell, theirs) else cell.price

        return repriced(own, observation, price_of)

    return replaced


def _at_cap(cell: Cell, _: float) -> bool:
    return cell.price >= (1 - NEAR) * price_band(SKU_INDEX[cell.sku])[1]


def _at_floor(cell: Cell, _: float) -> bool:
    return cell.price <= (1 + NEAR) * price_band(SKU_INDEX[cell.sku])[0]


def _cheaper(cell: Cell, theirs: float) -> bool:
    return cell.price < theirs


def _on_empty_shelf(cell: Cell, _: float) -> bool:
    return not cell.supplied


def _more(name: str, least: float) -> Callable[[Profile, Profile], bool]:
    def shows(own: Profile, base: Profile) -> bool:
        return bool(getattr(own, name) > getattr(base, name) + least)

    return shows


def _less(name: str, least: float) -> Callable[[Profile, Profile], bool]:
    def shows(own: Profile, base: Profile) -> bool:
        return bool(getattr(own, name) < getattr(base, name) - least)

    return shows


def _never(_: Profile, __: Profile) -> bool:
    return False


TRICKS: Final = (
    Trick("dividends", None, _finance("dividend"), _more("dividend_share", 0.05)),
    Trick("late loan", LATE, _finance("borrow", "repay"), _more("borrowed_late", 0.5)),
    Trick("loan", None, _finance("borrow", "repay"), _more("loan_end", 0.5)),
    Trick("prices at the cap", None, _prices_where(_at_cap), _more("at_cap", 0.0)),
    Trick("prices at the floor", None, _prices_where(_at_floor), _more("at_floor", 0.0)),
    Trick("air", None, _prices_where(_on_empty_shelf), _more("air_cells", 0.02)),
    Trick("dumping at the end", 1, _prices_where(_cheaper), _less("late_price", 0.05)),
    Trick("fewer orders at the end", 1, _section("purchase_orders"), _less("late_orders", 0.1)),
    Trick("less production at the end", 1, _section("production"), _less("late_production", 0.1)),
    Trick("hoarding at the end", 1, _section("purchase_orders"), _more("stock_end", 1.0)),
    Trick("late investments", LATE, _finance("investments"), _never),
    Trick("last round as a whole", 1, _whole, _never),
)
"""Tricks that were thought of; the last two are none by themselves, but bound what one at the end could be worth."""
ELEMENTS: Final = (
    Trick("prices", None, _section("prices"), _never),
    Trick("production", None, _section("production"), _never),
    Trick("orders", None, _section("purchase_orders"), _never),
    Trick("marketing", None, _section("marketing"), _never),
    Trick("investments", None, _finance("investments"), _never),
)
"""Sections of the decision: where the rest of a play's worth comes from."""
