"""Repair: any proposal becomes an executable decision, and everything done to it is an event.

Pure and total, the same for every policy, and idempotent: repairing an executed decision changes nothing and makes no
event. In this order: prices into their band; loan and repayment within what the bank and the till allow; money without
a forecast (`funds`) granted to orders, marketing, investments and dividend, line by line; production through the very
`schedule` that executes it, with the round's actual deliveries.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from erpsim.decision import Decision
from erpsim.events import Event, ItemDropped
from erpsim.feasibility_finance import repair_loan, repair_payouts
from erpsim.feasibility_prices import repair_prices
from erpsim.feasibility_production import repair_production
from erpsim.feasibility_spending import repair_marketing, repair_orders
from erpsim.funds import Funds
from erpsim.problem import Problem
from erpsim.state import FirmState

ITEMS_MAXIMUM: Final = 200
"""Items of one list that are looked at; a longer list is cut."""


class Repaired(NamedTuple):
    """An executable decision and what was done to the proposal to get it."""

    decision: Decision
    events: tuple[Event, ...]


def repair(state: FirmState, problem: Problem, proposal: Decision) -> Repaired:
    """Make a proposal executable in a firm's state."""
    events: list[Event] = []
    asked = _cut_lists(proposal, events)
    funds = Funds(state, problem)
    prices = repair_prices(state, asked.prices, events)
    loan = repair_loan(state, asked.finance, funds, events)
    orders = repair_orders(state, problem, asked.purchase_orders, funds, events)
    marketing = repair_marketing(asked.marketing, funds, events)
    finance = repair_payouts(state, asked.finance, loan, funds, events)
    draft = _with(asked, prices=prices, purchase_orders=orders, marketing=marketing, finance=finance, rationale="")
    production = repair_production(state, problem, draft, asked.production, events)
    return Repaired(_with(draft, production=production), tuple(events))


def _with(decision: Decision, **sections: object) -> Decision:
    """A decision with other sections; the very same one when each is the very object that it has, as most are."""
    changed = {name: value for name, value in sections.items() if value is not getattr(decision, name)}
    # Every section is valid as it is made, so the whole is not validated once more.
    return decision.model_copy(update=changed) if changed else decision


def _cut_lists(proposal: Decision, events: list[Event]) -> Decision:
    cut: dict[str, object] = {}
    for section in ("production", "purchase_orders", "marketing"):
        items = getattr(proposal, section)
        if len(items) > ITEMS_MAXIMUM:
            cut[section] = items[:ITEMS_MAXIMUM]
            events.append(_too_many(section, len(items)))
    investments = proposal.finance.investments
    if len(investments) > ITEMS_MAXIMUM:
        cut["finance"] = replace(proposal.finance, investments=investments[:ITEMS_MAXIMUM])
        events.append(_too_many("finance.investments", len(investments)))
    return _with(proposal, **cut)


def _too_many(field: str, count: int) -> Event:
    return ItemDropped(
        "too_many",
        field,
        count,
        ITEMS_MAXIMUM,
        ITEMS_MAXIMUM,
        "the list is too long; its end is left out",
        n=count - ITEMS_MAXIMUM,
    )
