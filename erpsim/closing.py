"""A round's close: interest, overdraft into loan, tax, what the bank sets, the new states and the round's figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from erpsim.ledger import BEFORE_TAX, Account, Ledger, check, close_round, equity, net_income
from erpsim.loans import assess, interest, interest_array, loan_rate, overdraft_rate, rating
from erpsim.offer import CellTotals
from erpsim.parameters import RULES
from erpsim.plan import Plan
from erpsim.reconciliation import reconcile
from erpsim.result import FirmRound, Settled, Traded
from erpsim.state import Credit, FirmState, Plant, RoundHistory
from erpsim.units import DAYS, FloatArray, IntArray, abreast, frozen
from erpsim.valuation import Valuation, position, value


@dataclass(frozen=True, eq=False)
class Books:
    """A round's books of F firms before their close, read-only: everything is posted but interest and tax."""

    ledger: Ledger
    receivables_due: IntArray  # (F, 60) cents due on day d + 1 of the next rounds
    payables_due: IntArray  # (F, 60) cents
    material_stock: IntArray  # (F, 10) kg or pieces
    material_value: IntArray  # (F, 10) cents
    goods_value: IntArray  # (F, 12) cents
    produced: IntArray  # (F, 12) units
    arrivals: IntArray  # (F, 31, 12, 3) units on each morning, the next round's first among them
    carbon_kg: FloatArray  # (F, 3) kg by scope
    totals: CellTotals  # of (F, 12, 3) units


def close(firms: Sequence[Traded], books: Books) -> tuple[Settled, ...]:
    """Close a round: give each firm's new state and what the round came to.

    Raises:
        InvariantError: when the books contradict themselves; always a bug.
    """
    ledger = books.ledger
    post_interest(ledger, [one.state.credit.company_risk for one in firms])
    turn_overdraft_into_loan(ledger)
    before = [one.state.profit_before_tax for one in firms]
    losses = np.add.reduce(ledger.moves[..., BEFORE_TAX], axis=(-2, -1)).tolist()
    after = [profit - loss for profit, loss in zip(before, losses, strict=True)]
    accrue_tax(ledger, before, after)
    check(ledger.moves, ledger.opening)
    rows = zip(firms, _pages(firms, books), after, strict=True)
    settled = tuple([_settled(one, page, profit) for one, page, profit in rows])
    reconcile([one.state for one in settled])
    return settled


def post_interest(ledger: Ledger, company_risks: Sequence[float]) -> None:
    """Post each day's interest in cash: on the loan, and dearer on what cash is below zero before that interest.

    Args:
        ledger: the round's ledger of F firms.
        company_risks: fraction a year of each firm.
    """
    loans = -(ledger.opening[:, Account.LOAN, None] + np.add.accumulate(ledger.days(Account.LOAN), axis=1))
    due = interest_array(loans, np.array([[loan_rate(risk)] for risk in company_risks]))
    flows = ledger.days(Account.CASH)
    cash = ledger.opening[:, Account.CASH, None] + np.add.accumulate(flows - due, axis=1)
    for firm in (np.minimum.reduce(cash + due, axis=1) < 0).nonzero()[0].tolist():
        rate = overdraft_rate(company_risks[firm])
        due[firm] = _with_overdraft(ledger.opening.item(firm, Account.CASH), flows[firm], due[firm], rate)
    ledger.post_days(Account.INTEREST, Account.CASH, due)


def _with_overdraft(cash: int, flows: IntArray, on_loan: IntArray, rate: float) -> list[int]:
    """One firm's interest by day, cents, from its opening cash, its flows and what its loan costs, (30,) each."""
    charged: list[int] = []
    for flow, due in zip(flows.tolist(), on_loan.tolist(), strict=True):
        cash += flow
        total = due + interest(-cash, rate) if cash < 0 else due
        cash -= total
        charged.append(total)
    return charged


