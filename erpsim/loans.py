"""What the bank asks and allows: company risk from net debt, its letter, the rates and the credit limit.

The risk line's knots up to 9.5 M EUR are the mid-points of notches observed in ERPsim game exports (2023-24); beyond
them it is inferred. Between knots it is straight, so that no single euro moves a firm by a notch.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from erpsim.ledger import Account, Balances, equity
from erpsim.parameters import RULES
from erpsim.state import Credit
from erpsim.units import YEAR, FloatArray, IntArray


class Knot(NamedTuple):
    """One knot of the risk line."""

    net_debt: int  # cents
    risk: float  # fraction a year


class Rating(NamedTuple):
    """One letter: the label of every risk up to its own that the letter before does not cover."""

    label: str
    risk: float  # fraction a year, the highest it stands for


class LimitStep(NamedTuple):
    """Credit limit in eighths of equity for every risk up to `risk`."""

    risk: float  # fraction a year
    eighths: int


_MILLION: Final = 100_000_000  # cents

RISK_LINE: Final = tuple(
    Knot(half_millions * _MILLION // 2, hundredths / 10_000)
    for half_millions, hundredths in (
        (1, 300), (3, 375), (5, 400), (7, 425), (9, 475), (11, 500), (13, 525), (15, 575), (17, 600), (19, 625),
        *((23 + 6 * step, 650 + 50 * step) for step in range(12)),  # +0.5 points for every 3 M EUR, to 12 %
    )
)  # fmt: skip
"""Company risk by net debt, ascending; flat before the first knot and after the last."""

RATINGS: Final = (
    Rating("AAA+", 0.0300), Rating("AAA", 0.0325), Rating("AA+", 0.0375), Rating("AA", 0.0400), Rating("AA-", 0.0425),
    Rating("A+", 0.0475), Rating("A", 0.0500), Rating("A-", 0.0525), Rating("BBB+", 0.0575), Rating("BBB", 0.0600),
    Rating("BBB-", 0.0625), Rating("BB", 0.0675), Rating("B", 0.0725), Rating("CCC", 0.0825), Rating("CC", 0.1000),
    Rating("C", 1.0000),
)  # fmt: skip
"""Letters from best to worst."""

LIMIT_STEPS: Final = (LimitStep(0.0525, 4), LimitStep(0.0625, 3), LimitStep(1.0, 2))


_COUNTED: Final = itemgetter(Account.LOAN, Account.PAYABLES, Account.TAX_PAYABLE, Account.CASH, Account.RECEIVABLES)
_NET_DEBTS: Final = tuple(knot.net_debt for knot in RISK_LINE)
_RATING_RISKS: Final = tuple(letter.risk for letter in RATINGS)


def net_debt(balances: Balances) -> int:
    """Net debt in cents: loan, payables and tax payable less cash and receivables; negative when in funds."""
    return -int(sum(_COUNTED(balances)))


def company_risk(net_debt: int) -> float:
    """Company risk as a fraction a year, piecewise linear in net debt (cents); 3 % to 12 %."""
    above = bisect_right(_NET_DEBTS, net_debt)
    if above == 0:
        return RISK_LINE[0].risk
    if above == len(RISK_LINE):
        return RISK_LINE[-1].risk
    left, right = RISK_LINE[above - 1], RISK_LINE[above]
    return left.risk + (right.risk - left.risk) * (net_debt - left.net_debt) / (right.net_debt - left.net_debt)


def rating(risk: float) -> str:
    """Letter of a company risk: the best one whose risk is not below it."""
    return RATINGS[bisect_left(_RATING_RISKS, risk)].label


def loan_rate(risk: float) -> float:
    """Loan rate as a fraction a year."""
    return risk + RULES.loan_spread


def overdraft_rate(risk: float) -> float:
    """Rate on overdraft as a fraction a year."""
    return loan_rate(risk) + RULES.overdraft_spread


def interest(principal: int, rate: float) -> int:
    """One day's simple interest in cents on a principal in cents, year of 360 days."""
    return round(principal * rate / YEAR)


def interest_array(principals: IntArray, rates: FloatArray) -> IntArray:
    """One day's interest in cents on principals at rates that broadcast, element by element, as `interest` does."""
    return np.rint(principals * rates / YEAR).astype(np.int64)


def credit_limit(equity: int, risk: float) -> int:
    """Credit limit in cents: 0.5, 0.375 or 0.25 of book equity (cents) by risk; 0 when equity is negative."""
    eighths = next(step.eighths for step in LIMIT_STEPS if risk <= step.risk)
    return max(0, equity) * eighths // 8


def assess(balances: Balances) -> Credit:
    """What the bank sets for the coming round from the balances (accounts,) at a close or at the opening."""
    risk = company_risk(net_debt(balances))
    limit = credit_limit(equity(balances), risk)
    return Credit(company_risk=risk, limit=limit, distressed=-int(balances[Account.LOAN]) > limit)
