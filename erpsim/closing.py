"""A round's close: interest, overdraft into loan, tax, what the bank sets, the new state and the round's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from erpsim.catalogue import SKUS
from erpsim.ledger import BEFORE_TAX, Account, Ledger, check, close_round, equity, net_income
from erpsim.loans import assess, interest, loan_rate, overdraft_rate, rating
from erpsim.offer import Sales
from erpsim.parameters import RULES
from erpsim.plan import Plan
from erpsim.reconciliation import reconcile
from erpsim.result import FirmRound, Settled
from erpsim.state import Credit, FirmState, Plant, RoundHistory
from erpsim.units import DAYS, FloatArray, IntArray, frozen
from erpsim.valuation import Valuation, position, value


@dataclass(frozen=True, eq=False)
class Books:
    """A round's books before its close: everything is posted but interest and tax."""

    ledger: Ledger
    receivables_due: IntArray  # (60,) cents due on day d + 1 of the next rounds
    payables_due: IntArray  # (60,) cents
    material_value: IntArray  # (10,) cents
    goods_value: IntArray  # (12,) cents
    carbon_kg: FloatArray  # (3,) kg by scope


def close(state: FirmState, plan: Plan, sales: Sales, books: Books) -> Settled:
    """Close a round: give the firm's new state and what the round came to.

    Raises:
        InvariantError: when the books contradict themselves; always a bug.
    """
    ledger = books.ledger
    post_interest(ledger, state.credit.company_risk)
    turn_overdraft_into_loan(ledger)
    before_tax = state.profit_before_tax - int(np.add.reduce(ledger.moves[:, BEFORE_TAX], axis=None))
    accrue_tax(ledger, state.profit_before_tax, before_tax)
    check(ledger.moves, ledger.opening)
    balances = ledger.closing()
    dividends_paid = state.dividends_paid + balances.item(Account.DIVIDENDS)
    net_incomes = (*(past.net_income for past in state.history), net_income(balances))
    carried = close_round(balances)
    credit = assess(carried)
    valued = value(position(carried, net_incomes, dividends_paid, credit.company_risk))
    done = _history(state, plan, sales, books, valued)
    closed = _moved_on(state, plan, books, done, _Money(carried, credit, before_tax, dividends_paid))
    reconcile(closed)
    return Settled(closed, _result(closed, plan, ledger, valued))


class _Money(NamedTuple):
    """What a close makes of a firm's money."""

    balances: IntArray  # (accounts,) cents
    credit: Credit
    profit_before_tax: int  # cents so far
    dividends_paid: int  # cents so far


def post_interest(ledger: Ledger, company_risk: float) -> None:
    """Post each day's interest in cash: on the loan, and dearer on what cash is below zero before that interest."""
    rate, dearer = loan_rate(company_risk), overdraft_rate(company_risk)
    loan = -(ledger.opening[Account.LOAN] + np.cumsum(ledger.moves[:, Account.LOAN]))
    cash = ledger.opening.item(Account.CASH)
    on_loan = {owed: interest(owed, rate) for owed in set(loan.tolist())}  # a loan hardly moves within a round
    charged: list[int] = []
    for flow, owed in zip(ledger.moves[:, Account.CASH].tolist(), loan.tolist(), strict=True):
        cash += flow
        due = on_loan[owed]
        if cash < 0:
            due += interest(-cash, dearer)
        cash -= due
        charged.append(due)
    ledger.post_days(Account.INTEREST, Account.CASH, np.array(charged, dtype=np.int64))


def turn_overdraft_into_loan(ledger: Ledger) -> None:
    """Post an overdraft that is uncovered after day 30 to the loan."""
    overdraft = max(0, -ledger.balance(Account.CASH, DAYS - 1))
    ledger.post(DAYS - 1, Account.CASH, Account.LOAN, overdraft)


def accrue_tax(ledger: Ledger, before: int, after: int) -> None:
    """Accrue on day 30 the tax on all profit so far less what was accrued on it before; a loss gives some back.

    Args:
        ledger: the round's ledger.
        before: profit before tax until the round, cents.
        after: profit before tax until its end, cents.
    """
    accrual = round(RULES.tax_rate * after) - round(RULES.tax_rate * before)
    ledger.post(DAYS - 1, Account.TAX, Account.TAX_PAYABLE, accrual)


