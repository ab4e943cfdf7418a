"""Whole rounds of whole markets: what must hold whatever is decided."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpsim.catalogue import ACTIVE
from erpsim.decision import Decision
from erpsim.ledger import Account, check, equity
from erpsim.offer import Sales
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.result import FirmRound, Settled
from erpsim.round import Cleared, clear, fallback, observe, open_firm, plan, repair, settle
from erpsim.state import FirmState
from tests.erpsim.samples import calm_problem, decision, disturbance
from tests.erpsim.strategies import decisions, working_decisions

STORMY = calm_problem(
    disturbance("capacity_outage", 0.45, 0.2),
    disturbance("supplier_delay", 6.0, 6.0),
    disturbance("credit_freeze", 1.0, start=2),
    disturbance("demand_slump", -0.4, start=2),
    disturbance("carbon_price", 0.3, start=2),
    cash=1_500_000,
)


@dataclass(frozen=True)
class Played:
    """One firm's round: what it started from and what became of it."""

    before: FirmState
    planned: Plan
    sales: Sales
    settled: Settled

    @property
    def result(self) -> FirmRound:
        return self.settled.result


def play(problem: Problem, states: list[FirmState], asked: list[Decision]) -> tuple[list[Played], Cleared]:
    """Play one round of a market."""
    planned = [
        plan(state, problem, repair(state, problem, proposal).decision)
        for state, proposal in zip(states, asked, strict=True)
    ]
    cleared = clear(problem, states[0].round_number, [one.offer for one in planned])
    rows = zip(states, planned, cleared.sales, strict=True)
    return [Played(*row, settle(row[0], problem, row[1], row[2])) for row in rows], cleared


markets = st.lists(st.lists(st.one_of(decisions, working_decisions), min_size=2, max_size=2), min_size=3, max_size=3)
"""Three firms' decisions of two rounds."""


@settings(max_examples=40)
@given(markets, st.booleans())
def test_books_goods_and_markets_hold_whatever_is_decided(asked: list[list[Decision]], stormy: bool) -> None:
    problem = STORMY if stormy else calm_problem()
    states = [open_firm(problem, seat) for seat in range(3)]
    for round_number in range(2):
        rows, cleared = play(problem, states, [firm[round_number] for firm in asked])
        for row in rows:
            assert_money_holds(row)
            assert_units_hold(row)
            assert_value_is_sane(row)
        assert_market_holds(rows, cleared)
        states = [row.settled.state for row in rows]


def assert_money_holds(row: Played) -> None:
    """Postings balance by day; cash is its opening and all its entries; what is due is what the accounts say."""
    after, moves = row.settled.state, row.result.moves
    check(moves, row.before.balances)
    closing = row.before.balances + moves.sum(axis=0)
    assert closing.sum() == 0
    assert row.result.cash == row.before.balances[Account.CASH] + moves[:, Account.CASH].sum() >= 0
    assert row.result.equity == equity(after.balances) == equity(closing)
    assert after.balances.sum() == 0
    assert after.receivables_due.sum() == after.balances[Account.RECEIVABLES]
    assert after.payables_due.sum() == -after.balances[Account.PAYABLES]
    prepaid = sum(order.value for order in after.open_orders if order.prepaid)
    assert prepaid == after.balances[Account.PREPAYMENTS]
    assert after.material_value.sum() == after.balances[Account.FOOD_STOCK] + after.balances[Account.PACKAGING_STOCK]
    assert after.goods_value.sum() == after.balances[Account.GOODS_STOCK]
    assert row.result.loan == -after.balances[Account.LOAN] >= 0


def assert_units_hold(row: Played) -> None:
    """Per SKU and day: opening + arrivals − sold = closing, never below zero; materials in = used + left."""
    after, offer = row.settled.state, row.planned.offer
    stock = offer.opening_stock + np.cumsum(offer.arrivals - row.sales.sold, axis=0)
    assert (stock >= 0).all()
    assert (row.result.goods_end == stock[-1]).all()
    assert (after.goods_stock == stock[-1] + row.planned.arrivals[30]).all()
    made = row.planned.schedule.output.sum()
    assert row.planned.arrivals.sum() == made == row.planned.sent.sum()
    materials = row.before.material_stock + np.cumsum(row.planned.receipts - row.planned.schedule.usage, axis=0)
    assert (materials >= 0).all()
    assert (after.material_stock == materials[-1]).all()
    assert (after.material_value >= 0).all()
    assert ((after.material_stock > 0) | (after.material_value == 0)).all()
    assert ((after.goods_stock.sum(axis=1) > 0) | (after.goods_value == 0)).all()


def assert_value_is_sane(row: Played) -> None:
    """Valuations are finite and never negative, rates and shares are fractions."""
    result = row.result
    assert math.isfinite(result.valuation)
    assert result.valuation >= 0
    assert result.valuation_zero_growth >= 0
    assert 0.03 <= result.company_risk <= 0.12
    assert 0 <= result.fill_rate <= 1
    assert (row.settled.state.service >= 0.5).all()
    assert (row.settled.state.service <= 1).all()


def assert_market_holds(rows: list[Played], cleared: Cleared) -> None:
    """Own books: first + unmet = demanded; the market's: unmet of sold-out cells = received + lost; shares sum to 1."""
    for row in rows:
        sales = row.sales
        assert (sales.sold - sales.received + sales.unmet == sales.demanded).all()
        assert not sales.demanded[:, ~ACTIVE].any()
    received = sum(row.sales.received.sum(axis=1) for row in rows)
    assert (cleared.books.unmet_sold_out == received + cleared.books.lost).all()
    report = rows[0].sales.report
    total = report.shares.sum(axis=0)
    assert np.isclose(total, (report.volume > 0).astype(float)).all()


def test_six_fallback_firms_play_alike_to_the_end() -> None:
    problem = calm_problem()
    states = [open_firm(problem, seat) for seat in range(6)]
    for _ in range(problem.horizon):
        rows, _ = play(problem, states, [fallback(observe(state, problem, 6)) for state in states])
        states = [row.settled.state for row in rows]
        values = {row.result.valuation for row in rows}
        assert len(values) == 1
    assert states[0].round_number == problem.horizon + 1
    assert values.pop() > 10_000_000


def test_one_firms_decision_changes_another_firm_only_through_the_market() -> None:
    problem = calm_problem()
    states = [open_firm(problem, seat) for seat in range(2)]
    calm, _ = play(problem, states, [Decision(), Decision()])
    asked = decision(finance={"borrow": 1_000_000}, purchase_orders=[{"material": "oats", "quantity": 90_000}])
    busy, _ = play(problem, states, [asked, Decision()])
    assert busy[0].result.loan > calm[0].result.loan
    assert busy[1].result.moves.tolist() == calm[1].result.moves.tolist()


def test_idle_firm_loses_its_fixed_costs_and_interest_to_the_cent() -> None:
    problem = calm_problem()
    (idle,), _ = play(problem, [open_firm(problem, 0)], [Decision()])
    # 30 days of 15,000 fixed cost, depreciation 24 M / 3,600 + 1.5 M / 9,000, carbon 900 kg at 0.08, interest on 8 M
    # at 3 % + company risk at 5 M net debt (4.875 %), then 25 % tax credit on it all
    depreciation = 30 * (round(24e8 / 3600) + round(1.5e8 / 9000))
    interest = 30 * round(8e8 * 0.07875 / 360)
    loss = 30 * 1_500_000 + depreciation + 30 * 900 * 8 + interest
    assert idle.result.net_income == pytest.approx(-0.75 * loss, abs=1)
    assert idle.result.cash == 300_000_000 - (loss - depreciation)
