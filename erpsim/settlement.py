"""Firms' rounds in their books: everything that was planned and sold becomes postings of a day.

Day order: receipts and arrivals, sales, production, postings. Balances within the round matter only to the moving
averages and to interest; all else is posted for 30 days and for all F firms at once. Firms have nothing to do with each
other here: they are settled together only because one array of six firms costs hardly more than one of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from erpsim.carbon import Activity, bill, footprint
from erpsim.catalogue import CHANNELS, OF_CLASS
from erpsim.closing import Books, close
from erpsim.conditions import conditions
from erpsim.costing import Issued, Opening, Received, Sold, issue_materials, sell_goods, steps_of
from erpsim.exogenous import receivable_days
from erpsim.ledger import Account, Ledger
from erpsim.offer import CellTotals, Sales
from erpsim.parameters import RULES
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.result import Settled, Traded
from erpsim.state import DUE_DAYS, FirmState
from erpsim.storage import storage_charges
from erpsim.units import DAYS, FloatArray, IntArray, abreast, all_abreast, cents, cents_array, frozen

_DAYS_DONE: Final[IntArray] = frozen(np.arange(DAYS + 1))  # (31,) 0 to 30
_FIXED_COSTS: Final = (
    (Account.LABOUR, cents(RULES.labour)),
    (Account.OVERHEAD, cents(RULES.overhead)),
    (Account.ADMINISTRATION, cents(RULES.administration)),
)
"""What every day costs, in cents."""
_BUILDINGS: Final = cents(RULES.buildings)
_LIVES: Final[IntArray] = frozen(np.array([RULES.plant_life, RULES.building_life]))  # (2,) days


def settle(state: FirmState, problem: Problem, plan: Plan, sales: Sales) -> Settled:
    """Post one firm's round and close it, as `settle_all` does."""
    return settle_all([Traded(state, problem, plan, sales)])[0]


def settle_all(firms: Sequence[Traded]) -> tuple[Settled, ...]:
    """Post the rounds of firms, of any markets and problems, and close them.

    Raises:
        InvariantError: when the books contradict themselves; always a bug.
    """
    if not firms:
        return ()
    ledger = Ledger(abreast([one.state.balances for one in firms]))
    setting = _setting(firms)
    _post_first_day(ledger, firms)
    _post_costs(ledger, setting)
    payables_due = _post_purchases(ledger, setting)
    receivables_due = _post_sales(ledger, setting)
    stocks = _post_stocks(ledger, setting)
    carbon_kg = _post_storage_and_carbon(ledger, setting, stocks)
    books = Books(
        ledger=ledger,
        receivables_due=receivables_due,
        payables_due=payables_due,
        material_stock=stocks.materials.stock,
        material_value=stocks.materials.value,
        goods_value=stocks.goods.value,
        produced=frozen(np.add.reduce(setting.output, axis=1)),
        arrivals=setting.arrivals,
        carbon_kg=carbon_kg,
        totals=_totals(setting),
    )
    return close(firms, books)


def depreciation(costs: IntArray, lives: IntArray, nets: IntArray) -> IntArray:
    """Straight-line depreciation of 30 days, (…, 30) cents: cost/life a day until nothing is left.

    Args:
        costs: (…) cents ever paid.
        lives: (…) days.
        nets: (…) cents not yet written off.
    """
    a_day = np.rint(costs / lives).astype(np.int64)
    written_off = np.minimum(a_day[..., None] * _DAYS_DONE, nets[..., None])
    by_day: IntArray = written_off[..., 1:] - written_off[..., :-1]
    return by_day


class _Setting(NamedTuple):
    """Firms and what more than one of the postings asks for."""

    firms: Sequence[Traded]
    received: Received
    arrivals: IntArray  # (F, 31, 12, 3) units
    output: IntArray  # (F, 30, 12) units finished
    marketing: IntArray  # (F, 30) cents
    sent: IntArray  # (F, 30) units
    fees: IntArray  # (F, 30) cents of orders
    payable: IntArray  # (F, 30) cents of what arrives and was not paid when placed
    sold: IntArray  # (F, 30, 12, 3) units


class _Stocks(NamedTuple):
    materials: Issued
    goods: Sold


