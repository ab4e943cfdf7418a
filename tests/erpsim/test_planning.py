"""From an executed decision to an offer: prices, goodwill, arrivals and money by day."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from erpsim.catalogue import CHANNEL_INDEX, SKU_INDEX
from erpsim.decision import Decision
from erpsim.feasibility import repair
from erpsim.plan import FinanceMoves, Plan
from erpsim.planning import line_of, plan, price_array
from erpsim.state import FirmState
from erpsim.units import frozen
from tests.erpsim.samples import calm_problem, decision, disturbance, opened

PROBLEM = calm_problem()
GROCERY = CHANNEL_INDEX["grocery"]


def _planned(asked: Decision, state: FirmState | None = None) -> Plan:
    firm = state or opened()
    return plan(firm, PROBLEM, repair(firm, PROBLEM, asked).decision)


def _stocked() -> FirmState:
    return opened(material_stock=frozen(opened().material_stock + 1_000_000))


def test_offer_has_the_prices_asked_and_list_prices_in_inactive_cells() -> None:
    offer = _planned(decision(prices={"NUT-500": 4.2})).offer
    assert offer.prices[SKU_INDEX["NUT-500"]].tolist() == [3.90, 4.2, 4.2]
    assert offer.prices[SKU_INDEX["NUT-1000"]].tolist() == [4.61, 4.61, 4.61]


def test_a_price_for_all_channels_is_for_executed_decisions_by_channel_only() -> None:
    assert price_array(Decision(prices={"NUT-500": 9.0}))[0].tolist() == [3.90, 3.90, 3.90]


def test_goodwill_grows_by_a_twentieth_of_the_days_spend_and_fades() -> None:
    # 36,000 EUR over 30 days and 12 SKUs: 100 EUR a day and cell. G1 = 5, G2 = 0.95 x 5 + 5 = 9.75
    grocery = decision(marketing=[{"channel": "grocery", "amount": 36_000}])
    goodwill = _planned(grocery).offer.goodwill
    assert goodwill[:2, :, GROCERY] == pytest.approx(np.array([[5.0] * 12, [9.75] * 12]))
    assert not goodwill[:, :, CHANNEL_INDEX["independent"]].any()
    # goodwill of 40 with no spending: 38, 36.1
    faded = _planned(Decision(), opened(goodwill=frozen(np.full((12, 3), 40.0)))).offer.goodwill
    assert faded[:2, 0, GROCERY] == pytest.approx([38.0, 36.1])


def test_marketing_of_one_sku_goes_to_its_cell_alone() -> None:
    asked = decision(marketing=[{"channel": "grocery", "sku": "RAISIN-500", "amount": 3_000}])
    goodwill = _planned(asked).offer.goodwill
    assert goodwill[0, SKU_INDEX["RAISIN-500"], GROCERY] == pytest.approx(5.0)
    assert np.count_nonzero(goodwill[0]) == 1


def test_marketing_is_paid_evenly_and_exact_in_sum() -> None:
    planned = _planned(decision(marketing=[{"channel": "grocery", "amount": 100.0}]))
    assert planned.marketing.sum() == 10_000
    assert set(planned.marketing.tolist()) == {333, 334}


def test_output_is_on_sale_on_the_morning_after_by_the_shares_asked() -> None:
    items = [{"sku": "NUT-500", "quantity": 24_000, "distribution": {"grocery": 3, "independent": 1}}]
    planned = _planned(decision(production=items), _stocked())
    # 8 h of setup leave 16 h: 16,000 units on day 1, 8,000 on day 2
    assert planned.schedule.output.tolist()[0][:3] == [16_000, 8_000, 0]
    arrivals = planned.offer.arrivals[:, SKU_INDEX["NUT-500"]]
    assert arrivals[:4].tolist() == [[0, 0, 0], [0, 12_000, 4_000], [0, 6_000, 2_000], [0, 0, 0]]
    assert planned.arrivals.shape == (31, 12, 3)
    assert planned.sent[:3].tolist() == [16_000, 8_000, 0]


def test_distribution_left_out_follows_expected_demand() -> None:
    planned = _planned(decision(production=[{"sku": "NUT-500", "quantity": 16_000}]), _stocked())
    sent = planned.offer.arrivals[1, 0]
    assert sent[0] == 0
    assert sent.sum() == 16_000
    assert min(sent[1:]) > 3_000


def test_setup_cut_bought_this_round_works_at_once_and_disturbance_adds_to_it() -> None:
    cut = decision(finance={"investments": [{"kind": "setup_time", "amount": 3}]})
    assert line_of(opened(), PROBLEM, Decision()).setup_hours == 8
    assert line_of(opened(), PROBLEM, cut).setup_hours == 5
    slow = calm_problem(disturbance("setup_time", 12.0))
    assert line_of(opened(slow), slow, cut).setup_hours == 9


def test_money_of_finance_actions_is_in_cents() -> None:
    planned = _planned(decision(finance={"borrow": 1_000.25, "repay": 7}))
    assert planned.finance == FinanceMoves(100_025, 700, 0)


def test_investments_count_steps_of_each_kind_once() -> None:
    kinds = [("capacity", 2_000), ("green_fleet", 1), ("green_production", 2), ("setup_time", 1), ("green_fleet", 1)]
    investments = [{"kind": kind, "amount": amount} for kind, amount in kinds]
    rich = opened(calm_problem(cash=30_000_000))
    planned = _planned(decision(finance={"investments": investments}), rich)
    assert planned.investments == replace(
        planned.investments,
        capacity_steps=2,
        capacity_cost=205_000_000,
        setup_hours=1,
        setup_cost=5_000_000,
        green_production=2,
        green_fleet=2,
        green_cost=4_000_000,
    )


def test_huge_weights_of_a_distribution_are_shares_all_the_same() -> None:
    items = [{"sku": "NUT-500", "quantity": 16_000, "distribution": {"grocery": 8e307, "independent": 8e307}}]
    planned = _planned(decision(production=items), _stocked())
    assert planned.offer.arrivals[1, 0].tolist() == [0, 8_000, 8_000]
