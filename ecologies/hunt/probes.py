"""Tricks that anybody would try by hand, each laid over a play: what it gains or costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ecologies.hunt.cells import Cell, repriced
from ecologies.hunt.games import Decider, Game, branch
from erpsim.catalogue import SKU_INDEX
from erpsim.decision import Decision, Investment
from erpsim.feasibility_prices import price_band
from erpsim.observation import Observation

ALL_THERE_IS: Final = 1e9
"""EUR asked where everything is wanted; the rules grant what they allow."""
LATE_CAPACITY: Final = 4_000
"""Units/day bought when no round is left to use them."""

Change = Callable[[Decision, Observation], Decision]


class Probe(NamedTuple):
    """One trick to try."""

    name: str
    last_rounds: int  # in which it is played
    change: Change


def probe_gains(game: Game, hunter: Decider) -> dict[str, float]:
    """What each probe adds to a play's final valuation, EUR, by name; then what not seeing the end coming adds.

    Args:
        game: the play.
        hunter: what decided it.
    """
    tried = {probe.name: _probed(game, hunter, probe) for probe in PROBES}
    unaware = {name: branch(game, len(game.rounds), _unaware(hunter, sections)) for name, sections in UNAWARE.items()}
    return {name: one.worth - game.worth for name, one in {**tried, **unaware}.items()}


def _unaware(hunter: Decider, sections: tuple[str, ...]) -> Decider:
    """Some sections of a decision made as if as many rounds again were to come."""

    def decide(observation: Observation) -> Decision:
        longer = hunter(replace(observation, horizon=2 * observation.horizon))
        return hunter(observation).model_copy(update={name: getattr(longer, name) for name in sections})

    return decide


def _probed(game: Game, hunter: Decider, probe: Probe) -> Game:
    def decide(observation: Observation) -> Decision:
        return probe.change(hunter(observation), observation)

    return branch(game, max(1, len(game.rounds) - probe.last_rounds + 1), decide)


def _without(section: str) -> Change:
    return lambda decision, _: decision.model_copy(update={section: ()})


def _finance(**amounts: Any) -> Change:
    return lambda decision, _: decision.model_copy(update={"finance": replace(decision.finance, **amounts)})


def _prices_times(factor: float) -> Change:
    return lambda decision, observation: repriced(decision, observation, lambda cell: cell.price * factor)


def _at_end_of_band(end: int) -> Change:
    return lambda decision, observation: repriced(
        decision, observation, lambda cell: price_band(SKU_INDEX[cell.sku])[end]
    )


def _bait(decision: Decision, observation: Observation) -> Decision:
    """The lowest price on every shelf that will be empty."""

    def price_of(cell: Cell) -> float:
        return cell.price if cell.supplied else price_band(SKU_INDEX[cell.sku])[0]

    return repriced(decision, observation, price_of)


def _orders_times(factor: int) -> Change:
    def change(decision: Decision, _: Observation) -> Decision:
        orders = (replace(order, quantity=order.quantity * factor) for order in decision.purchase_orders)
        return decision.model_copy(update={"purchase_orders": tuple(orders)})

    return change


def _late_capacity(decision: Decision, _: Observation) -> Decision:
    bought = (*decision.finance.investments, Investment(kind="capacity", amount=LATE_CAPACITY))
    return decision.model_copy(update={"finance": replace(decision.finance, investments=bought)})


ALWAYS: Final = 60
PROBES: Final = (
    Probe("no orders in the last round", 1, _without("purchase_orders")),
    Probe("no orders in the last two rounds", 2, _without("purchase_orders")),
    Probe("three times the orders in the last round", 1, _orders_times(3)),
    Probe("no production in the last round", 1, _without("production")),
    Probe("no marketing in the last round", 1, _without("marketing")),
    Probe("no investments in the last round", 1, _finance(investments=())),
    Probe("capacity bought in the last round", 1, _late_capacity),
    Probe("prices x 0.5 in the last round", 1, _prices_times(0.5)),
    Probe("prices x 0.9 in the last round", 1, _prices_times(0.9)),
    Probe("prices x 1.1 in the last round", 1, _prices_times(1.1)),
    Probe("prices x 2 in the last round", 1, _prices_times(2.0)),
    Probe("prices at the floor in the last round", 1, _at_end_of_band(0)),
    Probe("prices at the cap in the last round", 1, _at_end_of_band(1)),
    Probe("prices at the cap, always", ALWAYS, _at_end_of_band(1)),
    Probe("lowest prices on empty shelves, always", ALWAYS, _bait),
    Probe("everything borrowed in the last round", 1, _finance(borrow=ALL_THERE_IS, repay=0.0)),
    Probe("everything borrowed, always", ALWAYS, _finance(borrow=ALL_THERE_IS, repay=0.0)),
    Probe("everything repaid in the last round", 1, _finance(borrow=0.0, repay=ALL_THERE_IS)),
    Probe("everything paid out in the last round", 1, _finance(dividend=ALL_THERE_IS)),
    Probe("everything paid out, always", ALWAYS, _finance(dividend=ALL_THERE_IS)),
    Probe("everything borrowed and paid out, always", ALWAYS, _finance(borrow=ALL_THERE_IS, dividend=ALL_THERE_IS)),
    Probe(
        "everything repaid, the rest paid out, always",
        ALWAYS,
        _finance(borrow=0.0, repay=ALL_THERE_IS, dividend=ALL_THERE_IS),
    ),
    Probe("no dividends", ALWAYS, _finance(dividend=0.0)),
)
"""In the order of the page's table."""
UNAWARE: Final = {
    "orders of the last round as if the game went on": ("purchase_orders",),
    "the last round as if the game went on": ("prices", "production", "purchase_orders", "marketing", "finance"),
}
"""Sections by the name of the row that they make."""