def _setting(firms: Sequence[Traded]) -> _Setting:
    coming = [one.plan.deliveries for one in firms]
    arrivals = abreast([one.plan.arrivals for one in firms])
    marketing, sent, fees, payable = all_abreast(
        [one.plan.marketing for one in firms],
        [one.plan.sent for one in firms],
        [one.plan.purchases.fees for one in firms],
        [one.payable for one in coming],
    )
    return _Setting(
        firms=firms,
        received=Received(*all_abreast([one.quantities for one in coming], [one.values for one in coming])),
        arrivals=arrivals,
        output=_over_channels(arrivals[:, 1:]),  # a day's output arrives on the next morning
        marketing=marketing,
        sent=sent,
        fees=fees,
        payable=payable,
        sold=abreast([one.sales.sold for one in firms]),
    )


def _post_first_day(ledger: Ledger, firms: Sequence[Traded]) -> None:
    for debit, amounts in zip(_FIRST_DAY, zip(*[_first_day(one.plan) for one in firms], strict=True), strict=True):
        if any(amounts):
            ledger.post(0, debit, Account.CASH, np.array(amounts))
    tax_due = np.maximum(0, -ledger.opening[:, Account.TAX_PAYABLE])
    ledger.post(RULES.tax_day - 1, Account.TAX_PAYABLE, Account.CASH, tax_due)


_FIRST_DAY: Final = (
    Account.LOAN,
    Account.DIVIDENDS,
    Account.PLANT,
    Account.SETUP_INVESTMENT,
    Account.GREEN_INVESTMENT,
)
"""What finance actions and investments pay for."""


def _first_day(plan: Plan) -> tuple[int, ...]:
    """Cents paid for each of them."""
    finance, bought = plan.finance, plan.investments
    return (
        finance.repay - finance.borrow,
        finance.dividend,
        bought.capacity_cost,
        bought.setup_cost,
        bought.green_cost,
    )


def _post_costs(ledger: Ledger, setting: _Setting) -> None:
    firms = setting.firms
    for account, amount in _FIXED_COSTS:
        ledger.post_days(account, Account.CASH, amount)
    ledger.post_days(Account.MARKETING, Account.CASH, setting.marketing)
    ledger.post_days(Account.FREIGHT, Account.CASH, cents_array(setting.sent * RULES.freight))
    ledger.post_days(Account.ORDER_FEES, Account.CASH, setting.fees)
    costs = np.array([(one.state.plant.cost, _BUILDINGS) for one in firms])
    written_off = depreciation(costs, _LIVES, ledger.opening[:, Account.PLANT : Account.LAND])
    ledger.post_days(Account.DEPRECIATION, Account.PLANT, written_off[:, 0])
    ledger.post_days(Account.DEPRECIATION, Account.BUILDINGS, written_off[:, 1])


def _post_purchases(ledger: Ledger, setting: _Setting) -> IntArray:
    """Post prepayments, receipts and payments; give what stays due, (F, 60) cents from the next round's day 1."""
    ledger.post_days(Account.PREPAYMENTS, Account.CASH, _prepaid(setting.firms))
    due = abreast([one.state.payables_due for one in setting.firms]).copy()
    due[:, RULES.payable_days : RULES.payable_days + DAYS] += setting.payable
    by_class = setting.received.values @ OF_CLASS
    ledger.post_days(Account.FOOD_STOCK, Account.PAYABLES, by_class[..., 0])
    ledger.post_days(Account.PACKAGING_STOCK, Account.PAYABLES, by_class[..., 1])
    ledger.post_days(Account.PAYABLES, Account.PREPAYMENTS, by_class[..., 0] + by_class[..., 1] - setting.payable)
    ledger.post_days(Account.PAYABLES, Account.CASH, due[:, :DAYS])
    return _next_round(due)


def _prepaid(firms: Sequence[Traded]) -> IntArray:
    """Cents paid on placement, by day, (F, 30)."""
    paid = np.zeros((len(firms), DAYS), dtype=np.int64)
    for index, one in enumerate(firms):
        if one.plan.purchases.prepaid:
            for line in one.plan.purchases.lines:
                paid[index, line.day - 1] += line.value
    return paid


