"""What a firm may spend in a round without any forecast, granted line by line until it is used up."""

from __future__ import annotations

from typing import Final

import numpy as np

from erpsim.conditions import conditions
from erpsim.ledger import Account
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.state import FirmState
from erpsim.units import DAYS, IntArray

MONEY_CAP: Final = 1e12
"""EUR beyond which an amount asked is read as this much, so that it fits in integer cents."""


class Funds:
    """Headroom in cents: cash beyond the payables due, and unused credit.

    A distressed firm must pay for its orders when it places them. Those lines are granted from the cash that its books
    already show for the day: opening cash, collections and payments due until then, and what was granted before.
    """

    def __init__(self, state: FirmState, problem: Problem) -> None:
        frozen_credit = conditions(problem, state.round_number).credit_frozen
        cash = int(state.balances[Account.CASH])
        due = int(state.payables_due[:DAYS].sum())
        self.distressed = state.credit.distressed
        self.unused_credit = 0 if self.distressed or frozen_credit else max(0, unused_credit(state))
        self.left = max(0, cash - due) + self.unused_credit
        self._path = known_cash(state)
        self._last_day = 0

    def for_order(self, day: int) -> int:
        """Cents available to a purchase order placed on a day, 1-based."""
        if not self.distressed:
            return self.left
        until = max(day, self._last_day)
        return max(0, int(self._path[day - 1 : until].min()))

    def take_order(self, day: int, amount: int) -> None:
        """Use up the cents of a granted order line."""
        self._path[day - 1 :] -= amount
        self._last_day = max(self._last_day, day)
        self.take(amount)

    def take(self, amount: int) -> None:
        """Use up cents."""
        self.left = max(0, self.left - amount)


def unused_credit(state: FirmState) -> int:
    """Limit less loan in cents, negative when the loan is above it."""
    return state.credit.limit + int(state.balances[Account.LOAN])


def known_cash(state: FirmState) -> IntArray:
    """Cash after each day of the round as far as the books show it at its start, (30,) cents.

    Counts opening cash, collections and payments due, and tax; neither sales nor costs to come.
    """
    flows = state.receivables_due[:DAYS] - state.payables_due[:DAYS]
    flows[RULES.tax_day - 1] -= max(0, -int(state.balances[Account.TAX_PAYABLE]))
    return np.cumsum(flows) + int(state.balances[Account.CASH])
