"""The bank's side: the risk line at and between its knots, letters, rates, interest and the limit."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim import loans
from erpsim.ledger import ACCOUNTS, Account
from erpsim.units import IntArray

MILLION = 100_000_000  # cents


def _balances(**amounts: int) -> IntArray:
    balances = np.zeros(ACCOUNTS, dtype=np.int64)
    for name, amount in amounts.items():
        balances[Account[name]] = amount
    balances[Account.CAPITAL] = -balances.sum()
    return balances


@pytest.mark.parametrize(
    ("millions", "percent"),
    [
        (-9.0, 3.00), (0.0, 3.00), (0.5, 3.00), (1.5, 3.75), (2.5, 4.00), (3.5, 4.25), (4.5, 4.75), (5.5, 5.00),
        (6.5, 5.25), (7.5, 5.75), (8.5, 6.00), (9.5, 6.25), (11.5, 6.50), (14.5, 7.00), (17.5, 7.50), (41.5, 11.50),
        (44.5, 12.00), (44.6, 12.00), (9_000.0, 12.00),
    ],
)  # fmt: skip
def test_risk_at_a_knot_is_the_knots(millions: float, percent: float) -> None:
    assert loans.company_risk(int(millions * MILLION)) == percent / 100


@pytest.mark.parametrize(
    ("millions", "percent"),
    [
        (1.0, 3.375),  # half way from 3.00 to 3.75
        (5.0, 4.875),  # half way from 4.75 to 5.00
        (10.0, 6.3125),  # a quarter of the way from 6.25 at 9.5 to 6.50 at 11.5
        (12.5, 6.0 + 2 / 3),  # a third of the way from 6.50 at 11.5 to 7.00 at 14.5
        (43.0, 11.75),  # half way from 11.50 to 12.00
    ],
)
def test_risk_between_knots_is_on_the_straight_line(millions: float, percent: float) -> None:
    assert loans.company_risk(int(millions * MILLION)) == pytest.approx(percent / 100, rel=1e-12)


@given(st.integers(-60 * MILLION, 60 * MILLION))
def test_no_euro_moves_the_risk_by_more_than_a_hair(net_debt: int) -> None:
    step = loans.company_risk(net_debt + 100) - loans.company_risk(net_debt)
    # the steepest piece rises 0.75 points a million
    assert 0 <= step <= 0.0075 / 1e6 + 1e-15


@pytest.mark.parametrize(
    ("percent", "letter"),
    [
        (3.00, "AAA+"), (3.01, "AAA"), (3.75, "AA+"), (4.00, "AA"), (4.01, "AA-"), (4.25, "AA-"), (4.75, "A+"),
        (4.875, "A"), (5.00, "A"), (5.25, "A-"), (5.26, "BBB+"), (5.75, "BBB+"), (6.00, "BBB"), (6.25, "BBB-"),
        (6.26, "BB"), (6.50, "BB"), (7.00, "B"), (7.50, "CCC"), (9.00, "CC"), (12.00, "C"),
    ],
)  # fmt: skip
def test_rating_is_a_label_of_the_risk(percent: float, letter: str) -> None:
    assert loans.rating(percent / 100) == letter


def test_letters_never_improve_with_risk() -> None:
    risks = [letter.risk for letter in loans.RATINGS]
    assert all(left < right for left, right in itertools.pairwise(risks))
    assert len({letter.label for letter in loans.RATINGS}) == len(risks)


def test_loan_costs_three_points_over_risk_and_overdraft_four_more() -> None:
    assert loans.loan_rate(0.0525) == pytest.approx(0.0825)
    assert loans.overdraft_rate(0.0525) == pytest.approx(0.1225)


@given(st.lists(st.tuples(st.integers(-(10**13), 10**13), st.floats(0, 1)), min_size=1))
def test_interest_on_many_loans_is_that_on_each(rows: list[tuple[int, float]]) -> None:
    principals, rates = (np.array(column) for column in zip(*rows, strict=True))
    assert loans.interest_array(principals, rates).tolist() == [loans.interest(*row) for row in rows]


def test_a_days_interest_on_eight_million_at_7_875_percent() -> None:
    # 8,000,000 EUR x 0.07875 / 360 = 1,750.00 EUR
    assert loans.interest(800_000_000, 0.07875) == 175_000


@pytest.mark.parametrize(
    ("equity", "percent", "limit"),
    [
        (21 * MILLION, 5.25, 1_050_000_000),
        (21 * MILLION, 5.26, 787_500_000),
        (21 * MILLION, 6.25, 787_500_000),
        (21 * MILLION, 6.26, 525_000_000),
        (21 * MILLION, 12.00, 525_000_000),
        (-1, 3.00, 0),
        (3, 3.00, 1),  # whole cents, downward
    ],
)
def test_limit_is_a_share_of_equity_by_risk(equity: int, percent: float, limit: int) -> None:
    assert loans.credit_limit(equity, percent / 100) == limit


def test_net_debt_counts_loan_payables_and_tax_less_cash_and_receivables() -> None:
    balances = _balances(CASH=300, RECEIVABLES=200, GOODS_STOCK=7, LOAN=-800, PAYABLES=-90, TAX_PAYABLE=-10)
    assert loans.net_debt(balances) == 800 + 90 + 10 - 300 - 200


def test_a_loan_above_the_limit_is_distress_and_at_the_limit_is_not() -> None:
    # 8 M loan less 3 M cash is 5 M net debt: 4.875 %, so the limit is half of equity
    sound = loans.assess(_balances(CASH=3 * MILLION, PLANT=21 * MILLION, LOAN=-8 * MILLION))
    assert sound.company_risk == pytest.approx(0.04875)
    assert (sound.limit, sound.distressed) == (8 * MILLION, False)
    over = loans.assess(_balances(CASH=3 * MILLION, PLANT=21 * MILLION - 2, LOAN=-8 * MILLION))
    assert (over.limit, over.distressed) == (8 * MILLION - 1, True)
