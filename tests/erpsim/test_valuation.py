"""Valuation: the worked example by hand, the guards of the growth formulas, the break-up value, never below zero."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim import valuation
from erpsim.ledger import ACCOUNTS, Account
from erpsim.valuation import Position

EXAMPLE = Position(earnings=20e6, book_value=30e6, company_risk=0.04, cash=0.0, loan=0.0)


def test_worked_example_of_the_dividend_discount_model() -> None:
    # ROE 2/3: g1 = min(0.3 x 2/3, 6 %) = 6 %, payout1 = 1 - 0.06 x 1.5 = 0.91, payout2 = 1 - 0.01 x 1.5 = 0.985
    # first five years 0.91 x 20 x [1 - (1.06/1.11)^5] / 0.05 = 74.937 M
    # after them       0.985 x 20 x 1.06^5 / (0.10 x 1.11^5)  = 156.436 M
    valued = valuation.value(EXAMPLE)
    assert valued.total == pytest.approx(231.373e6, abs=500)
    assert valued.ddm == valued.total
    assert valued.zero_growth == pytest.approx(20e6 / 0.11)


def test_cash_beyond_the_loan_counts_once_and_a_loan_beyond_cash_not_at_all() -> None:
    base = valuation.value(EXAMPLE).total
    assert valuation.value(replace(EXAMPLE, cash=9e6, loan=4e6)).total == pytest.approx(base + 5e6)
    assert valuation.value(replace(EXAMPLE, cash=4e6, loan=9e6)).total == pytest.approx(base)


def test_dividends_paid_count_in_full() -> None:
    assert valuation.value(replace(EXAMPLE, dividends_paid=3e6)).total == valuation.value(EXAMPLE).total + 3e6


def test_growth_below_the_cap_is_retention_times_return() -> None:
    # ROE 10 %: g1 = 3 %, payout1 = 0.7; ROE is below κ = 11 %: payout2 = 1 - 1/11
    expected = 0.7 * 2e6 * (1 - (1.03 / 1.11) ** 5) / 0.08 + (10 / 11) * 2e6 * 1.03**5 / (0.10 * 1.11**5)
    assert valuation.discounted_dividends(2e6, 20e6, 0.11) == pytest.approx(expected)


def test_book_value_is_at_least_a_million() -> None:
    floored = valuation.discounted_dividends(2e6, 1e6, 0.11)
    assert valuation.discounted_dividends(2e6, -50e6, 0.11) == floored


def test_annuity_takes_the_limit_form_where_rate_and_growth_meet() -> None:
    # five payments, each worth 1/1.06 today
    assert valuation.growing_annuity(0.06, 0.06, 5) == pytest.approx(5 / 1.06)
    assert valuation.growing_annuity(0.06 + 1e-6, 0.06, 5) == pytest.approx(5 / 1.06, rel=1e-5)


def test_annuity_is_the_sum_of_its_payments() -> None:
    payments = [1.06**year / 1.11 ** (year + 1) for year in range(5)]
    assert valuation.growing_annuity(0.11, 0.06, 5) == pytest.approx(sum(payments))


@pytest.mark.parametrize(
    ("growth", "price"),
    [
        (0.03, 1471.43),  # 100 x 1.03 / 0.07
        (0.0999, 3666.33),  # 100 x 1.0999 / 0.03, not / 0.0001
        (0.10, 3666.67),
        (0.12, 3733.33),
    ],
)
def test_g4_07_gordon_growth_keeps_a_minimum_spread(growth: float, price: float) -> None:
    assert valuation.gordon(100.0, 0.10, growth) == pytest.approx(price, abs=0.005)


def test_loss_maker_is_worth_its_break_up_value() -> None:
    loser = Position(
        earnings=-5e6,
        book_value=20e6,
        company_risk=0.05,
        cash=1e6,
        loan=8e6,
        receivables=2e6,
        stock=1e6,
        fixed_assets=25e6,
        payables=0.5e6,
        tax_payable=0.25e6,
    )
    # 1 + 0.9 x 2 + 0.6 x 1 + 0.5 x 25 - 8 - 0.5 - 0.25 = 7.15 M
    valued = valuation.value(loser)
    assert valued.total == pytest.approx(7.15e6)
    assert (valued.ddm, valued.zero_growth) == (0.0, 0.0)


def test_break_up_value_is_a_floor_for_small_earnings() -> None:
    valued = valuation.value(replace(EXAMPLE, earnings=1.0, fixed_assets=10e6))
    assert valued.total == valued.breakup == 5e6


def test_hopeless_firm_is_worth_nothing() -> None:
    assert valuation.value(replace(EXAMPLE, earnings=-1.0, loan=90e6)).total == 0.0


def test_position_reads_the_books_in_euros() -> None:
    balances = np.zeros(ACCOUNTS, dtype=np.int64)
    for account, amount in {
        Account.CASH: 1_00,
        Account.RECEIVABLES: 2_00,
        Account.PREPAYMENTS: 3_00,
        Account.FOOD_STOCK: 4_00,
        Account.PACKAGING_STOCK: 5_00,
        Account.GOODS_STOCK: 6_00,
        Account.PLANT: 7_00,
        Account.BUILDINGS: 8_00,
        Account.LAND: 9_00,
        Account.PAYABLES: -10_00,
        Account.LOAN: -11_00,
        Account.TAX_PAYABLE: -12_00,
    }.items():
        balances[account] = amount
    assert valuation.position(balances, (100, 200, 600), 50, 0.05) == Position(
        earnings=36.0,  # mean 3.00 a round, twelve rounds a year
        book_value=12.5,  # 45 of assets less 33 of debts, plus 0.50 paid out
        company_risk=0.05,
        cash=1.0,
        loan=11.0,
        dividends_paid=0.5,
        receivables=2.0,
        stock=15.0,
        fixed_assets=24.0,
        payables=10.0,
        tax_payable=12.0,
    )


MONEY = st.floats(-1e10, 1e10)
OWNED = st.floats(0, 1e10)


@given(
    st.builds(
        Position,
        earnings=MONEY,
        book_value=MONEY,
        company_risk=st.floats(0.03, 0.12),
        cash=MONEY,
        loan=OWNED,
        dividends_paid=OWNED,
        receivables=OWNED,
        stock=OWNED,
        fixed_assets=OWNED,
        payables=OWNED,
        tax_payable=MONEY,
    )
)
def test_valuation_is_finite_and_never_negative(position: Position) -> None:
    valued = valuation.value(position)
    assert all(math.isfinite(part) and part >= 0 for part in valued)
    assert valued.total >= valued.breakup + position.dividends_paid
