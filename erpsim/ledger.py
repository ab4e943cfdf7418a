"""Double-entry bookkeeping of a round: int64 cents by firm, day and account, debits positive.

Every posting moves one amount from a credit to a debit account, so each day's row sums to zero by construction; the
trial balance is an invariant that tests and `check` hold, not a report. Arrays have the firms, if there are several,
on the axes written as "…", and every posting is one of each firm.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

import numpy as np

from erpsim.errors import InvariantError
from erpsim.units import DAYS, IntArray, frozen


class Account(IntEnum):
    """Accounts in balance-sheet order, then income, then expenses, then distributions."""

    CASH = 0
    RECEIVABLES = 1
    PREPAYMENTS = 2
    FOOD_STOCK = 3
    PACKAGING_STOCK = 4
    GOODS_STOCK = 5
    PLANT = 6
    BUILDINGS = 7
    LAND = 8
    PAYABLES = 9
    LOAN = 10
    TAX_PAYABLE = 11
    CAPITAL = 12
    RETAINED_EARNINGS = 13
    REVENUE = 14
    COST_OF_GOODS = 15
    LABOUR = 16
    OVERHEAD = 17
    ADMINISTRATION = 18
    MARKETING = 19
    FREIGHT = 20
    STORAGE = 21
    ORDER_FEES = 22
    INTEREST = 23
    DEPRECIATION = 24
    SETUP_INVESTMENT = 25
    GREEN_INVESTMENT = 26
    CARBON = 27
    TAX = 28
    DIVIDENDS = 29


ACCOUNTS: Final = len(Account)
ASSETS: Final = slice(Account.CASH, Account.PAYABLES)
LIABILITIES: Final = slice(Account.PAYABLES, Account.CAPITAL)
INCOME: Final = slice(Account.REVENUE, Account.DIVIDENDS)
"""Accounts whose sum is the negative of net income."""
BEFORE_TAX: Final = slice(Account.REVENUE, Account.TAX)


Balances = Sequence[int] | IntArray
"""One firm's accounts, (accounts,) cents."""


class Ledger:
    """The postings of one round, grown day by day while the round is settled.

    Attributes:
        opening: balances at the round's opening, (…, accounts) cents
        moves: what was posted, (…, days, accounts) cents
    """

    def __init__(self, opening: IntArray) -> None:
        self.opening = opening  # (…, accounts) cents
        # An account's days lie side by side.
        self._accounts: IntArray = np.zeros((ACCOUNTS, *opening.shape[:-1], DAYS), dtype=np.int64)
        self._days: list[IntArray] = list(self._accounts)  # (…, 30) of each account
        self.moves: IntArray = self._accounts.transpose(*range(1, self._accounts.ndim), 0)

    def post(self, day: int, debit: Account, credit: Account, amounts: IntArray | int) -> None:
        """Post one amount of cents on a day (0-based), (…); a negative amount posts the other way round."""
        self._days[debit][..., day] += amounts
        self._days[credit][..., day] -= amounts

    def post_days(self, debit: Account, credit: Account, amounts: IntArray | int) -> None:
        """Post one amount of cents on every day: (…, 30) by day, or the same on each."""
        debited, credited = self._days[debit], self._days[credit]
        np.add(debited, amounts, debited)
        np.subtract(credited, amounts, credited)

    def days(self, account: Account) -> IntArray:
        """What was posted on an account, (…, 30) cents."""
        return self._days[account]

    def balance(self, account: Account, day: int) -> IntArray:
        """Balance of an account after a day's (0-based) postings so far, (…) cents."""
        balance: IntArray = self.opening[..., account] + np.add.reduce(self.days(account)[..., : day + 1], axis=-1)
        return balance

    def closing(self) -> IntArray:
        """Balances after the round, (…, accounts) cents, read-only."""
        return frozen(self.opening + np.add.reduce(self._accounts, axis=-1).T)


def check(moves: IntArray, opening: IntArray) -> None:
    """Hold the trial balance: every day's postings and the opening balances sum to zero.

    Args:
        moves: (…, days, accounts) cents.
        opening: (…, accounts) cents.

    Raises:
        InvariantError: naming the first day that does not balance and by how much.
    """
    off = np.add.reduce(opening, axis=-1)
    if np.count_nonzero(off):
        raise InvariantError(f"opening balances sum to {off[off != 0][0]} cents, must be 0")
    off = np.add.reduce(moves, axis=-1)
    if np.count_nonzero(off):
        day = np.argwhere(off)[0, -1]
        raise InvariantError(f"postings of day {day + 1} sum to {off[off != 0][0]} cents, must be 0")


def close_round(balances: IntArray) -> IntArray:
    """Carry a round's income, expenses and dividends into retained earnings; (…, accounts) cents, read-only."""
    carried = balances.copy()
    carried[..., Account.RETAINED_EARNINGS] += np.add.reduce(carried[..., Account.REVENUE :], axis=-1)
    carried[..., Account.REVENUE :] = 0
    return frozen(carried)


def net_income(balances: Balances) -> int:
    """Net income in cents that the balances of one round's income and expense accounts hold."""
    return -int(sum(balances[INCOME]))


def equity(balances: Balances) -> int:
    """Book equity in cents: assets less liabilities."""
    return int(sum(balances[: Account.CAPITAL]))
