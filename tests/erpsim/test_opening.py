"""The opening: the rules' balance sheet, a problem's stocks and orders, and a bank that has read them."""

from dataclasses import fields

import numpy as np
import pytest

from erpsim.catalogue import LIST_PRICES, MATERIAL_INDEX
from erpsim.ledger import INCOME, Account, equity
from erpsim.opening import open_firm
from erpsim.problem import MarketSettings, Opening, OpeningOrder, Problem
from erpsim.state import OpenOrder


def _problem(opening: Opening, material_level: float = 1.0) -> Problem:
    market = MarketSettings(size=1.0, trend=0.0, sensitivity=1.0, outside_share=0.25, material_level=material_level)
    return Problem("P900", 1, "baseline", "calm", 6, opening, market)


def _stocked(material_level: float = 1.0) -> Problem:
    goods = ((0, 1_000, 500), *((0, 0, 0),) * 11)
    materials = (100, *(0,) * 5, 10, 0, 0, 0)
    order = OpeningOrder(material="oats", quantity=5_000, receipt_day=3, value=4_600)
    return _problem(Opening(3_000_000, 8_000_000, goods, materials, (order,)), material_level)


def test_opening_without_stocks_is_the_rules_balance_sheet() -> None:
    firm = open_firm(_problem(Opening(3_000_000, 8_000_000)), 0)
    euros = {account.name: int(firm.balances[account]) / 100 for account in Account if firm.balances[account]}
    assert euros == {
        "CASH": 3e6,
        "PLANT": 24e6,
        "BUILDINGS": 1.5e6,
        "LAND": 0.5e6,
        "LOAN": -8e6,
        "CAPITAL": -21e6,
    }
    assert equity(firm.balances) == 2_100_000_000
    assert firm.material_stock.shape == (10,)
    assert not firm.material_stock.any()
    assert firm.goods_stock.shape == (12, 3)
    assert not firm.goods_stock.any()
    assert firm.open_orders == ()


def test_opening_bank_reads_the_opening_balance() -> None:
    # 8 M loan less 3 M cash: 5 M net debt, 4.875 %, half of 21 M equity
    credit = open_firm(_problem(Opening(3_000_000, 8_000_000)), 0).credit
    assert credit.company_risk == pytest.approx(0.04875)
    assert credit.limit == 1_050_000_000
    assert not credit.distressed


def test_stocks_stand_at_catalogue_prices_and_raise_capital() -> None:
    firm = open_firm(_stocked(), 0)
    # 100 kg nuts at 1.82, 10 large boxes at 0.28
    assert firm.material_value.tolist() == [18_200, 0, 0, 0, 0, 0, 280, 0, 0, 0]
    # NUT-500 by its recipe: 0.15 x 1.82 + 0.175 x 0.99 + 0.175 x 0.92 + 0.21 + 0.09 = 0.90725 EUR, 1,500 units
    assert firm.goods_value.tolist() == [136_088, *[0] * 11]
    assert firm.balances[Account.FOOD_STOCK] == 18_200
    assert firm.balances[Account.PACKAGING_STOCK] == 280
    assert firm.balances[Account.GOODS_STOCK] == 136_088
    assert firm.balances[Account.CAPITAL] == -(2_100_000_000 + 18_200 + 280 + 136_088)
    assert firm.balances.sum() == 0


def test_stocks_follow_the_material_level_of_the_problem() -> None:
    firm = open_firm(_stocked(1.2), 0)
    assert firm.material_value[0] == 21_840
    assert firm.goods_value[0] == 163_305


def test_orders_under_way_are_not_in_the_books_yet() -> None:
    firm = open_firm(_stocked(), 0)
    assert firm.open_orders == (OpenOrder(MATERIAL_INDEX["oats"], 5_000, 3, 460_000, prepaid=False),)
    assert firm.balances[Account.PAYABLES] == 0
    assert not firm.payables_due.any()
    assert not firm.receivables_due.any()


def test_every_seat_opens_alike() -> None:
    left, right = open_firm(_stocked(), 0), open_firm(_stocked(), 5)
    assert (left.seat, right.seat) == (0, 5)
    for field in fields(left):
        if field.name != "seat":
            assert np.array_equal(getattr(left, field.name), getattr(right, field.name)), field.name


def test_a_firm_opens_with_nothing_done_and_list_prices() -> None:
    firm = open_firm(_stocked(), 0)
    assert firm.round_number == 1
    assert np.array_equal(firm.prices, np.stack([LIST_PRICES] * 3, axis=1))
    assert firm.service.tolist() == [1.0, 1.0, 1.0]
    assert not firm.goodwill.any()
    assert (firm.profit_before_tax, firm.dividends_paid, firm.history) == (0, 0, ())
    assert not firm.balances[INCOME].any()
    assert (firm.plant.capacity, firm.plant.last_sku, firm.plant.cost) == (24_000, -1, 2_400_000_000)


def test_opening_arrays_are_read_only() -> None:
    firm = open_firm(_stocked(), 0)
    with pytest.raises(ValueError, match="read-only"):
        firm.goods_stock[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        firm.balances[Account.CASH] = 1
