"""What has to hold of one firm's round whatever it decided: money to the cent, goods and materials to the unit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ecologies.local import PlayedRound
from erpsim.catalogue import IS_FOOD, RECIPES
from erpsim.decision import Decision
from erpsim.errors import InvariantError
from erpsim.ledger import Account, check, close_round
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.result import Settled
from erpsim.round import repair
from erpsim.state import FirmState
from erpsim.units import IntArray


def faults_of_market(played: PlayedRound) -> Iterator[str]:
    """What is wrong with what a market cleared: units that came from nowhere or went there."""
    demanded, sold, received, unmet = (
        np.stack([getattr(sales, name) for sales in played.sales]) for name in ("demanded", "sold", "received", "unmet")
    )
    if (sold != demanded - unmet + received).any():
        yield "sold is not demanded - unmet + received"
    if min(values.min() for values in (demanded, sold, received, unmet)) < 0:
        yield "units below zero"
    moved = received.sum(axis=(0, 2)) + played.books.lost
    if (moved != played.books.unmet_sold_out).any():
        yield "unmet wishes of empty cells are not those served elsewhere and those lost"


def faults_of_firm(state: FirmState, problem: Problem, played: PlayedRound, seat: int) -> Iterator[str]:
    """What is wrong with one firm's round."""
    turn, settled, sales = played.turns[seat], played.settled[seat], played.sales[seat]
    yield from _repair(state, problem, turn.decision)
    yield from _ledger(state, settled)
    yield from _subledgers(settled.state)
    yield from _materials(state, settled.state, turn.plan)
    yield from _goods(state, settled.state, turn.plan, sales.sold)
    if not np.isfinite(settled.result.valuation):
        yield f"valuation {settled.result.valuation}"


def _repair(state: FirmState, problem: Problem, executed: Decision) -> Iterator[str]:
    again = repair(state, problem, executed)
    if again.decision != executed or again.events:
        yield f"an executed decision was repaired again: {[event.code for event in again.events]}"
    if Decision.model_validate_json(executed.model_dump_json()) != executed:
        yield "an executed decision does not survive being written as JSON"


def _ledger(state: FirmState, settled: Settled) -> Iterator[str]:
    moves = settled.result.moves
    try:
        check(moves, state.balances)
    except InvariantError as error:
        yield str(error)
    if (close_round(state.balances + moves.sum(axis=0)) != settled.state.balances).any():
        yield "closing balances are not opening balances and postings"


def _subledgers(state: FirmState) -> Iterator[str]:
    balances = state.balances
    prepaid = sum(order.value for order in state.open_orders if order.prepaid)
    sums = {
        Account.FOOD_STOCK: int(state.material_value[IS_FOOD].sum()),
        Account.PACKAGING_STOCK: int(state.material_value[~IS_FOOD].sum()),
        Account.GOODS_STOCK: int(state.goods_value.sum()),
        Account.RECEIVABLES: int(state.receivables_due.sum()),
        Account.PAYABLES: -int(state.payables_due.sum()),
        Account.PREPAYMENTS: prepaid,
    }
    for account, amount in sums.items():
        if int(balances[account]) != amount:
            yield f"{account.name} is {int(balances[account])}, its parts come to {amount} cents"


def _materials(before: FirmState, after: FirmState, plan: Plan) -> Iterator[str]:
    schedule = plan.schedule
    by_day = before.material_stock + (plan.receipts - schedule.usage).cumsum(axis=0)
    if by_day.min() < 0:
        yield "a material below zero"
    if (by_day[-1] != after.material_stock).any():
        yield "material stock is not opening + received - used"
    made = np.zeros(len(RECIPES), dtype=np.int64)
    for run, units in zip(schedule.runs, schedule.output, strict=True):
        made[run.sku] += units.sum()
    if (made @ RECIPES != 1_000 * schedule.usage.sum(axis=0)).any():
        yield "materials used are not those of the recipes"


def _goods(before: FirmState, after: FirmState, plan: Plan, sold: IntArray) -> Iterator[str]:
    arrivals = plan.arrivals
    on_sale = before.goods_stock + arrivals[:-1].cumsum(axis=0) - sold.cumsum(axis=0)
    if on_sale.min() < 0:
        yield "more sold than there was"
    if (on_sale[-1] + arrivals[-1] != after.goods_stock).any():
        yield "goods stock is not opening + arrived - sold"
    if int(arrivals.sum()) != int(plan.schedule.output.sum()):
        yield "units made are not units sent to channels"
