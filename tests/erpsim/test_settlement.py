"""A round in the books: hand-worked rounds first, then what holds in every round that can be played."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from erpsim.catalogue import CHANNEL_INDEX, MATERIAL_INDEX, SKU_INDEX
from erpsim.errors import InvariantError
from erpsim.exogenous import leads, material_prices, receivable_days
from erpsim.feasibility import repair
from erpsim.ledger import Account, equity
from erpsim.opening import open_firm
from erpsim.planning import plan
from erpsim.problem import OpeningOrder, Problem
from erpsim.result import Settled
from erpsim.settlement import depreciation, settle, settle_all
from erpsim.units import DAYS, cents
from tests.erpsim.firms import Cell, play, sales
from tests.erpsim.samples import calm_problem, decision, disturbance, opened

IDLE = decision()
GOODS = "BLUEBERRY-1000"  # 5.26 EUR at list


def _stocked(units: int, **opening: Any) -> Problem:
    """A calm problem whose firms open with units of one SKU in hypermarkets."""
    goods = [(0, 0, 0)] * 12
    goods[SKU_INDEX[GOODS]] = (units, 0, 0)
    problem = calm_problem()
    return replace(problem, opening=replace(problem.opening, goods=tuple(goods), **opening))


def _with_one_lot() -> Problem:
    """A calm problem whose firms open with the materials of 24,000 ORIGINAL-500."""
    materials = [0] * 10
    for name, amount in {"wheat": 6_000, "oats": 6_000, "small_box": 24_000, "small_bag": 24_000}.items():
        materials[MATERIAL_INDEX[name]] = amount
    problem = calm_problem()
    return replace(problem, opening=replace(problem.opening, materials=tuple(materials)))


def _moved(settled: Settled, account: Account) -> dict[int, int]:
    """What a round moved on an account, cents by day from 1."""
    column = settled.result.moves[:, account]
    return {int(day) + 1: int(column[day]) for day in np.flatnonzero(column)}


def test_an_idle_round_costs_what_stands_still_costs() -> None:
    problem = calm_problem()
    done = play(open_firm(problem, 0), problem, IDLE).settled
    # a day: 4,000 + 3,000 + 8,000 fixed, 24,000,000/3,600 + 1,500,000/9,000 depreciation, and on 8,000,000 loan at
    # 4.875 + 3 % 1,750.00 interest; a week: 5 x (500 + 400) kg carbon at 0.08
    total = {account: int(done.result.moves[:, account].sum()) for account in Account}
    assert total[Account.LABOUR] == 30 * 4_000_00
    assert total[Account.OVERHEAD] == 30 * 3_000_00
    assert total[Account.ADMINISTRATION] == 30 * 8_000_00
    assert total[Account.DEPRECIATION] == 30 * (6_666_67 + 166_67)
    assert total[Account.PLANT] == -30 * 6_666_67
    assert total[Account.BUILDINGS] == -30 * 166_67
    assert total[Account.INTEREST] == 30 * 1_750_00
    assert _moved(done, Account.CARBON) == dict.fromkeys((5, 10, 15, 20, 25, 30), 360_00)
    # before tax: 450,000.00 + 205,000.20 + 52,500.00 + 2,160.00 = 709,660.20; a quarter of it is an asset now
    assert done.state.profit_before_tax == -709_660_20
    assert done.state.balances[Account.TAX_PAYABLE] == 177_415_05
    assert done.result.net_income == -(709_660_20 - 177_415_05)
    assert done.result.cash == 3_000_000_00 - 504_660_00
    assert done.result.equity == 21_000_000_00 + done.result.net_income
    assert (done.result.fill_rate, done.result.units_sold, done.result.units_lost) == (1.0, 0, 0)
    assert done.result.carbon_kg.tolist() == [0.0, 15_000.0, 12_000.0]
    assert done.result.carbon_cost == 2_160_00
    assert done.state.round_number == 2
    # net debt 8,000,000.00 - 2,495,340.00 - 177,415.05 = 5,327,244.95: 4.75 % + 0.25 % x 0.82724495
    assert done.result.company_risk == done.state.credit.company_risk == pytest.approx(0.0475 + 0.0025 * 0.82724495)
    assert done.result.rating == "A"
    # nothing is earned; break-up: 2,495,340.00 + half of 25,794,999.80 - 8,000,000.00 + 177,415.05
    assert done.result.valuation_zero_growth == 0.0
    assert done.result.valuation == pytest.approx(7_570_254.95)


def test_a_three_day_receivable_and_payable_path() -> None:
    # Hypermarkets and vendors are both paid after 20 days. Orders arrive on days 1, 2 and 3 for 100, 200 and 300 EUR;
    # on the same days 10, 20 and 30 units are sold at 5.26. Days 21, 22 and 23 bring 52.60, 105.20 and 157.80 and take
    # 100, 200 and 300.
    orders = tuple(OpeningOrder("oats", 1_000, day, 100 * day) for day in (1, 2, 3))
    problem = _stocked(60, orders=orders)
    opening = open_firm(problem, 0)
    wishes = {Cell(day, GOODS, "hypermarket"): 10 * day for day in (1, 2, 3)}
    done = play(opening, problem, IDLE, wishes).settled
    assert _moved(done, Account.RECEIVABLES) == {1: 52_60, 2: 105_20, 3: 157_80, 21: -52_60, 22: -105_20, 23: -157_80}
    assert _moved(done, Account.PAYABLES) == {
        1: -100_00,
        2: -200_00,
        3: -300_00,
        21: 100_00,
        22: 200_00,
        23: 300_00,
    }
    assert _moved(done, Account.REVENUE) == {1: -52_60, 2: -105_20, 3: -157_80}
    assert done.state.balances[Account.RECEIVABLES] == done.state.balances[Account.PAYABLES] == 0
    assert done.state.balances[Account.FOOD_STOCK] == 600_00
    assert done.state.balances[Account.GOODS_STOCK] == 0
    quiet = play(replace(opening, open_orders=()), problem, IDLE).settled
    assert _moved(done, Account.CASH)[22] - _moved(quiet, Account.CASH)[22] == 105_20 - 200_00


def test_what_is_due_after_day_30_is_paid_in_the_next_round() -> None:
    problem = _stocked(60, orders=(OpeningOrder("oats", 1_000, 15, 100),))
    first = play(open_firm(problem, 0), problem, IDLE, {Cell(14, GOODS, "hypermarket"): 60}).settled
    # sold on day 14, due on day 34; received on day 15, due on day 35
    assert {
        int(day) + 1: int(first.state.receivables_due[day]) for day in np.flatnonzero(first.state.receivables_due)
    } == {4: 315_60}
    assert first.state.payables_due[4] == 100_00
    assert first.state.payables_due.sum() == -first.state.balances[Account.PAYABLES] == 100_00
    second = play(first.state, problem, IDLE).settled
    assert _moved(second, Account.RECEIVABLES) == {4: -315_60}
    assert _moved(second, Account.PAYABLES) == {5: 100_00}
    assert not second.state.receivables_due.any()
    assert not second.state.payables_due.any()


def test_other_channels_pay_on_their_drawn_days() -> None:
    problem = _stocked(0)
    goods = [(0, 0, 0)] * 12
    goods[SKU_INDEX[GOODS]] = (0, 5, 0)
    problem = replace(problem, opening=replace(problem.opening, goods=tuple(goods)))
    done = play(open_firm(problem, 0), problem, IDLE, {Cell(2, GOODS, "grocery"): 5}).settled
    terms = int(receivable_days(problem, 1)[1, CHANNEL_INDEX["grocery"]])
    assert 10 <= terms <= 20
    assert _moved(done, Account.RECEIVABLES) == {2: 26_30, 2 + terms: -26_30}


def test_a_production_round_by_hand() -> None:
    # 24,000 ORIGINAL-500 take 6,000 kg wheat at 0.99, 6,000 kg oats at 0.92, and a box at 0.21 and a bag at 0.09 each:
    # 18,660.00, 0.7775 a unit. Setup to 8 h, so 16,000 on day 1 and 8,000 on day 2.
    problem = _with_one_lot()
    asked = decision(
        production=[{"sku": "ORIGINAL-500", "quantity": 24_000, "distribution": {"independent": 1.0}}],
        prices={"ORIGINAL-500": {"independent": 4.0}},
    )
    done = play(open_firm(problem, 0), problem, asked, {Cell(2, "ORIGINAL-500", "independent"): 4_000}).settled
    # day 1: 16,000 of 24,000 units' materials; day 2: 4,000 of 16,000 units sold at 12,440.00 / 4, then 8,000 made
    assert _moved(done, Account.GOODS_STOCK) == {1: 12_440_00, 2: 6_220_00 - 3_110_00}
    assert _moved(done, Account.COST_OF_GOODS) == {2: 3_110_00}
    assert _moved(done, Account.FOOD_STOCK) == {1: -7_640_00, 2: -3_820_00}
    assert _moved(done, Account.PACKAGING_STOCK) == {1: -4_800_00, 2: -2_400_00}
    assert _moved(done, Account.REVENUE) == {2: -16_000_00}
    assert _moved(done, Account.FREIGHT) == {1: 800_00, 2: 400_00}
    # scope 1: 24,000 x (0.30 + 0.25) + 8 h x 50 = 13,600 kg, all in week 1: (13,600 + 4,500) x 0.08
    assert done.result.carbon_kg.tolist() == pytest.approx([13_600, 15_000, 12_000])
    assert _moved(done, Account.CARBON) == {5: 1_448_00, **dict.fromkeys((10, 15, 20, 25, 30), 360_00)}
    assert done.state.goods_stock.sum() == done.result.goods_end.sum() == 20_000
    assert done.state.goods_value[SKU_INDEX["ORIGINAL-500"]] == 15_550_00
    assert not done.state.material_stock.any()
    assert not done.state.material_value.any()
    assert done.state.plant.last_sku == SKU_INDEX["ORIGINAL-500"]
    assert done.result.history.produced[SKU_INDEX["ORIGINAL-500"]] == 24_000
    assert done.result.history.cost_of_goods == 3_110_00


def test_goods_that_arrive_next_morning_are_in_the_state_and_not_in_the_end_of_the_round() -> None:
    materials = tuple(48_000 if name.startswith("small") else 24_000 for name in MATERIAL_INDEX)
    problem = calm_problem()
    problem = replace(problem, opening=replace(problem.opening, materials=materials))
    # the material for the second item comes on the last morning but one
    order = OpeningOrder("nuts", 24_000, 29, 1)
    problem = replace(problem, opening=replace(problem.opening, materials=(0, *materials[1:]), orders=(order,)))
    asked = decision(production=[{"sku": "NUT-500", "quantity": 40_000, "distribution": {"grocery": 1}}])
    done = play(open_firm(problem, 0), problem, asked).settled
    # 24,000 on day 29 are on sale on day 30; 16,000 of day 30 on the next morning
    assert done.result.goods_end.sum() == 24_000
    assert done.state.goods_stock.sum() == 40_000


def test_storage_is_charged_by_the_day() -> None:
    problem = _stocked(300_001)
    done = play(open_firm(problem, 0), problem, IDLE, {Cell(3, GOODS, "hypermarket"): 1}).settled
    # 50,001 units over: two started blocks for two days, one from day 3 on, 500 EUR and 2,500 kg each
    assert _moved(done, Account.STORAGE) == {1: 1_000_00, 2: 1_000_00, **dict.fromkeys(range(3, 31), 500_00)}
    assert done.result.carbon_kg[0] == (4 + 28) * 2_500


def test_storage_counts_materials_as_received_and_used_and_goods_as_made() -> None:
    # 300,001 kg food: 2 blocks of 1,000 EUR; 774,000 pieces: 1 block of 100; 230,000 goods: none. Day 1 makes 16,000
    # units of 4,000 kg wheat, 4,000 kg oats and 32,000 pieces: food 292,001 kg, 1 block; packaging 742,000, none;
    # goods 246,000, none. Day 2 makes 8,000: food 288,001, goods 254,000, 1 block of 500.
    # On day 30 13,000 kg raisins arrive: food 301,001, 2 blocks.
    materials = [0] * 10
    for name, amount in {"wheat": 150_000, "oats": 150_001, "small_box": 387_000, "small_bag": 387_000}.items():
        materials[MATERIAL_INDEX[name]] = amount
    raisins = OpeningOrder("raisins", 13_000, 30, 14_000)
    problem = _stocked(230_000, materials=tuple(materials), orders=(raisins,))
    asked = decision(production=[{"sku": "ORIGINAL-500", "quantity": 24_000}])
    done = play(open_firm(problem, 0), problem, asked).settled
    assert _moved(done, Account.STORAGE) == {
        1: 1_000_00,
        **dict.fromkeys(range(2, 30), 1_500_00),
        30: 2_500_00,
    }
    assert _moved(done, Account.FOOD_STOCK)[30] == 14_000_00
    assert done.state.payables_due[19] == 14_000_00
    quiet = play(open_firm(problem, 0), problem, IDLE).settled
    # nothing is used: both classes stay over
    assert _moved(quiet, Account.STORAGE) == {**dict.fromkeys(range(1, 30), 2_100_00), 30: 2_100_00}


def test_g4_03_borrowed_money_and_what_it_buys_are_all_in_the_cash_path() -> None:
    # Borrow 300,000 and buy for about 280,000 from the vendor that delivers within two days.
    problem = calm_problem()
    oats = MATERIAL_INDEX["oats"]
    price = float(material_prices(problem, 1)[0, oats]) * 1.03
    quantity = int(280_000 / price)
    asked = decision(
        purchase_orders=[{"material": "oats", "quantity": quantity, "vendor": "B"}], finance={"borrow": 300_000}
    )
    opening = open_firm(problem, 0)
    done = play(opening, problem, asked).settled
    value = cents(quantity * price)
    day = 1 + int(leads(problem, 1)[0, oats, 1])
    assert _moved(done, Account.FOOD_STOCK) == {day: value}
    assert _moved(done, Account.PAYABLES) == {day: -value, day + 20: value}
    assert _moved(done, Account.ORDER_FEES) == {1: 1_000_00}
    assert _moved(done, Account.LOAN) == {1: -300_000_00}
    by_account = {
        Account.LOAN: 300_000_00,
        Account.PAYABLES: -value,
        **{
            account: -int(done.result.moves[:, account].sum())
            for account in (
                *(Account.ORDER_FEES, Account.LABOUR, Account.OVERHEAD, Account.ADMINISTRATION),
                *(Account.STORAGE, Account.INTEREST, Account.CARBON),
            )
        },
    }
    assert done.result.cash == 3_000_000_00 + sum(by_account.values())
    assert done.result.cash == opening.balances[Account.CASH] + done.result.moves[:, Account.CASH].sum()


def test_a_round_without_money_becomes_loan() -> None:
    problem = calm_problem(cash=300_000)
    done = play(open_firm(problem, 0), problem, IDLE).settled
    assert done.result.cash == 0
    assert done.result.moves[29, Account.LOAN] < -200_000_00
    assert done.result.loan == 8_000_000_00 - done.result.moves[:, Account.LOAN].sum()


def test_a_loss_is_set_off_against_the_next_profit_and_tax_is_paid_on_day_20() -> None:
    problem = _stocked(800_000)
    first = play(open_firm(problem, 0), problem, IDLE).settled
    asset = int(first.state.balances[Account.TAX_PAYABLE])
    assert asset > 0
    second = play(first.state, problem, IDLE, {Cell(1, GOODS, "hypermarket"): 800_000}).settled
    assert second.state.profit_before_tax > 0
    # all profit so far is taxed once: the asset is used up and the rest is owed
    owed = -int(second.state.balances[Account.TAX_PAYABLE])
    assert owed == round(second.state.profit_before_tax / 4)
    assert _moved(second, Account.TAX) == {30: owed + asset}
    assert _moved(second, Account.TAX_PAYABLE) == {30: -(owed + asset)}
    third = play(second.state, problem, IDLE).settled
    loss = third.state.profit_before_tax - second.state.profit_before_tax
    assert _moved(third, Account.TAX_PAYABLE)[20] == owed
    assert third.state.balances[Account.TAX_PAYABLE] == -round(third.state.profit_before_tax / 4) + owed
    assert third.state.balances[Account.TAX_PAYABLE] == pytest.approx(-loss / 4, abs=1)


def test_an_idle_firm_falls_into_distress_and_leaves_it_when_it_sells() -> None:
    problem = _stocked(600_000)
    state = open_firm(problem, 0)
    flags = [state.credit.distressed]
    while not flags[-1]:
        state = play(state, problem, IDLE).settled.state
        flags.append(state.credit.distressed)
    # net debt passes 6.5 M, the limit falls from a half to three eighths of equity, below the loan
    assert flags == [False, False, False, False, True]
    assert state.credit.limit < 8_000_000_00
    assert state.credit.company_risk > 0.0525
    after = play(state, problem, IDLE, {Cell(1, GOODS, "hypermarket"): 600_000}).settled.state
    assert not after.credit.distressed
    assert after.credit.limit > 8_000_000_00


def test_the_bank_and_the_valuation_read_the_books_of_the_same_close() -> None:
    problem = _stocked(900_000, loan=3_500_000)
    first = play(open_firm(problem, 0), problem, IDLE).settled
    done = play(first.state, problem, IDLE, {Cell(1, GOODS, "hypermarket"): 900_000}).settled
    # from about 1 M net debt, halfway up the first piece of the line, out of debt: 3 %; then a year's earnings, by the
    # mean of both rounds, at 7 % + 3 %
    assert (first.result.rating, done.result.rating) == ("AA+", "AAA+")
    assert first.result.company_risk == pytest.approx(0.034, abs=0.0005)
    assert done.result.company_risk == 0.03
    earnings = 12 * (first.result.net_income + done.result.net_income) / 2 / 100
    assert done.result.valuation_zero_growth == pytest.approx(earnings / 0.10)


def test_distressed_orders_are_paid_when_placed() -> None:
    problem = calm_problem()
    opening = opened(problem)
    state = replace(opening, credit=replace(opening.credit, distressed=True))
    asked = decision(
        purchase_orders=[
            {"material": "oats", "quantity": 1_000, "vendor": "B", "day": 3},
            {"material": "oats", "quantity": 2_000, "vendor": "A", "day": 30},
        ]
    )
    first = play(state, problem, asked).settled
    early, late = (int(line.value) for line in plan(state, problem, asked).purchases.lines)
    arrived = 3 + int(leads(problem, 1)[2, MATERIAL_INDEX["oats"], 1])
    assert _moved(first, Account.PREPAYMENTS) == {3: early, arrived: -early, 30: late}
    assert _moved(first, Account.FOOD_STOCK) == {arrived: early}
    assert not _moved(first, Account.PAYABLES)
    assert first.state.balances[Account.PREPAYMENTS] == late
    (order,) = first.state.open_orders
    assert order.prepaid
    second = play(first.state, problem, IDLE).settled
    assert _moved(second, Account.PREPAYMENTS) == {order.receipt_day: -late}
    assert _moved(second, Account.FOOD_STOCK) == {order.receipt_day: late}
    assert second.state.open_orders == ()
    assert second.state.material_stock[MATERIAL_INDEX["oats"]] == 3_000


def test_g4_05_a_firm_without_money_or_credit_makes_nothing_and_gains_nothing() -> None:
    problem = calm_problem(cash=0, loan=15_000_000)
    state = open_firm(problem, 0)
    assert state.credit.distressed
    wanted = decision(
        production=[{"sku": "NUT-500", "quantity": 50_000}],
        purchase_orders=[{"material": name, "quantity": 60_000} for name in MATERIAL_INDEX],
    )
    repaired = repair(state, problem, wanted)
    assert "production_capacity_skip" in {event.category for event in repaired.events}
    done = play(state, problem, repaired.decision).settled
    assert not done.state.goods_stock.any()
    assert not done.state.material_stock.any()
    assert done.result.loan > 15_000_000_00
    assert done.result.equity < equity(state.balances)


def test_investments_are_capitalised_or_expensed_and_take_effect() -> None:
    problem = calm_problem()
    kinds = {"capacity": 2_000, "setup_time": 3, "green_production": 2, "green_fleet": 1}
    asked = decision(
        finance={"investments": [{"kind": kind, "amount": amount} for kind, amount in kinds.items()], "repay": 7.25}
    )
    first = play(open_firm(problem, 0), problem, asked).settled
    # 1,000,000 + 1,050,000 capitalised; 50,000 + 75,000 + 125,000 and 3 x 10,000 expensed
    assert _moved(first, Account.PLANT)[1] == 2_050_000_00 - 6_666_67
    assert _moved(first, Account.SETUP_INVESTMENT) == {1: 250_000_00}
    assert _moved(first, Account.GREEN_INVESTMENT) == {1: 30_000_00}
    assert _moved(first, Account.LOAN) == {1: 7_25}
    plant = first.state.plant
    assert (plant.capacity, plant.capacity_steps, plant.setup_cut) == (26_000, 2, 3)
    assert (plant.green_production, plant.green_fleet, plant.cost) == (2, 1, 26_050_000_00)
    assert first.result.capacity == 26_000
    # new capacity depreciates from the next round: 26,050,000 / 3,600 = 7,236.11 a day
    second = play(first.state, problem, IDLE).settled
    assert _moved(second, Account.PLANT) == dict.fromkeys(range(1, 31), -7_236_11)


def test_green_steps_cut_emissions_from_the_round_in_which_they_are_bought() -> None:
    problem = calm_problem()
    orders = [{"material": "oats", "quantity": 1_000}]
    green = [{"kind": "green_fleet", "amount": 3}]
    plain = play(open_firm(problem, 0), problem, decision(purchase_orders=orders)).settled
    asked = decision(purchase_orders=orders, finance={"investments": green})
    first = play(open_firm(problem, 0), problem, asked).settled
    again = play(first.state, problem, decision(purchase_orders=orders)).settled
    assert plain.result.carbon_kg[0] == pytest.approx(10_000)
    assert first.result.carbon_kg[0] == pytest.approx(5_500)
    assert again.result.carbon_kg[0] == pytest.approx(5_500)


def test_green_production_cuts_production_and_nothing_else() -> None:
    problem = _with_one_lot()
    asked = decision(
        production=[{"sku": "ORIGINAL-500", "quantity": 24_000}],
        finance={"investments": [{"kind": "green_production", "amount": 2}]},
    )
    done = play(open_firm(problem, 0), problem, asked).settled
    # 24,000 x 0.30 less 30 %, 24,000 x 0.25 freight, 8 h x 50
    assert done.result.carbon_kg[0] == pytest.approx(5_040 + 6_000 + 400)


def test_carbon_is_billed_at_the_rounds_price() -> None:
    problem = calm_problem(disturbance("carbon_price", 0.2))
    done = play(open_firm(problem, 0), problem, IDLE).settled
    assert done.result.carbon_cost == 6 * 900_00


def test_dividends_leave_by_day_1_and_count_in_the_valuation() -> None:
    problem = _stocked(600_000, loan=0)
    first = play(open_firm(problem, 0), problem, IDLE, {Cell(1, GOODS, "hypermarket"): 600_000}).settled
    asked = decision(finance={"dividend": 1_000_000})
    paid = play(first.state, problem, asked).settled
    kept = play(first.state, problem, IDLE).settled
    assert _moved(paid, Account.DIVIDENDS) == {1: 1_000_000_00}
    assert paid.state.dividends_paid == paid.result.dividends_paid == 1_000_000_00
    assert paid.result.history.dividends == 1_000_000_00
    assert paid.result.net_income == kept.result.net_income
    assert paid.result.equity == kept.result.equity - 1_000_000_00
    assert paid.result.valuation == pytest.approx(kept.result.valuation, rel=1e-9)


def test_the_state_remembers_prices_goodwill_and_the_round() -> None:
    problem = _stocked(10)
    asked = decision(
        prices={GOODS: {"hypermarket": 6.5}}, marketing=[{"channel": "grocery", "sku": GOODS, "amount": 30_000}]
    )
    played = play(open_firm(problem, 0), problem, asked, {Cell(9, GOODS, "hypermarket"): 40})
    done = played.settled
    cell = SKU_INDEX[GOODS], CHANNEL_INDEX["hypermarket"]
    assert done.state.prices[cell] == 6.5
    # 1,000 EUR a day for 30 days: 1,000 x (1 - 0.95^30)
    assert done.state.goodwill[SKU_INDEX[GOODS], 1] == pytest.approx(1_000 * (1 - 0.95**30))
    assert done.state.service.tolist() == [0.625, 1.0, 1.0]
    (past,) = done.state.history
    assert past is done.result.history
    assert (past.round_number, past.revenue, past.marketing) == (1, 65_00, 30_000_00)
    assert (past.demanded[cell], past.sold[cell], past.unmet[cell], past.received[cell]) == (40, 10, 30, 0)
    for name, units in played.sales.by_cell._asdict().items():
        assert getattr(past, name).tolist() == units.tolist()
    assert (done.result.units_sold, done.result.units_lost, done.result.fill_rate) == (10, 30, 0.25)
    assert past.valuation == done.result.valuation
    assert past.net_income == done.result.net_income


def test_no_firms_settle_to_nothing() -> None:
    assert settle_all([]) == ()


def test_books_that_contradict_themselves_are_not_closed() -> None:
    problem = _stocked(10)
    firm = open_firm(problem, 0)
    planned = plan(firm, problem, IDLE)
    plenty = sales({Cell(1, GOODS, "hypermarket"): 20}, replace(planned.offer, opening_stock=firm.goods_stock * 2))
    with pytest.raises(InvariantError, match="goods stock"):
        settle(firm, problem, planned, plenty)
    skewed = firm.balances.copy()
    skewed[Account.CASH] += 1
    with pytest.raises(InvariantError, match="opening balances sum to 1 cents"):
        play(replace(firm, balances=skewed), problem, IDLE)


@pytest.mark.parametrize(
    ("cost", "net", "total"),
    [
        (2_400_000_000, 2_400_000_000, 20_000_010),
        (2_400_000_000, 1_000_000, 1_000_000),  # what is left, on the first two days
        (2_400_000_000, 0, 0),
    ],
)
def test_depreciation_is_straight_and_ends_at_nothing(cost: int, net: int, total: int) -> None:
    by_day = depreciation(*(np.array(figure) for figure in (cost, 3_600, net)))
    assert by_day.shape == (DAYS,)
    assert by_day[0] == min(666_667, net)
    assert by_day.sum() == total
