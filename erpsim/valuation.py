"""What a firm is worth: a two-stage dividend discount model, never below the break-up value.

Two-stage model and sustainable growth g = retention x ROE: Damodaran, Investment Valuation (3rd ed., 2012), ch. 13.
The zero-growth figure beside it is how the ERPsim game values a firm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple

from erpsim.ledger import Account, Balances, equity
from erpsim.parameters import RULES
from erpsim.units import euros

_SAME_RATE = 1e-9
_ROUNDS_A_YEAR = 12
_SINGLE: Final = itemgetter(Account.CASH, Account.RECEIVABLES, Account.PAYABLES, Account.LOAN, Account.TAX_PAYABLE)
_STOCK: Final = slice(Account.FOOD_STOCK, Account.PLANT)
_FIXED_ASSETS: Final = slice(Account.PLANT, Account.PAYABLES)


@dataclass(frozen=True)
class Position:
    """What a valuation looks at; all in EUR but the risk."""

    earnings: float  # E*, net income a year
    book_value: float  # B, book equity plus dividends paid so far
    company_risk: float  # fraction a year
    cash: float
    loan: float
    dividends_paid: float = 0.0  # so far
    receivables: float = 0.0
    stock: float = 0.0  # materials and goods at cost
    fixed_assets: float = 0.0  # plant, buildings and land, net
    payables: float = 0.0
    tax_payable: float = 0.0  # negative when an asset


class Valuation(NamedTuple):
    """A firm's value and its parts, EUR, none of them negative."""

    total: float  # the score
    ddm: float  # discounted dividends, 0 without earnings
    breakup: float
    zero_growth: float


def value(position: Position) -> Valuation:
    """Value a firm.

    V = max(V_ddm + S, V_breakup) + dividends paid, with S the cash beyond the loan.
    Example: E* = 20 M, B = 30 M, κ = 11 %, S = 0: g1 = 6 %, payout1 = 0.91, payout2 = 0.985, V = 231.373 M.
    """
    rate = RULES.market_rate + position.company_risk
    surplus = max(0.0, position.cash - position.loan)
    ddm = discounted_dividends(position.earnings, position.book_value, rate) if position.earnings > 0 else 0.0
    breakup = breakup_value(position)
    return Valuation(
        total=max(ddm + surplus, breakup) + position.dividends_paid,
        ddm=ddm,
        breakup=breakup,
        zero_growth=max(0.0, position.earnings) / rate,
    )


def discounted_dividends(earnings: float, book_value: float, rate: float) -> float:
    """V_ddm in EUR of earnings > 0 (EUR a year) on book equity (EUR) at a discount rate κ (fraction a year).

    Five years of growth g1 = min(retention x ROE, cap), then g2 for ever; what growth needs is not paid out.
    """
    return_on_equity = earnings / max(book_value, float(RULES.equity_floor))
    growth = min(RULES.retention * return_on_equity, RULES.growth_cap)
    payout = 1 - growth / return_on_equity
    payout_stable = 1 - RULES.growth_stable / max(return_on_equity, rate)
    first_years = payout * earnings * growing_annuity(rate, growth, RULES.growth_years)
    first_stable = payout_stable * earnings * (1 + growth) ** RULES.growth_years
    terminal = gordon(first_stable / (1 + RULES.growth_stable), rate, RULES.growth_stable)
    return first_years + terminal / (1 + rate) ** RULES.growth_years


def growing_annuity(rate: float, growth: float, years: int) -> float:
    """Present value of 1 EUR at the end of year 1, growing by `growth`, for some years.

    [1 - ((1 + g)/(1 + κ))^n] / (κ - g); n / (1 + κ) where κ and g are the same.
    """
    if abs(rate - growth) < _SAME_RATE:
        return years / (1 + rate)
    return (1 - ((1 + growth) / (1 + rate)) ** years) / (rate - growth)


def gordon(dividend: float, rate: float, growth: float) -> float:
    """Present value of a dividend just paid that grows for ever: D (1 + g) / max(κ - g, minimum spread) (Gordon 1959).

    The minimum spread of 3 % also stands where growth reaches the rate, so that the value is finite and never negative.
    Example: D = 100, κ = 10 %, g = 3 %: 1,471.43.
    """
    return dividend * (1 + growth) / max(rate - growth, RULES.spread_minimum)


def breakup_value(position: Position) -> float:
    """What is left, EUR, when everything is sold in haste and every debt is paid; 0 when it is less."""
    proceeds = 0.9 * position.receivables + 0.6 * position.stock + 0.5 * position.fixed_assets
    debts = position.loan + position.payables + position.tax_payable
    return max(0.0, position.cash + proceeds - debts)


def position(balances: Balances, net_incomes: Sequence[int], dividends_paid: int, company_risk: float) -> Position:
    """What a valuation looks at, from the balances (accounts,) at a close.

    Args:
        balances: cents, debits positive.
        net_incomes: cents by finished round, all rounds so far.
        dividends_paid: cents so far.
        company_risk: fraction a year, as set at this close.
    """
    cash, receivables, payables, loan, tax_payable = [euros(amount) for amount in _SINGLE(balances)]
    return Position(
        earnings=euros(_ROUNDS_A_YEAR * sum(net_incomes)) / len(net_incomes),
        book_value=euros(equity(balances) + dividends_paid),
        company_risk=company_risk,
        cash=cash,
        loan=-loan,
        dividends_paid=euros(dividends_paid),
        receivables=receivables,
        stock=euros(sum(balances[_STOCK])),
        fixed_assets=euros(sum(balances[_FIXED_ASSETS])),
        payables=-payables,
        tax_payable=-tax_payable,
    )