def turn_overdraft_into_loan(ledger: Ledger) -> None:
    """Post an overdraft that is uncovered after day 30 to the loan."""
    overdrafts = [max(0, -cash) for cash in ledger.balance(Account.CASH, DAYS - 1).tolist()]
    if any(overdrafts):
        ledger.post(DAYS - 1, Account.CASH, Account.LOAN, np.array(overdrafts))


def accrue_tax(ledger: Ledger, before: Sequence[int], after: Sequence[int]) -> None:
    """Accrue on day 30 the tax on all profit so far less what was accrued on it before; a loss gives some back.

    Args:
        ledger: the round's ledger of F firms.
        before: profit before tax of each firm until the round, cents.
        after: the same until its end, cents.
    """
    accruals = [_tax(later) - _tax(sooner) for sooner, later in zip(before, after, strict=True)]
    ledger.post(DAYS - 1, Account.TAX, Account.TAX_PAYABLE, np.array(accruals))


def _tax(profit: int) -> int:
    """Tax on all profit so far, cents; negative on a loss."""
    return round(RULES.tax_rate * profit)


def remember_service(service: FloatArray, demanded: IntArray, unmet: IntArray) -> FloatArray:
    """Service as customers remember it: q ← 0.5 q + 0.5 x the round's fill rate, at least the floor.

    Args:
        service: (…, 3) by channel, before the round.
        demanded: (…, 12, 3) units in the round; a channel in which nothing was demanded was filled.
        unmet: (…, 12, 3) units of these that first choices did not get.
    """
    wished = np.add.reduce(demanded, axis=-2)
    first = wished - np.add.reduce(unmet, axis=-2)
    fill = np.where(wished, first, 1) / np.maximum(wished, 1)
    memory = RULES.service_memory
    return frozen(np.maximum(RULES.service_floor, memory * service + (1 - memory) * fill))


class _Page(NamedTuple):
    """One firm's part of the books at their close; arrays are read-only."""

    closing: list[int]  # (accounts,) cents, before the round is carried
    carried: list[int]  # (accounts,) cents
    balances: IntArray  # `carried` as an array
    moves: IntArray  # (30, accounts) cents
    material_stock: IntArray  # (10,) kg or pieces
    material_value: IntArray  # (10,) cents
    goods_stock: IntArray  # (12, 3) units on the next round's first morning
    goods_end: IntArray  # (12, 3) units after day 30's sales
    goods_value: IntArray  # (12,) cents
    receivables_due: IntArray  # (60,) cents
    payables_due: IntArray  # (60,) cents
    goodwill: FloatArray  # (12, 3) EUR/day
    service: FloatArray  # (3,) by channel
    produced: IntArray  # (12,) units
    carbon_kg: FloatArray  # (3,) kg by scope
    totals: CellTotals  # of (12, 3) units
    n_demanded: int  # units
    n_sold: int  # units
    n_unmet: int  # units


def _pages(firms: Sequence[Traded], books: Books) -> Iterator[_Page]:
    totals = books.totals
    closing = books.ledger.closing()
    carried = close_round(closing)
    goods = abreast([one.state.goods_stock for one in firms]) + np.add.reduce(books.arrivals, axis=1) - totals.sold
    service = abreast([one.state.service for one in firms])
    columns = (
        closing.tolist(),
        carried.tolist(),
        carried,
        frozen(books.ledger.moves),
        books.material_stock,
        books.material_value,
        frozen(goods),
        frozen(goods - books.arrivals[:, -1]),
        books.goods_value,
        books.receivables_due,
        books.payables_due,
        frozen(np.array([one.plan.offer.goodwill[-1] for one in firms])),
        remember_service(service, totals.demanded, totals.unmet),
        books.produced,
        books.carbon_kg,
        map(CellTotals._make, zip(*totals, strict=True)),
        *(_units(cells) for cells in (totals.demanded, totals.sold, totals.unmet)),
    )
    return map(_Page._make, zip(*columns, strict=True))


