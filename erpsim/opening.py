"""A firm on the morning of the first day: the rules' plant and the problem's money, stocks and orders under way."""

from __future__ import annotations

import numpy as np

from erpsim.catalogue import (
    CHANNELS,
    IS_FOOD,
    LIST_PRICES,
    MATERIAL_INDEX,
    MATERIAL_PRICES,
    MATERIALS,
    SKUS,
    STANDARD_COST,
)
from erpsim.ledger import ACCOUNTS, Account
from erpsim.loans import assess
from erpsim.parameters import RULES
from erpsim.problem import Opening, Problem
from erpsim.state import DUE_DAYS, FirmState, OpenOrder, Plant
from erpsim.units import IntArray, cents, cents_array, frozen

_CELLS = (len(SKUS), len(CHANNELS))


def open_firm(problem: Problem, seat: int) -> FirmState:
    """Open the firm of a seat (0-based); firms of one problem open alike.

    Stocks stand at the catalogue's prices times the problem's material level; capital is what balances the books.
    """
    opening, level = problem.opening, problem.market.material_level
    material_stock = np.array(opening.materials or (0,) * len(MATERIALS), dtype=np.int64)
    goods_stock = np.array(opening.goods or np.zeros(_CELLS), dtype=np.int64)
    material_value = cents_array(material_stock * MATERIAL_PRICES * level)
    goods_value = cents_array(goods_stock.sum(axis=1) * STANDARD_COST * level)
    balances = _balances(opening, material_value, goods_value)
    return FirmState(
        seat=seat,
        round_number=1,
        balances=balances,
        material_stock=frozen(material_stock),
        material_value=frozen(material_value),
        goods_stock=frozen(goods_stock),
        goods_value=frozen(goods_value),
        open_orders=_open_orders(opening),
        receivables_due=frozen(np.zeros(DUE_DAYS, dtype=np.int64)),
        payables_due=frozen(np.zeros(DUE_DAYS, dtype=np.int64)),
        plant=_plant(),
        credit=assess(balances),
        goodwill=frozen(np.zeros(_CELLS)),
        service=frozen(np.ones(len(CHANNELS))),
        prices=frozen(np.repeat(LIST_PRICES[:, None], len(CHANNELS), axis=1)),
        profit_before_tax=0,
        dividends_paid=0,
        history=(),
    )


def _balances(opening: Opening, material_value: IntArray, goods_value: IntArray) -> IntArray:
    balances = np.zeros(ACCOUNTS, dtype=np.int64)
    balances[Account.CASH] = cents(opening.cash)
    balances[Account.FOOD_STOCK] = material_value[IS_FOOD].sum()
    balances[Account.PACKAGING_STOCK] = material_value[~IS_FOOD].sum()
    balances[Account.GOODS_STOCK] = goods_value.sum()
    balances[Account.PLANT] = cents(RULES.plant)
    balances[Account.BUILDINGS] = cents(RULES.buildings)
    balances[Account.LAND] = cents(RULES.land)
    balances[Account.LOAN] = -cents(opening.loan)
    balances[Account.CAPITAL] = -balances.sum()
    return frozen(balances)


def _open_orders(opening: Opening) -> tuple[OpenOrder, ...]:
    return tuple(
        OpenOrder(MATERIAL_INDEX[order.material], order.quantity, order.receipt_day, cents(order.value))
        for order in opening.orders
    )


def _plant() -> Plant:
    return Plant(
        capacity=RULES.capacity,
        capacity_steps=0,
        setup_cut=0,
        green_production=0,
        green_fleet=0,
        cost=cents(RULES.plant),
        last_sku=-1,
    )
