from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from erpsim.observation import FinanceView, Observation
from erpsim.tool_arguments import Arguments
from erpsim.view_finance import carbon_view, finance_view
from tests.erpsim.histories import past_round, seen


def with_money(observation: Observation, **changes: Any) -> Observation:
    finance: FinanceView = replace(observation.finance, **changes)
    return replace(observation, finance=finance)


def test_the_position_is_told_in_euros() -> None:
    position = finance_view(seen(), Arguments())["position"]
    assert (position["cash"], position["loan"], position["equity"]) == (3_000_000, 8_000_000, 21_000_000)
    assert position["valuation"] is None
    assert (position["company_risk"], position["loan_rate"], position["overdraft_rate"]) == (0.04875, 0.07875, 0.11875)


def test_funds_are_cash_beyond_payables_and_unused_credit() -> None:
    due = np.zeros(30, dtype=np.int64)
    due[3], due[19] = 400_000_00, 70_000_00
    observation = with_money(seen(), payments_due=due, tax_payable=70_000_00)
    limits = finance_view(observation, Arguments())["limits"]
    assert limits == {"funds": 2_600_000 + 2_500_000, "borrow": 2_500_000, "repay": 3_000_000, "dividend": 0}


def test_dividends_come_from_own_cash_and_earnings_only() -> None:
    observation = with_money(
        seen(), cash=9_000_000_00, loan=8_000_000_00, net_income=600_000_00, dividends_paid=100_000_00
    )
    assert finance_view(observation, Arguments())["limits"]["dividend"] == 500_000


def test_a_distressed_or_frozen_firm_may_not_borrow_or_invest() -> None:
    distressed = finance_view(with_money(seen(), distressed=True), Arguments())
    frozen = finance_view(with_money(seen(), credit_frozen=True), Arguments())
    assert distressed["limits"] == {"funds": 3_000_000, "borrow": 0, "repay": 3_000_000, "dividend": 0}
    assert frozen["limits"]["borrow"] == 0
    assert not any(row["allowed"] for view in (distressed, frozen) for row in view["investments"])
    assert all(row["allowed"] for row in finance_view(seen(), Arguments())["investments"])


def test_cash_due_follows_collections_payments_and_fixed_costs() -> None:
    collections, payments = np.zeros(30, dtype=np.int64), np.zeros(30, dtype=np.int64)
    collections[1], payments[4] = 100_000_00, 30_000_00
    observation = with_money(seen(), collections_due=collections, payments_due=payments)
    assert finance_view(observation, Arguments())["cash_due"] == [
        {"day": 2, "collections": 100_000, "payments": 0, "cash_after": 3_000_000 + 100_000 - 2 * 15_000},
        {"day": 5, "collections": 0, "payments": 30_000, "cash_after": 3_070_000 - 5 * 15_000},
        {"day": 30, "collections": 0, "payments": 0, "cash_after": 3_070_000 - 30 * 15_000},
    ]


def test_income_is_told_by_round() -> None:
    view = finance_view(seen(past_round(revenue=500_00, net_income=-20_00)), Arguments(parts=("income",)))
    assert view["income"] == [
        {
            "round": 1, "revenue": 500, "cost_of_goods": 0, "marketing": 0, "carbon_cost": 2_160, "net_income": -20,
            "dividends": 0, "valuation": 1_000_000,
        }
    ]  # fmt: skip
    assert set(view) == {"round", "currency", "income"}


def test_depreciation_is_that_of_plant_and_buildings() -> None:
    costs = finance_view(seen(), Arguments())["costs"]
    assert costs["depreciation_per_day"] == round(24_000_000 / 3_600 + 1_500_000 / 9_000)
    assert costs["fixed_per_day"] == 15_000


def test_carbon_of_the_first_round_has_no_past() -> None:
    view = carbon_view(seen(), Arguments())
    assert view["last_round"] is None
    assert view["price_eur_per_kg"] == 0.08
    assert view["steps"]["green_production"]["saved_kg"] is None
    assert view["steps"]["green_fleet"]["next_cost_eur"] == 10_000


def test_a_green_step_would_have_saved_its_cut_of_last_rounds_emissions() -> None:
    """100,000 units: 30,000 kg of production, 25,000 kg of freight; scope 1 holds 20,000 kg of what else there was."""
    produced = np.zeros(12, dtype=np.int64)
    produced[0] = 100_000
    view = carbon_view(seen(past_round(produced=produced, carbon_kg=(75_000.0, 15_000.0, 12_000.0))), Arguments())
    assert view["last_round"] == {
        "round": 1, "scope1_kg": 75_000, "scope2_kg": 15_000, "scope3_kg": 12_000, "cost_eur": 2_160
    }  # fmt: skip
    production, fleet = view["steps"]["green_production"], view["steps"]["green_fleet"]
    assert production["saved_kg"] == [4_500, 4_500]
    assert production["saved_eur"] == [360, 360]
    assert fleet["saved_kg"] == [pytest.approx(25_000 * 0.15), pytest.approx(45_000 * 0.15)]


def test_steps_that_are_bought_count_in_what_the_next_one_saves() -> None:
    """Two steps each leave 0.7: production 21,000 kg, so the fleet at most 31,500 kg of what would have been 45,000."""
    produced = np.zeros(12, dtype=np.int64)
    produced[0] = 100_000
    observation = seen(past_round(produced=produced, carbon_kg=(52_500.0, 15_000.0, 12_000.0)))
    observation = replace(observation, plant=replace(observation.plant, green_production=2, green_fleet=2))
    steps = carbon_view(observation, Arguments())["steps"]
    assert steps["green_production"]["saved_kg"] == [4_500, 4_500]
    assert steps["green_fleet"]["saved_kg"] == [3_750, 6_750]


def test_a_step_that_is_used_up_has_no_price() -> None:
    view = carbon_view(seen(past_round(), investments=()), Arguments())
    assert view["steps"]["green_fleet"] == {
        "bought": 0, "steps_left": 0, "next_cost_eur": None, "cut": 0.15, "emissions": "freight and pickup",
        "saved_kg": None, "saved_eur": None,
    }  # fmt: skip