def _post_sales(ledger: Ledger, setting: _Setting) -> IntArray:
    """Post revenue and collections; give what stays due, (F, 60) cents from the next round's day 1."""
    firms = setting.firms
    prices = cents_array(abreast([one.plan.offer.prices for one in firms]))
    # A product over the SKUs, with the channels aside: (F, 3, 30, 12) units by (F, 3, 12, 1) cents.
    by_channel = (setting.sold.transpose(0, 3, 1, 2) @ prices.swapaxes(1, 2)[..., None])[..., 0]
    revenue = by_channel.swapaxes(1, 2)  # (F, 30, 3) cents
    ledger.post_days(Account.RECEIVABLES, Account.REVENUE, np.add.reduce(by_channel, axis=1))
    due = abreast([one.state.receivables_due for one in firms]).copy()
    wait = abreast([receivable_days(one.problem, one.state.round_number) for one in firms])
    places = wait + _DAYS_DONE[:DAYS, None]
    places += DUE_DAYS * np.arange(len(firms))[:, None, None]
    np.add.at(due.reshape(-1), places.reshape(-1), revenue.reshape(-1))
    ledger.post_days(Account.CASH, Account.RECEIVABLES, due[:, :DAYS])
    return _next_round(due)


def _post_stocks(ledger: Ledger, setting: _Setting) -> _Stocks:
    firms = setting.firms
    states = [one.state for one in firms]
    materials = Opening(*all_abreast([one.material_stock for one in states], [one.material_value for one in states]))
    steps = steps_of([one.plan.schedule.batches for one in firms])
    issued = issue_materials(materials, setting.received, steps)
    goods = Opening(
        stock=_over_channels(abreast([one.goods_stock for one in states])),
        value=abreast([one.goods_value for one in states]),
    )
    sold = sell_goods(goods, _over_channels(setting.sold), setting.output, issued.made)
    ledger.post_days(Account.GOODS_STOCK, Account.FOOD_STOCK, issued.cost[..., 0])
    ledger.post_days(Account.GOODS_STOCK, Account.PACKAGING_STOCK, issued.cost[..., 1])
    ledger.post_days(Account.COST_OF_GOODS, Account.GOODS_STOCK, sold.cost)
    return _Stocks(issued, sold)


def _post_storage_and_carbon(ledger: Ledger, setting: _Setting, stocks: _Stocks) -> FloatArray:
    """Post storage and carbon; give the round's emissions, (F, 3) kg by scope."""
    firms, lines = setting.firms, [one.plan.schedule for one in setting.firms]
    by_day = np.concatenate((stocks.goods.stock_by_day[..., None], stocks.materials.stock_by_day), axis=2)
    storage = storage_charges(by_day)
    ledger.post_days(Account.STORAGE, Account.CASH, storage.cost)
    activity = Activity(
        produced=setting.sent,
        setup_hours=np.array([one.setup_ticks for one in lines]) / np.array([[one.line.capacity] for one in lines]),
        overstock_kg=storage.carbon_kg,
        sent=setting.sent,
        pickup_kg=abreast([one.plan.purchases.pickup_kg for one in firms]),
        food_received=(setting.received.quantities @ OF_CLASS)[..., 0],
    )
    kg = footprint(activity, *np.array([_green_steps(one) for one in firms]).T)
    prices = np.array([conditions(one.problem, one.state.round_number).carbon_price for one in firms])
    ledger.post_days(Account.CARBON, Account.CASH, bill(kg, prices))
    return frozen(np.add.reduce(kg, axis=1))


def _green_steps(firm: Traded) -> tuple[int, int]:
    """Green steps of production and of the fleet bought so far."""
    plant, bought = firm.state.plant, firm.plan.investments
    return plant.green_production + bought.green_production, plant.green_fleet + bought.green_fleet


def _totals(setting: _Setting) -> CellTotals:
    """The round's sales by cell, each (F, 12, 3) units."""
    sales = [one.sales for one in setting.firms]
    days = [[one.demanded for one in sales], [one.received for one in sales], [one.unmet for one in sales]]
    demanded, received, unmet = [frozen(np.add.reduce(units, axis=1)) for units in all_abreast(*days)]
    return CellTotals(demanded, frozen(np.add.reduce(setting.sold, axis=1)), received, unmet)


def _over_channels(units: IntArray) -> IntArray:
    """Sums over the last axis, the channels; three additions take half the time of a reduction over three."""
    return sum([units[..., channel] for channel in range(1, len(CHANNELS))], start=units[..., 0])


def _next_round(due: IntArray) -> IntArray:
    shifted = np.zeros_like(due)
    shifted[:, : DUE_DAYS - DAYS] = due[:, DAYS:]
    return frozen(shifted)
