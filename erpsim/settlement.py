"""A firm's round in its books: everything that was planned and sold becomes postings of a day.

Day order: receipts and arrivals, sales, production, postings. Balances within the round matter only to the moving
averages and to interest; all else is posted for 30 days at once.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from erpsim.carbon import Activity, bill, footprint
from erpsim.catalogue import OF_CLASS, SKUS
from erpsim.closing import Books, close
from erpsim.conditions import conditions
from erpsim.costing import Opening, issue_materials, sell_goods
from erpsim.exogenous import receivable_days
from erpsim.ledger import Account, Ledger
from erpsim.offer import Sales
from erpsim.parameters import RULES
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.result import Settled
from erpsim.state import DUE_DAYS, FirmState
from erpsim.storage import storage_charges
from erpsim.units import DAYS, FloatArray, IntArray, cents, cents_array, frozen

_DAYS_DONE: Final[IntArray] = frozen(np.arange(DAYS + 1))  # (31,) 0 to 30


def settle(state: FirmState, problem: Problem, plan: Plan, sales: Sales) -> Settled:
    """Post a firm's round and close it.

    Args:
        state: the firm as the round found it.
        problem: the problem, which fixes payment days and the carbon price.
        plan: what became of the executed decision in this state.
        sales: what the market sold of the plan's offer.

    Raises:
        InvariantError: when the books contradict themselves; always a bug.
    """
    ledger = Ledger(state.balances)
    setting = _Round(state, problem, plan, sales)
    _post_finance(ledger, plan)
    _post_costs(ledger, state, plan)
    payables_due = _post_purchases(ledger, setting)
    receivables_due = _post_sales(ledger, setting)
    stocks = _post_stocks(ledger, setting)
    carbon_kg = _post_storage_and_carbon(ledger, setting)
    books = Books(
        ledger=ledger,
        receivables_due=receivables_due,
        payables_due=payables_due,
        material_value=stocks.materials,
        goods_value=stocks.goods,
        carbon_kg=carbon_kg,
    )
    return close(state, plan, sales, books)


def depreciation(cost: int, life: int, net: int) -> IntArray:
    """Straight-line depreciation of 30 days, (30,) cents: cost/life a day until nothing is left.

    Args:
        cost: cents ever paid.
        life: days.
        net: cents not yet written off.
    """
    written_off = np.minimum(round(cost / life) * _DAYS_DONE, net)
    by_day: IntArray = written_off[1:] - written_off[:-1]
    return by_day


class _Round(NamedTuple):
    state: FirmState
    problem: Problem
    plan: Plan
    sales: Sales


class _Values(NamedTuple):
    materials: IntArray  # (10,) cents
    goods: IntArray  # (12,) cents


def _post_finance(ledger: Ledger, plan: Plan) -> None:
    finance, investments = plan.finance, plan.investments
    ledger.post(0, Account.CASH, Account.LOAN, finance.borrow - finance.repay)
    ledger.post(0, Account.DIVIDENDS, Account.CASH, finance.dividend)
    ledger.post(0, Account.PLANT, Account.CASH, investments.capacity_cost)
    ledger.post(0, Account.SETUP_INVESTMENT, Account.CASH, investments.setup_cost)
    ledger.post(0, Account.GREEN_INVESTMENT, Account.CASH, investments.green_cost)
    tax_due = max(0, -int(ledger.opening[Account.TAX_PAYABLE]))
    ledger.post(RULES.tax_day - 1, Account.TAX_PAYABLE, Account.CASH, tax_due)


def _post_costs(ledger: Ledger, state: FirmState, plan: Plan) -> None:
    ledger.post_days(Account.LABOUR, Account.CASH, cents(RULES.labour))
    ledger.post_days(Account.OVERHEAD, Account.CASH, cents(RULES.overhead))
    ledger.post_days(Account.ADMINISTRATION, Account.CASH, cents(RULES.administration))
    ledger.post_days(Account.MARKETING, Account.CASH, plan.marketing)
    ledger.post_days(Account.FREIGHT, Account.CASH, cents_array(plan.sent * RULES.freight))
    ledger.post_days(Account.ORDER_FEES, Account.CASH, plan.purchases.fees)
    for account, cost, life in (
        (Account.PLANT, state.plant.cost, RULES.plant_life),
        (Account.BUILDINGS, cents(RULES.buildings), RULES.building_life),
    ):
        ledger.post_days(Account.DEPRECIATION, account, depreciation(cost, life, int(ledger.opening[account])))


def _post_purchases(ledger: Ledger, setting: _Round) -> IntArray:
    """Post prepayments, receipts and payments; give what stays due, (60,) cents from the next round's day 1."""
    plan = setting.plan
    if plan.purchases.prepaid:
        for line in plan.purchases.lines:
            ledger.post(line.day - 1, Account.PREPAYMENTS, Account.CASH, line.value)
    due = setting.state.payables_due.copy()
    due[RULES.payable_days : RULES.payable_days + DAYS] += plan.deliveries.payable
    food, packaging = (plan.deliveries.values @ OF_CLASS).T
    ledger.post_days(Account.FOOD_STOCK, Account.PAYABLES, food)
    ledger.post_days(Account.PACKAGING_STOCK, Account.PAYABLES, packaging)
    ledger.post_days(Account.PAYABLES, Account.PREPAYMENTS, food + packaging - plan.deliveries.payable)
    ledger.post_days(Account.PAYABLES, Account.CASH, due[:DAYS])
    return _next_round(due)


