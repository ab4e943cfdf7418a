"""What a firm may spend in a round without any forecast, granted line by line until it is used up."""

from __future__ import annotations

from typing import Final

from erpsim.conditions import conditions
from erpsim.ledger import Account
from erpsim.problem import Problem
from erpsim.state import FirmState
from erpsim.units import DAYS

MONEY_CAP: Final = 1e12
"""EUR beyond which an amount asked is read as this much, so that it fits in integer cents."""


class Funds:
    """Headroom H in cents: cash beyond the payables due in the round, and unused credit.

    In distress and in a credit freeze nothing can be drawn, so unused credit is no headroom; a distressed firm then
    pays for its orders when it places them, out of cash that no payable of the round lays claim to.

    Attributes:
        distressed: the firm is in distress.
        frozen: the bank lends nothing and pays for no investment this round.
        credit: cents that may be borrowed.
        left: cents not yet granted to anything.
    """

    def __init__(self, state: FirmState, problem: Problem) -> None:
        """Open the headroom of a firm's coming round."""
        cash, loan = int(state.balances[Account.CASH]), -int(state.balances[Account.LOAN])
        self.distressed = state.credit.distressed
        self.frozen = conditions(problem, state.round_number).credit_frozen
        self.credit = 0 if self.distressed or self.frozen else max(0, state.credit.limit - loan)
        self.left = max(0, cash - int(state.payables_due[:DAYS].sum())) + self.credit

    def take(self, amount: int) -> None:
        """Use up cents."""
        self.left = max(0, self.left - amount)

    def repay(self, amount: int) -> None:
        """Pay back cents of the loan: gone for good where they cannot be borrowed again, else still headroom."""
        if self.distressed or self.frozen:
            self.take(amount)