def _units(cells: IntArray) -> list[int]:
    """Units of each firm in all its cells, (F, 12, 3) summed."""
    sums: list[int] = np.add.reduce(cells.reshape(len(cells), -1), axis=1).tolist()
    return sums


def _settled(firm: Traded, page: _Page, profit_before_tax: int) -> Settled:
    state = firm.state
    dividends_paid = state.dividends_paid + page.closing[Account.DIVIDENDS]
    net_incomes = [past.net_income for past in state.history]
    net_incomes.append(net_income(page.closing))
    credit = assess(page.carried)
    valued = value(position(page.carried, net_incomes, dividends_paid, credit.company_risk))
    done = _history(firm, page, net_incomes[-1], valued)
    closed = _moved_on(firm, page, credit, done, _Money(profit_before_tax, dividends_paid))
    return Settled(closed, _result(closed, page, valued))


class _Money(NamedTuple):
    """What a firm has earned and given so far."""

    profit_before_tax: int  # cents
    dividends_paid: int  # cents


def _moved_on(firm: Traded, page: _Page, credit: Credit, done: RoundHistory, money: _Money) -> FirmState:
    """The firm on the next round's first morning."""
    state, plan = firm.state, firm.plan
    return FirmState(
        seat=state.seat,
        round_number=state.round_number + 1,
        balances=page.balances,
        material_stock=page.material_stock,
        material_value=page.material_value,
        goods_stock=page.goods_stock,
        goods_value=page.goods_value,
        open_orders=plan.deliveries.later,
        receivables_due=page.receivables_due,
        payables_due=page.payables_due,
        plant=_plant(state.plant, plan),
        credit=credit,
        goodwill=page.goodwill,
        service=page.service,
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


_REMEMBERED: Final = itemgetter(
    Account.REVENUE, Account.COST_OF_GOODS, Account.MARKETING, Account.CARBON, Account.DIVIDENDS
)
"""Picks the balances that a firm remembers of a round."""


def _history(firm: Traded, page: _Page, income: int, valued: Valuation) -> RoundHistory:
    plan = firm.plan
    revenue, cost_of_goods, marketing, carbon_cost, dividends = _REMEMBERED(page.closing)
    scope1, scope2, scope3 = page.carbon_kg.tolist()
    return RoundHistory(
        round_number=firm.state.round_number,
        prices=plan.offer.prices,
        demanded=page.totals.demanded,
        sold=page.totals.sold,
        received=page.totals.received,
        unmet=page.totals.unmet,
        produced=page.produced,
        marketing=marketing,
        revenue=-revenue,
        cost_of_goods=cost_of_goods,
        net_income=income,
        dividends=dividends,
        valuation=valued.total,
        carbon_kg=(scope1, scope2, scope3),
        carbon_cost=carbon_cost,
        report=firm.sales.report,
        decision=plan.decision,
        cuts=plan.cuts,
        fallback=plan.fallback,
    )


def _result(closed: FirmState, page: _Page, valued: Valuation) -> FirmRound:
    done, credit = closed.history[-1], closed.credit
    return FirmRound(
        history=done,
        moves=page.moves,
        valuation=valued.total,
        valuation_zero_growth=valued.zero_growth,
        net_income=done.net_income,
        revenue=done.revenue,
        cash=page.carried[Account.CASH],
        loan=-page.carried[Account.LOAN],
        equity=equity(page.carried),
        rating=rating(credit.company_risk),
        company_risk=credit.company_risk,
        dividends_paid=closed.dividends_paid,
        capacity=closed.plant.capacity,
        fill_rate=(page.n_demanded - page.n_unmet) / page.n_demanded if page.n_demanded else 1.0,
        units_sold=page.n_sold,
        units_lost=page.n_unmet,
        goods_end=page.goods_end,
        carbon_kg=page.carbon_kg,
        carbon_cost=done.carbon_cost,
    )
