"""A firm's round in its books: everything that was planned and sold becomes postings of a day.

Day order: receipts and arrivals, sales, production, postings. Balances within the round matter only to the moving
averages and to interest; all else is posted for 30 days at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from erpsim.carbon import Activity, bill, footprint
from erpsim.catalogue import IS_FOOD, SKUS
from erpsim.closing import Books, close
from erpsim.conditions import conditions
from erpsim.costing import issue_materials, sell_goods
from erpsim.exogenous import receivable_days
from erpsim.ledger import Account, Ledger
from erpsim.offer import Sales
from erpsim.parameters import RULES
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.procurement import all_orders, still_under_way
from erpsim.result import Settled
from erpsim.state import DUE_DAYS, FirmState, OpenOrder
from erpsim.storage import storage_charges
from erpsim.units import DAYS, FloatArray, IntArray, cents, cents_array, frozen


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
        open_orders=still_under_way(state.open_orders, plan.purchases),
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
    written_off = np.minimum(round(cost / life) * np.arange(DAYS + 1), net)
    by_day: IntArray = np.diff(written_off)
    return by_day


class _Round(NamedTuple):
    state: FirmState
    problem: Problem
    plan: Plan
    sales: Sales

    @property
    def arriving(self) -> list[OpenOrder]:
        """Orders of any round that arrive in this one."""
        orders = all_orders(self.state.open_orders, self.plan.purchases)
        return [order for order in orders if order.receipt_day <= DAYS]


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
    for order in setting.arriving:
        stock = Account.FOOD_STOCK if IS_FOOD[order.material] else Account.PACKAGING_STOCK
        ledger.post(
            order.receipt_day - 1, stock, Account.PREPAYMENTS if order.prepaid else Account.PAYABLES, order.value
        )
        if not order.prepaid:
            due[order.receipt_day - 1 + RULES.payable_days] += order.value
    ledger.post_days(Account.PAYABLES, Account.CASH, due[:DAYS])
    return _next_round(due)


def _post_sales(ledger: Ledger, setting: _Round) -> IntArray:
    """Post revenue and collections; give what stays due, (60,) cents from the next round's day 1."""
    prices = cents_array(setting.plan.offer.prices)
    revenue = (setting.sales.sold * prices).sum(axis=1)  # (30, 3) cents
    ledger.post_days(Account.RECEIVABLES, Account.REVENUE, revenue.sum(axis=1))
    due = setting.state.receivables_due.copy()
    paid_on = np.arange(DAYS)[:, None] + receivable_days(setting.problem, setting.state.round_number)
    np.add.at(due, paid_on, revenue)
    ledger.post_days(Account.CASH, Account.RECEIVABLES, due[:DAYS])
    return _next_round(due)


def _post_stocks(ledger: Ledger, setting: _Round) -> _Values:
    state, made = setting.state, setting.plan.schedule
    issued = issue_materials(state.material_stock, state.material_value, setting.arriving, made.batches)
    output = np.zeros((DAYS, len(SKUS)), dtype=np.int64)
    for run, units in zip(made.runs, made.output, strict=True):
        output[:, run.sku] += units
    opening = (state.goods_stock.sum(axis=1), state.goods_value)
    sold = sell_goods(opening, setting.sales.sold.sum(axis=2), output, issued.made)
    ledger.post_days(Account.GOODS_STOCK, Account.FOOD_STOCK, issued.used[:, IS_FOOD].sum(axis=1))
    ledger.post_days(Account.GOODS_STOCK, Account.PACKAGING_STOCK, issued.used[:, ~IS_FOOD].sum(axis=1))
    ledger.post_days(Account.COST_OF_GOODS, Account.GOODS_STOCK, sold.cost)
    return _Values(issued.value, sold.value)


def _post_storage_and_carbon(ledger: Ledger, setting: _Round) -> FloatArray:
    """Post storage and carbon; give the round's emissions, (3,) kg by scope."""
    state, plan = setting.state, setting.plan
    storage = storage_charges(_stocks_by_day(setting))
    ledger.post_days(Account.STORAGE, Account.CASH, storage.cost)
    activity = Activity(
        produced=plan.schedule.output.sum(axis=0),
        setup_hours=plan.schedule.setup_hours,
        overstock_kg=storage.carbon_kg,
        sent=plan.sent,
        pickup_kg=plan.purchases.pickup_kg,
        food_received=plan.receipts[:, IS_FOOD].sum(axis=1),
    )
    green_production = state.plant.green_production + plan.investments.green_production
    green_fleet = state.plant.green_fleet + plan.investments.green_fleet
    kg = footprint(activity, green_production, green_fleet)
    price = conditions(setting.problem, state.round_number).carbon_price
    ledger.post_days(Account.CARBON, Account.CASH, bill(kg, price))
    return frozen(kg.sum(axis=0))


def _stocks_by_day(setting: _Round) -> IntArray:
    """Units of goods, kg of food and pieces of packaging at each day's end, (30, 3)."""
    state, plan = setting.state, setting.plan
    goods = plan.schedule.output.sum(axis=0) - setting.sales.sold.sum(axis=(1, 2))
    materials = plan.receipts - plan.schedule.usage
    changes = np.stack([goods, materials[:, IS_FOOD].sum(axis=1), materials[:, ~IS_FOOD].sum(axis=1)], axis=1)
    changes[0] += (state.goods_stock.sum(), state.material_stock[IS_FOOD].sum(), state.material_stock[~IS_FOOD].sum())
    stocks: IntArray = changes.cumsum(axis=0)
    return stocks


def _next_round(due: IntArray) -> IntArray:
    shifted = np.zeros(DUE_DAYS, dtype=np.int64)
    shifted[: DUE_DAYS - DAYS] = due[DAYS:]
    return frozen(shifted)