def remember_service(service: FloatArray, demanded: IntArray, unmet: IntArray) -> FloatArray:
    """Service as customers remember it: q ← 0.5 q + 0.5 x the round's fill rate, at least the floor.

    Args:
        service: (3,) by channel, before the round.
        demanded: (12, 3) units in the round; a channel in which nothing was demanded was filled.
        unmet: (12, 3) units of these that first choices did not get.
    """
    wished = np.add.reduce(demanded)
    first = wished - np.add.reduce(unmet)
    fill = np.divide(first, wished, out=np.ones(len(wished)), where=wished > 0)
    memory = RULES.service_memory
    return frozen(np.maximum(RULES.service_floor, memory * service + (1 - memory) * fill))


def _moved_on(state: FirmState, plan: Plan, books: Books, done: RoundHistory, money: _Money) -> FirmState:
    """The firm on the next round's first morning."""
    return FirmState(
        seat=state.seat,
        round_number=state.round_number + 1,
        balances=money.balances,
        material_stock=frozen(state.material_stock + np.add.reduce(plan.receipts - plan.schedule.usage)),
        material_value=books.material_value,
        goods_stock=frozen(state.goods_stock + np.add.reduce(plan.arrivals) - done.sold),
        goods_value=books.goods_value,
        open_orders=plan.deliveries.later,
        receivables_due=books.receivables_due,
        payables_due=books.payables_due,
        plant=_plant(state.plant, plan),
        credit=money.credit,
        goodwill=frozen(plan.offer.goodwill[-1].copy()),
        service=remember_service(state.service, done.demanded, done.unmet),
        prices=plan.offer.prices,
        profit_before_tax=money.profit_before_tax,
        dividends_paid=money.dividends_paid,
        history=(*state.history, done),
    )


def _plant(plant: Plant, plan: Plan) -> Plant:
    bought = plan.investments
    return Plant(
        capacity=plant.capacity + bought.capacity_steps * RULES.capacity_step,
        capacity_steps=plant.capacity_steps + bought.capacity_steps,
        setup_cut=plant.setup_cut + bought.setup_hours,
        green_production=plant.green_production + bought.green_production,
        green_fleet=plant.green_fleet + bought.green_fleet,
        cost=plant.cost + bought.capacity_cost,
        last_sku=plan.schedule.last_sku,
    )


def _history(state: FirmState, plan: Plan, sales: Sales, books: Books, valued: Valuation) -> RoundHistory:
    balances = books.ledger.closing()
    produced = np.zeros(len(SKUS), dtype=np.int64)
    for run in plan.schedule.runs:
        produced[run.sku] += run.quantity
    scope1, scope2, scope3 = books.carbon_kg.tolist()
    return RoundHistory(
        round_number=state.round_number,
        prices=plan.offer.prices,
        **sales.by_cell._asdict(),
        produced=frozen(produced),
        marketing=balances.item(Account.MARKETING),
        revenue=-balances.item(Account.REVENUE),
        cost_of_goods=balances.item(Account.COST_OF_GOODS),
        net_income=net_income(balances),
        dividends=balances.item(Account.DIVIDENDS),
        valuation=valued.total,
        carbon_kg=(scope1, scope2, scope3),
        carbon_cost=balances.item(Account.CARBON),
        report=sales.report,
        decision=plan.decision,
        cuts=plan.cuts,
        fallback=plan.fallback,
    )


def _result(closed: FirmState, plan: Plan, ledger: Ledger, valued: Valuation) -> FirmRound:
    done = closed.history[-1]
    demanded, unmet = int(np.add.reduce(done.demanded, axis=None)), int(np.add.reduce(done.unmet, axis=None))
    return FirmRound(
        history=done,
        moves=frozen(ledger.moves),
        valuation=valued.total,
        valuation_zero_growth=valued.zero_growth,
        net_income=done.net_income,
        revenue=done.revenue,
        cash=closed.balances.item(Account.CASH),
        loan=-closed.balances.item(Account.LOAN),
        equity=equity(closed.balances),
        rating=rating(closed.credit.company_risk),
        company_risk=closed.credit.company_risk,
        dividends_paid=closed.dividends_paid,
        capacity=closed.plant.capacity,
        fill_rate=(demanded - unmet) / demanded if demanded else 1.0,
        units_sold=int(np.add.reduce(done.sold, axis=None)),
        units_lost=unmet,
        goods_end=frozen(closed.goods_stock - plan.arrivals[-1]),
        carbon_kg=frozen(np.array(done.carbon_kg)),
        carbon_cost=done.carbon_cost,
    )
