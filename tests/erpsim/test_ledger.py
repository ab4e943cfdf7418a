"""The ledger: every posting balances, balances are exact cents, and a round is carried into retained earnings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.errors import InvariantError
from erpsim.ledger import ACCOUNTS, ASSETS, LIABILITIES, Account, Ledger, check, close_round, equity, net_income
from erpsim.units import DAYS, IntArray, cents


def _opening(**amounts: int) -> IntArray:
    balances = np.zeros(ACCOUNTS, dtype=np.int64)
    for name, amount in amounts.items():
        balances[Account[name]] = amount
    balances[Account.CAPITAL] -= balances.sum()
    return balances


def test_g4_15_ten_deposits_of_a_tenth_and_one_withdrawal_of_one_leave_exactly_nothing() -> None:
    ledger = Ledger(_opening())
    for day in range(10):
        ledger.post(day, Account.CASH, Account.REVENUE, cents(0.1))
    ledger.post(10, Account.LABOUR, Account.CASH, cents(1.0))
    assert ledger.balance(Account.CASH, 9) == 100
    assert ledger.balance(Account.CASH, 10) == 0
    assert net_income(ledger.closing()) == 0


def test_g4_15_a_loan_repaid_in_three_thirds_closes_at_exactly_zero() -> None:
    ledger = Ledger(_opening(CASH=1_000_00))
    ledger.post(0, Account.CASH, Account.LOAN, cents(100.0))
    third = cents(100 / 3)
    for day, amount in enumerate((third, third, cents(100.0) - 2 * third)):
        ledger.post(day, Account.LOAN, Account.CASH, amount)
    assert ledger.closing()[Account.LOAN] == 0
    assert ledger.closing()[Account.CASH] == 1_000_00


def test_a_negative_amount_posts_the_other_way_round() -> None:
    ledger = Ledger(_opening())
    ledger.post(3, Account.TAX, Account.TAX_PAYABLE, -70)
    assert ledger.moves[3, Account.TAX_PAYABLE] == 70
    assert ledger.moves[3, Account.TAX] == -70


def test_days_are_posted_one_by_one_or_all_alike() -> None:
    ledger = Ledger(_opening(CASH=1_000))
    ledger.post_days(Account.LABOUR, Account.CASH, 10)
    ledger.post_days(Account.FREIGHT, Account.CASH, np.arange(DAYS))
    assert ledger.balance(Account.CASH, 0) == 1_000 - 10
    assert ledger.balance(Account.CASH, 2) == 1_000 - 30 - (0 + 1 + 2)
    assert ledger.closing()[Account.LABOUR] == 300


def test_firms_are_posted_together_and_each_for_itself() -> None:
    ledger = Ledger(np.stack([_opening(CASH=1_000), _opening(CASH=50, LOAN=-9)]))
    ledger.post(3, Account.CASH, Account.REVENUE, np.array([70, -8]))
    ledger.post_days(Account.LABOUR, Account.CASH, np.array([[1], [2]]) * np.arange(DAYS))
    ledger.post(29, Account.DIVIDENDS, Account.CASH, np.array([5, 0]))
    ledger.post(29, Account.LOAN, Account.CASH, np.array([0, 9]))
    assert ledger.balance(Account.CASH, 3).tolist() == [1_000 + 70 - 6, 50 - 8 - 12]
    assert ledger.closing()[:, Account.DIVIDENDS].tolist() == [5, 0]
    assert ledger.closing()[:, Account.LOAN].tolist() == [0, 0]
    assert ledger.closing()[:, Account.CASH].tolist() == [1_000 + 70 - 435 - 5, 50 - 8 - 870 - 9]
    check(ledger.moves, ledger.opening)
    ledger.moves[1, 6, Account.CASH] += 3
    with pytest.raises(InvariantError, match="postings of day 7 sum to 3 cents"):
        check(ledger.moves, ledger.opening)


def test_closing_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Ledger(_opening()).closing()[0] = 1


def test_check_names_the_day_that_does_not_balance() -> None:
    ledger = Ledger(_opening(CASH=5))
    check(ledger.moves, ledger.opening)
    ledger.moves[6, Account.CASH] += 3
    with pytest.raises(InvariantError, match="postings of day 7 sum to 3 cents"):
        check(ledger.moves, ledger.opening)


def test_check_names_an_opening_that_does_not_balance() -> None:
    opening = _opening(CASH=5)
    opening[Account.CASH] += 1
    with pytest.raises(InvariantError, match="opening balances sum to 1 cents"):
        check(Ledger(opening).moves, opening)


def test_close_carries_income_and_dividends_into_retained_earnings() -> None:
    ledger = Ledger(_opening(CASH=1_000, RETAINED_EARNINGS=-40))
    ledger.post(0, Account.CASH, Account.REVENUE, 500)
    ledger.post(0, Account.LABOUR, Account.CASH, 200)
    ledger.post(0, Account.TAX, Account.TAX_PAYABLE, 75)
    ledger.post(0, Account.DIVIDENDS, Account.CASH, 30)
    balances = ledger.closing()
    assert net_income(balances) == 500 - 200 - 75
    carried = close_round(balances)
    assert carried[Account.RETAINED_EARNINGS] == -40 - 225 + 30
    assert not carried[Account.REVENUE :].any()
    assert carried.sum() == 0
    assert equity(carried) == 1_000 + 500 - 200 - 30 - 75


@given(
    st.lists(
        st.tuples(
            st.integers(0, DAYS - 1),
            st.sampled_from(Account),
            st.sampled_from(Account),
            st.integers(-(10**12), 10**12),
        )
    )
)
def test_any_postings_balance_on_every_day(postings: list[tuple[int, Account, Account, int]]) -> None:
    opening = _opening(CASH=7, LOAN=-9)
    ledger = Ledger(opening)
    for posting in postings:
        ledger.post(*posting)
    check(ledger.moves, ledger.opening)
    carried = close_round(ledger.closing())
    assert carried.sum() == 0
    assert carried[ASSETS].sum() + carried[LIABILITIES].sum() == equity(carried)
    assert equity(carried) == -carried[Account.CAPITAL] - carried[Account.RETAINED_EARNINGS]
