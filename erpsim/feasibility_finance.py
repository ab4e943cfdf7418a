"""Loan, repayment, investments and dividend of an executable decision."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from erpsim.decision import Finance, Investment
from erpsim.events import Event, FinanceAdjusted, InvestmentUnavailable, ItemDropped, storable
from erpsim.funds import MONEY_CAP, Funds
from erpsim.investments import after_steps, cost_of_steps, step_size, steps_left
from erpsim.ledger import Account
from erpsim.state import FirmState, Plant
from erpsim.units import euros, floor_cents


def repair_loan(state: FirmState, asked: Finance, funds: Funds, events: list[Event]) -> Finance:
    """Grant loan and repayment within the bank's limit and the till; they come before anything is spent."""
    cash, loan = int(state.balances[Account.CASH]), -int(state.balances[Account.LOAN])
    borrow = _amount("borrow", asked.borrow, funds.credit, events)
    repay = _amount("repay", asked.repay, max(0, min(cash, loan)), events)
    funds.repay(repay)
    return Finance(borrow=euros(borrow), repay=euros(repay))


def repair_payouts(state: FirmState, asked: Finance, loan: Finance, funds: Funds, events: list[Event]) -> Finance:
    """Add investments and dividend to the granted loan, out of the funds that orders and marketing leave.

    What is granted just as it was asked is given back itself.
    """
    investments = _repair_investments(state.plant, asked.investments, funds, events)
    dividend = _amount("dividend", asked.dividend, min(_distributable(state), funds.left), events)
    funds.take(dividend)
    paid_out = euros(dividend)
    granted = Finance(borrow=loan.borrow, repay=loan.repay, dividend=paid_out, investments=tuple(investments))
    # -0.0 equals 0.0, and is another text.
    signed = any(math.copysign(1.0, amount) < 0 for amount in (asked.borrow, asked.repay, asked.dividend))
    return asked if granted == asked and not signed else granted


def _distributable(state: FirmState) -> int:
    """Most that may be paid out, cents: from own cash and own earnings only, nothing in distress."""
    if state.credit.distressed:
        return 0
    spare = max(0, int(state.balances[Account.CASH]) + int(state.balances[Account.LOAN]))
    earned = sum(past.net_income for past in state.history) - state.dividends_paid
    return max(0, min(spare, earned))


def _amount(name: str, asked: float, most: int, events: list[Event]) -> int:
    if not math.isfinite(asked) or asked < 0:
        events.append(
            ItemDropped("out_of_range", f"finance.{name}", str(asked), 0, 0, "amounts are finite and not below 0")
        )
        return 0
    wanted = floor_cents(min(asked, MONEY_CAP))
    if wanted > most:
        events.append(FinanceAdjusted(name, f"finance.{name}", asked, euros(most), euros(most), _CAUSES[name]))
    return min(wanted, most)


_CAUSES = {
    "borrow": "at most the unused credit limit; none in distress or a credit freeze",
    "repay": "at most the cash at hand and the loan",
    "dividend": "at most cash beyond the loan, undistributed earnings and what is left to spend; none in distress",
}


def _repair_investments(
    plant: Plant, asked: tuple[Investment, ...], funds: Funds, events: list[Event]
) -> list[Investment]:
    granted: list[Investment] = []
    for index, item in enumerate(asked):
        field = f"finance.investments[{index}]"
        if item.amount < 0:
            asked_amount = storable(item.amount)
            events.append(ItemDropped("out_of_range", f"{field}.amount", asked_amount, limit=0, cause="below zero"))
        if item.amount <= 0:
            continue
        barred = "distressed" if funds.distressed else "credit_freeze" if funds.frozen else ""
        steps = 0 if barred else _affordable_steps(plant, item, funds.left)
        amount = steps * step_size(item.kind)
        _note_investment(item, amount, field, barred or _binding(plant, item, steps), events)
        if steps:
            funds.take(cost_of_steps(plant, item.kind, steps))
            plant = after_steps(plant, item.kind, steps)
            granted.append(replace(item, amount=amount))
    return granted


def _affordable_steps(plant: Plant, item: Investment, available: int) -> int:
    most = item.amount // step_size(item.kind)
    left = steps_left(plant, item.kind)
    if left is not None:
        most = min(most, left)
    steps = 0
    while steps < most and cost_of_steps(plant, item.kind, steps + 1) <= available:
        steps += 1
    return steps


def _binding(plant: Plant, item: Investment, steps: int) -> str:
    if item.amount < (steps + 1) * step_size(item.kind):
        return "step"
    return "ladder" if steps == steps_left(plant, item.kind) else "funds"


def _note_investment(item: Investment, granted: int, field: str, limit: str, events: list[Event]) -> None:
    if granted == item.amount:
        return
    make: Callable[..., Event] = FinanceAdjusted if granted else InvestmentUnavailable
    asked = storable(item.amount)
    events.append(make(item.kind, field, asked, granted or None, limit, f"{item.kind}: {_LIMITS[limit]}"))


_LIMITS = {
    "distressed": "a distressed firm may not invest",
    "credit_freeze": "the bank has frozen investments",
    "step": "rounded down to whole steps",
    "ladder": "no further step can be bought",
    "funds": "cash and unused credit bind",
}
