"""The close: interest day by day, overdraft into loan, tax on all profit so far, service, and what the bank sets."""

from collections.abc import Mapping

import numpy as np
import pytest

from erpsim.closing import accrue_tax, post_interest, remember_service, turn_overdraft_into_loan
from erpsim.ledger import ACCOUNTS, Account, Ledger
from erpsim.loans import assess, company_risk, net_debt
from erpsim.units import DAYS, IntArray


def _opening(amounts: Mapping[Account, int]) -> IntArray:
    """Balances of a single firm, (1, accounts) cents."""
    balances = np.zeros(ACCOUNTS, dtype=np.int64)
    for account, amount in amounts.items():
        balances[account] = amount
    balances[Account.CAPITAL] = -balances.sum()
    return balances[None]


def test_loan_path_over_two_knots_with_an_overdraft() -> None:
    # Net debt 5,000,000.00 loan + 26,041.75 payables - 1,026,041.75 cash = 4,000,000.00, half way between the knots at
    # 3.5 M (4.25 %) and 4.5 M (4.75 %): risk 4.5 %, loan 7.5 %, overdraft 11.5 %.
    ledger = Ledger(
        _opening(
            {
                Account.CASH: 1_026_041_75,
                Account.LOAN: -5_000_000_00,
                Account.PAYABLES: -26_041_75,
                Account.PLANT: 24_000_000_00,
            }
        )
    )
    risk = company_risk(net_debt(ledger.opening[0]))
    assert risk == pytest.approx(0.045)
    ledger.post(25, Account.LABOUR, Account.CASH, 900_000_00)
    ledger.post(26, Account.LABOUR, Account.CASH, 1_098_958_33)
    ledger.post(27, Account.LABOUR, Account.CASH, 500_000_00)
    ledger.post(28, Account.CASH, Account.REVENUE, 1_600_000_00)
    ledger.post(29, Account.LABOUR, Account.CASH, 1_096_075_95)
    post_interest(ledger, [risk])
    # Every day: 5,000,000.00 x 7.5 % / 360 = 1,041.67 on the loan.
    # Day 25: 1,026,041.75 - 25 x 1,041.67 = 1,000,000.00
    # Day 26: 1,000,000.00 - 900,000.00 = 100,000.00, less 1,041.67 = 98,958.33
    # Day 27: 98,958.33 - 1,098,958.33 = -1,000,000.00: x 11.5 % / 360 = 319.44; cash -1,001,361.11
    # Day 28: -1,501,361.11: 479.60; cash -1,502,882.38
    # Day 29: +97,117.62, covered; less 1,041.67 = 96,075.95
    # Day 30: -1,000,000.00: 319.44; cash -1,001,361.11
    assert ledger.moves[0, :, Account.INTEREST].tolist() == [1_041_67] * 26 + [1_361_11, 1_521_27, 1_041_67, 1_361_11]
    assert [int(ledger.balance(Account.CASH, day)[0]) for day in range(24, DAYS)] == [
        1_000_000_00,
        98_958_33,
        -1_001_361_11,
        -1_502_882_38,
        96_075_95,
        -1_001_361_11,
    ]
    turn_overdraft_into_loan(ledger)
    (balances,) = ledger.closing()
    assert balances[Account.CASH] == 0
    assert balances[Account.LOAN] == -6_001_361_11
    # Net debt 6,001,361.11 + 26,041.75 = 6,027,402.86, past the knots at 4.5 M and 5.5 M:
    # 5.00 % + 0.25 % x 0.52740286
    assert assess(balances).company_risk == pytest.approx(0.05 + 0.0025 * 0.52740286, rel=1e-12)


def test_cash_in_hand_at_the_close_leaves_the_loan_alone() -> None:
    ledger = Ledger(_opening({Account.CASH: 5, Account.LOAN: -9}))
    turn_overdraft_into_loan(ledger)
    assert not ledger.moves.any()


def test_interest_follows_the_loan_from_the_day_it_moves() -> None:
    ledger = Ledger(_opening({Account.CASH: 0, Account.LOAN: -3_600_000_00}))
    ledger.post(0, Account.CASH, Account.LOAN, 3_600_000_00)
    post_interest(ledger, [0.05])
    # 7,200,000.00 x 8 % / 360 = 1,600.00 from day 1
    assert ledger.moves[0, :, Account.INTEREST].tolist() == [1_600_00] * DAYS


@pytest.mark.parametrize(
    ("before", "after", "accrual"),
    [
        (0, 1_000_00, 250_00),
        (0, -1_000_00, -250_00),  # an asset
        (-1_000_00, 3_000_00, 1_000_00),  # of 750.00 in all, after 250.00 given back
        (-1_000_00, -600_00, 100_00),
        (1_000_00, 600_00, -100_00),
        (1, 2, 0),  # half a cent in all, to the even cent
        (0, 3, 1),
    ],
)
def test_tax_is_a_quarter_of_all_profit_so_far_less_what_was_accrued(before: int, after: int, accrual: int) -> None:
    ledger = Ledger(_opening({}))
    accrue_tax(ledger, [before], [after])
    assert ledger.moves[0, 29, Account.TAX] == accrual
    assert ledger.moves[0, 29, Account.TAX_PAYABLE] == -accrual
    assert not ledger.moves[0, :29].any()


def _cells(*units: int) -> IntArray:
    cells = np.zeros((12, 3), dtype=np.int64)
    cells[6] = units
    return cells


def test_service_is_half_remembered_and_half_the_rounds_fill_rate() -> None:
    # 0.5 x 1.0 + 0.5 x 0.75, 0.5 x 0.8 + 0.5 x 1 (all met), 0.5 x 0.6 + 0.5 x 0.5
    service = remember_service(np.array([1.0, 0.8, 0.6]), _cells(100, 40, 10), _cells(25, 0, 5))
    assert service.tolist() == pytest.approx([0.875, 0.9, 0.55])


def test_service_has_a_floor_and_counts_no_demand_as_met() -> None:
    # 0.5 x 0.6 + 0 is below the floor; 0.5 x 0.5 + 0.5 where nobody asked
    service = remember_service(np.array([0.6, 0.5, 1.0]), _cells(100, 0, 0), _cells(100, 0, 0))
    assert service.tolist() == pytest.approx([0.5, 0.75, 1.0])
