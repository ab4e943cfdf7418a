from dataclasses import replace

import numpy as np
import pytest

from erpsim.catalogue import MATERIAL_INDEX, RECIPES, SKU_INDEX
from erpsim.exogenous import material_prices
from erpsim.ledger import Account
from erpsim.observe import observe
from erpsim.state import Credit
from tests.erpsim.histories import past_round, played
from tests.erpsim.samples import calm_problem, disturbance, opened


def test_the_opening_position_is_shown_in_cents() -> None:
    seen = observe(opened(), calm_problem(), 6)
    money = seen.finance
    assert (money.cash, money.loan, money.equity) == (3_000_000_00, 8_000_000_00, 21_000_000_00)
    assert (money.receivables, money.payables, money.tax_payable, money.net_income) == (0, 0, 0, 0)
    assert money.valuation is None
    assert money.loan_rate == pytest.approx(money.company_risk + 0.03)


def test_firms_are_shown_by_neutral_names_of_their_seats() -> None:
    seen = observe(opened(), calm_problem(), 14)
    assert seen.firm == seen.firms[0] == "Almond"
    assert seen.firms[13] == "Firm 14"


def test_tax_is_due_on_day_20_and_a_tax_asset_is_not() -> None:
    balances = opened().balances.copy()
    balances[Account.TAX_PAYABLE] = -700
    due = np.zeros(60, dtype=np.int64)
    due[[4, 19, 40]] = (100, 50, 9)
    seen = observe(opened(balances=balances, payables_due=due), calm_problem(), 2)
    assert seen.finance.tax_payable == 700
    assert {day + 1: int(due) for day, due in enumerate(seen.finance.payments_due) if due} == {5: 100, 20: 750}
    balances[Account.TAX_PAYABLE] = 700
    assert observe(opened(balances=balances), calm_problem(), 2).finance.payments_due.sum() == 0


def test_history_gives_income_so_far_and_the_last_valuation() -> None:
    state = played(past_round(1, net_income=100, valuation=5.0), past_round(2, net_income=-30, valuation=7.0))
    seen = observe(state, calm_problem(), 3)
    assert (seen.finance.net_income, seen.finance.valuation, seen.round_number) == (70, 7.0, 3)


def test_goods_cost_is_the_moving_average_where_there_is_stock_and_material_cost_elsewhere() -> None:
    stock = np.zeros((12, 3), dtype=np.int64)
    stock[SKU_INDEX["NUT-500"]] = (0, 1_000, 500)
    value = np.zeros(12, dtype=np.int64)
    value[SKU_INDEX["NUT-500"]] = 1_800_00
    problem = calm_problem()
    seen = observe(opened(goods_stock=stock, goods_value=value), problem, 2)
    assert seen.goods_cost[0] == pytest.approx(1.2)
    first_week = material_prices(problem, 1)[0]
    assert seen.goods_cost[1] == seen.unit_cost[1] == pytest.approx(RECIPES[1] @ first_week / 1000)
    assert seen.material_prices[0, MATERIAL_INDEX["oats"]] == first_week[MATERIAL_INDEX["oats"]]


def test_investments_show_the_next_step_and_leave_out_what_is_used_up() -> None:
    plant = replace(opened().plant, capacity_steps=2, setup_cut=1, green_fleet=3)
    seen = observe(opened(plant=plant), calm_problem(), 2)
    shown = {option.kind: (option.steps_left, option.step, option.next_cost) for option in seen.investments}
    assert shown == {
        "capacity": (None, 1_000, 1_100_000_00),
        "setup_time": (4, 1, 75_000_00),
        "green_production": (3, 1, 10_000_00),
    }
    assert seen.setup_hours == 7.0


def test_an_outage_and_longer_setups_show_in_hours() -> None:
    problem = calm_problem(disturbance("capacity_outage", 0.25), disturbance("setup_time", 12))
    seen = observe(opened(problem), problem, 2)
    assert (seen.capacity_hours, seen.setup_hours) == (540.0, 12.0)


def test_an_announced_delay_lengthens_the_lead_range_of_vendor_a_only() -> None:
    problem = calm_problem(disturbance("supplier_delay", 4))
    assert observe(opened(problem), problem, 2).lead_ranges == ((6, 11), (1, 2))
    assert observe(opened(problem, round_number=2), problem, 2).lead_ranges == ((2, 7), (1, 2))


def test_a_delay_that_nobody_announced_shows_one_round_after_it_started() -> None:
    problem = calm_problem(replace(disturbance("supplier_delay", 3, 5), announced=False))
    assert observe(opened(problem), problem, 2).lead_ranges == ((2, 7), (1, 2))
    assert observe(opened(problem, round_number=2), problem, 2).lead_ranges == ((7, 12), (1, 2))


def test_distress_and_a_credit_freeze_are_told() -> None:
    problem = calm_problem(disturbance("credit_freeze", 1))
    seen = observe(opened(problem, credit=Credit(0.08, 1_00, distressed=True)), problem, 2)
    assert seen.finance.distressed
    assert seen.finance.credit_frozen
    assert (seen.finance.rating, seen.finance.credit_limit) == ("CCC", 1_00)
    assert seen.news == ("Banks lend nothing new and pay for no investment (this round only).",)


def test_what_all_firms_see_alike_is_one_object() -> None:
    left, right = (observe(opened(seat=seat), calm_problem(), 3) for seat in (0, 2))
    shared = ("firms", "news", "material_prices", "unit_cost", "lead_ranges", "market_study")
    assert all(getattr(left, name) is getattr(right, name) for name in shared)


def test_arrays_of_an_observation_are_read_only() -> None:
    seen = observe(opened(), calm_problem(), 2)
    arrays = [value for part in (seen, seen.finance) for value in vars(part).values() if isinstance(value, np.ndarray)]
    assert len(arrays) > 10
    assert not any(array.flags.writeable for array in arrays)