def _post_sales(ledger: Ledger, setting: _Round) -> IntArray:
    """Post revenue and collections; give what stays due, (60,) cents from the next round's day 1."""
    prices = cents_array(setting.plan.offer.prices)
    revenue = np.add.reduce(setting.sales.sold * prices, axis=1)  # (30, 3) cents
    ledger.post_days(Account.RECEIVABLES, Account.REVENUE, np.add.reduce(revenue, axis=1))
    due = setting.state.receivables_due.copy()
    np.add.at(due, _DAYS_DONE[:DAYS, None] + receivable_days(setting.problem, setting.state.round_number), revenue)
    ledger.post_days(Account.CASH, Account.RECEIVABLES, due[:DAYS])
    return _next_round(due)


def _post_stocks(ledger: Ledger, setting: _Round) -> _Values:
    state, plan = setting.state, setting.plan
    batches = plan.schedule.batches
    issued = issue_materials(Opening(state.material_stock, state.material_value), plan.deliveries, batches)
    output = np.zeros((DAYS, len(SKUS)), dtype=np.int64)
    np.add.at(output, (batches.day, batches.sku), batches.units)
    opening = Opening(np.add.reduce(state.goods_stock, axis=1), state.goods_value)
    sold = sell_goods(opening, np.add.reduce(setting.sales.sold, axis=2), output, issued.made)
    food, packaging = (issued.used @ OF_CLASS).T
    ledger.post_days(Account.GOODS_STOCK, Account.FOOD_STOCK, food)
    ledger.post_days(Account.GOODS_STOCK, Account.PACKAGING_STOCK, packaging)
    ledger.post_days(Account.COST_OF_GOODS, Account.GOODS_STOCK, sold.cost)
    return _Values(issued.value, sold.value)


def _post_storage_and_carbon(ledger: Ledger, setting: _Round) -> FloatArray:
    """Post storage and carbon; give the round's emissions, (3,) kg by scope."""
    state, plan = setting.state, setting.plan
    storage = storage_charges(_stocks_by_day(setting))
    ledger.post_days(Account.STORAGE, Account.CASH, storage.cost)
    activity = Activity(
        produced=plan.sent,
        setup_hours=plan.schedule.setup_hours,
        overstock_kg=storage.carbon_kg,
        sent=plan.sent,
        pickup_kg=plan.purchases.pickup_kg,
        food_received=plan.receipts @ OF_CLASS[:, 0],
    )
    green_production = state.plant.green_production + plan.investments.green_production
    green_fleet = state.plant.green_fleet + plan.investments.green_fleet
    kg = footprint(activity, green_production, green_fleet)
    price = conditions(setting.problem, state.round_number).carbon_price
    ledger.post_days(Account.CARBON, Account.CASH, bill(kg, price))
    return frozen(np.add.reduce(kg))


def _stocks_by_day(setting: _Round) -> IntArray:
    """Units of goods, kg of food and pieces of packaging at each day's end, (30, 3)."""
    state, plan = setting.state, setting.plan
    changes = np.empty((DAYS, 3), dtype=np.int64)
    changes[:, 0] = plan.sent - np.add.reduce(setting.sales.sold, axis=(1, 2))
    changes[:, 1:] = (plan.receipts - plan.schedule.usage) @ OF_CLASS
    changes[0, 0] += np.add.reduce(state.goods_stock, axis=None)
    changes[0, 1:] += state.material_stock @ OF_CLASS
    stocks: IntArray = np.cumsum(changes, axis=0)
    return stocks


def _next_round(due: IntArray) -> IntArray:
    shifted = np.zeros(DUE_DAYS, dtype=np.int64)
    shifted[: DUE_DAYS - DAYS] = due[DAYS:]
    return frozen(shifted)
