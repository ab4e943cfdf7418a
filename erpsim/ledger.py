"""Double-entry bookkeeping of one firm and round: int64 cents by day and account, debits positive.

Every posting moves one amount from a credit to a debit account, so each day's row sums to zero by construction; the
trial balance is an invariant that tests and `check` hold, not a report.
"""

from __future__ import annotations

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


class Ledger:
    """The postings of one round, grown day by day while the round is settled.

    Attributes:
        opening: balances at the round's opening, (accounts,) cents
        moves: what was posted, (days, accounts) cents
    """

    def __init__(self, opening: IntArray) -> None:
        self.opening = opening  # (accounts,) cents
        self._accounts: IntArray = np.zeros((ACCOUNTS, DAYS), dtype=np.int64)  # an account's days lie side by side
        self.moves: IntArray = self._accounts.T

    def post(self, day: int, debit: Account, credit: Account, amount: int) -> None:
        """Post one amount of cents on a day (0-based); a negative amount posts the other way round."""
        self.moves[day, debit] += amount
        self.moves[day, credit] -= amount

    def post_days(self, debit: Account, credit: Account, amounts: IntArray | int) -> None:
        """Post one amount of cents on every day: (30,) by day, or the same on each."""
        debited, credited = self._accounts[debit], self._accounts[credit]
        debited += amounts
        credited -= amounts

    def balance(self, account: Account, day: int) -> int:
        """Balance of an account in cents after a day's (0-based) postings so far."""
        return int(self.opening[account] + np.add.reduce(self._accounts[account, : day + 1]))

    def closing(self) -> IntArray:
        """Balances after the round, (accounts,) cents, read-only."""
        return frozen(self.opening + np.add.reduce(self._accounts, axis=1))


def check(moves: IntArray, opening: IntArray) -> None:
    """Hold the trial balance: every day's postings and the opening balances sum to zero.

    Raises:
        InvariantError: naming the first day that does not balance and by how much.
    """
    if off := int(np.add.reduce(opening)):
        raise InvariantError(f"opening balances sum to {off} cents, must be 0")
    for day in np.add.reduce(moves, axis=1).nonzero()[0]:
        raise InvariantError(f"postings of day {day + 1} sum to {int(moves[day].sum())} cents, must be 0")


def close_round(balances: IntArray) -> IntArray:
    """Carry a round's income, expenses and dividends into retained earnings; (accounts,) cents, read-only."""
    carried = balances.copy()
    carried[Account.RETAINED_EARNINGS] += np.add.reduce(carried[Account.REVENUE :])
    carried[Account.REVENUE :] = 0
    return frozen(carried)


def net_income(balances: IntArray) -> int:
    """Net income in cents that the balances of one round's income and expense accounts hold."""
    return -int(np.add.reduce(balances[INCOME]))


def equity(balances: IntArray) -> int:
    """Book equity in cents: assets less liabilities."""
    return int(np.add.reduce(balances[: Account.CAPITAL]))
