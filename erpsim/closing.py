"""A round's close: interest, overdraft into loan, tax, what the bank sets, the new state and the round's figures."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from erpsim.catalogue import SKUS
from erpsim.ledger import BEFORE_TAX, Account, Ledger, check, close_round, equity, net_income
from erpsim.loans import assess, interest, loan_rate, overdraft_rate, rating
from erpsim.offer import Sales
from erpsim.parameters import RULES
from erpsim.plan import Plan
from erpsim.reconciliation import reconcile
from erpsim.result import FirmRound, Settled
from erpsim.state import FirmState, OpenOrder, Plant, RoundHistory
from erpsim.units import DAYS, FloatArray, IntArray, frozen
from erpsim.valuation import Valuation, position, value


@dataclass(frozen=True, eq=False)
class Books:
    """A round's books before its close: everything is posted but interest and tax."""

    ledger: Ledger
    open_orders: tuple[OpenOrder, ...]  # days counted from day 1 of the next round
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
    before_tax = state.profit_before_tax - int(ledger.moves[:, BEFORE_TAX].sum())
    accrue_tax(ledger, state.profit_before_tax, before_tax)
    check(ledger.moves, ledger.opening)
    balances = ledger.closing()
    dividends_paid = state.dividends_paid + int(balances[Account.DIVIDENDS])
    net_incomes = (*(past.net_income for past in state.history), net_income(balances))
    carried = close_round(balances)
    credit = assess(carried)
    valued = value(position(carried, net_incomes, dividends_paid, credit.company_risk))
    history = _history(state, plan, sales, books, valued)
    closed = replace(
        _moved_on(state, plan, sales, books),
        balances=carried,
        credit=credit,
        profit_before_tax=before_tax,
        dividends_paid=dividends_paid,
        history=(*state.history, history),
    )
    reconcile(closed)
    return Settled(closed, _result(closed, plan, ledger, valued))


def post_interest(ledger: Ledger, company_risk: float) -> None:
    """Post each day's interest in cash: on the loan, and dearer on what cash is below zero before that interest."""
    loan = -(ledger.opening[Account.LOAN] + ledger.moves[:, Account.LOAN].cumsum())
    cash = int(ledger.opening[Account.CASH])
    charged: list[int] = []
    for flow, owed in zip(ledger.moves[:, Account.CASH].tolist(), loan.tolist(), strict=True):
        cash += flow
        due = interest(owed, loan_rate(company_risk)) + interest(max(0, -cash), overdraft_rate(company_risk))
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


def remember_service(service: FloatArray, sales: Sales) -> FloatArray:
    """Service as customers remember it: q ← 0.5 q + 0.5 x the round's fill rate, at least the floor.

    Args:
        service: (3,) by channel, before the round.
        sales: the round's sales; a channel in which nothing was demanded was filled.
    """
    demanded = sales.demanded.sum(axis=(0, 1))
    first = demanded - sales.unmet.sum(axis=(0, 1))
    fill = np.divide(first, demanded, out=np.ones(len(demanded)), where=demanded > 0)
    memory = RULES.service_memory
    return frozen(np.maximum(RULES.service_floor, memory * service + (1 - memory) * fill))


def _moved_on(state: FirmState, plan: Plan, sales: Sales, books: Books) -> FirmState:
    """The firm on the next round's first morning, but for its money and its history."""
    sold = sales.sold.sum(axis=0)
    return replace(
        state,
        round_number=state.round_number + 1,
        material_stock=frozen(state.material_stock + (plan.receipts - plan.schedule.usage).sum(axis=0)),
        material_value=books.material_value,
        goods_stock=frozen(state.goods_stock + plan.arrivals.sum(axis=0) - sold),
        goods_value=books.goods_value,
        open_orders=books.open_orders,
        receivables_due=books.receivables_due,
        payables_due=books.payables_due,
        plant=_plant(state.plant, plan),
        goodwill=frozen(plan.offer.goodwill[-1].copy()),
        service=remember_service(state.service, sales),
        prices=plan.offer.prices,
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
        demanded=frozen(sales.demanded.sum(axis=0)),
        sold=frozen(sales.sold.sum(axis=0)),
        received=frozen(sales.received.sum(axis=0)),
        unmet=frozen(sales.unmet.sum(axis=0)),
        produced=frozen(produced),
        marketing=int(balances[Account.MARKETING]),
        revenue=-int(balances[Account.REVENUE]),
        cost_of_goods=int(balances[Account.COST_OF_GOODS]),
        net_income=net_income(balances),
        dividends=int(balances[Account.DIVIDENDS]),
        valuation=valued.total,
        carbon_kg=(scope1, scope2, scope3),
        carbon_cost=int(balances[Account.CARBON]),
        report=sales.report,
        decision=plan.decision,
        cuts=plan.cuts,
        fallback=plan.fallback,
    )


def _result(closed: FirmState, plan: Plan, ledger: Ledger, valued: Valuation) -> FirmRound:
    done = closed.history[-1]
    demanded, unmet = int(done.demanded.sum()), int(done.unmet.sum())
    return FirmRound(
        history=done,
        moves=frozen(ledger.moves),
        valuation=valued.total,
        valuation_zero_growth=valued.zero_growth,
        net_income=done.net_income,
        revenue=done.revenue,
        cash=int(closed.balances[Account.CASH]),
        loan=-int(closed.balances[Account.LOAN]),
        equity=equity(closed.balances),
        rating=rating(closed.credit.company_risk),
        company_risk=closed.credit.company_risk,
        dividends_paid=closed.dividends_paid,
        capacity=closed.plant.capacity,
        fill_rate=(demanded - unmet) / demanded if demanded else 1.0,
        units_sold=int(done.sold.sum()),
        units_lost=unmet,
        goods_end=frozen(closed.goods_stock - plan.arrivals[-1]),
        carbon_kg=frozen(np.array(done.carbon_kg)),
        carbon_cost=done.carbon_cost,
    )
