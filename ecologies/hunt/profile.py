"""The signature of a play: figures in which a trick would show, read off a finished game."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ecologies.hunt.games import HUNTER, Game, HuntedRound
from erpsim.catalogue import ACTIVE, LIST_PRICES, MATERIAL_INDEX
from erpsim.ledger import Account
from erpsim.parameters import RULES
from erpsim.state import FirmState
from erpsim.units import euros
from erpsim.valuation import position, value

NEAR: Final = 0.02
"""A price this close to the band's end, as a fraction, stands at it."""


class Profile(NamedTuple):
    """Signature of the hunter's play; money in M EUR, the rest as fractions."""

    worth: float
    dividend_share: float  # of the final valuation
    loan_end: float
    borrowed_late: float  # in the last two rounds
    stock_end: float  # materials and goods at cost
    at_cap: float  # of active cells and rounds
    at_floor: float
    unmet: float  # of demanded units
    air_cells: float  # cells and rounds with demand of which not one unit was sold
    late_orders: float  # last round's purchases over the mean of the rounds before
    late_production: float  # last round's output over the mean of the rounds before
    late_price: float  # mean price over list in the last round over that of the rounds before
    below_cost: float  # of the last round's units, sold below their own cost
    risk_end: float  # company risk of the last close, percent
    breakup: float  # 1 when the valuation is the break-up floor, else 0


def profile(game: Game) -> Profile:
    """Read the signature of a game."""
    rounds, last = game.rounds, game.rounds[-1].results[HUNTER]
    prices = np.array([one.results[HUNTER].history.prices for one in rounds]) / LIST_PRICES[:, None]
    levels = prices[:, ACTIVE]  # (rounds, 24)
    demanded = np.array([one.sales.by_cell.demanded[ACTIVE] for one in rounds])
    unmet = np.array([one.sales.by_cell.unmet[ACTIVE] for one in rounds])
    sold = np.array([one.sales.by_cell.sold[ACTIVE] for one in rounds])
    orders = [_ordered(one) for one in rounds]
    made = [float(one.results[HUNTER].history.produced.sum()) for one in rounds]
    dividends = euros(last.dividends_paid)
    return Profile(
        worth=game.worth / 1e6,
        dividend_share=dividends / max(game.worth, 1.0),
        loan_end=euros(last.loan) / 1e6,
        borrowed_late=sum(one.executed.finance.borrow for one in rounds[-2:]) / 1e6,
        stock_end=_stock(game.final),
        at_cap=float((levels >= RULES.price_cap * (1 - NEAR)).mean()),
        at_floor=float((levels <= RULES.price_floor * (1 + NEAR)).mean()),
        unmet=float(unmet.sum()) / max(float(demanded.sum()), 1.0),
        air_cells=float(((demanded > 0) & (sold == 0)).mean()),
        late_orders=orders[-1] / max(float(np.mean(orders[:-1])), 1.0),
        late_production=made[-1] / max(float(np.mean(made[:-1])), 1.0),
        late_price=float(levels[-1].mean() / levels[:-1].mean()),
        below_cost=_below_cost(rounds[-1]),
        risk_end=last.company_risk * 100,
        breakup=float(_stands_on_breakup(game)),
    )


def _ordered(one: HuntedRound) -> float:
    """Purchases of a round at the round's first prices, EUR."""
    prices = one.observation.material_prices[0]
    return sum(order.quantity * float(prices[MATERIAL_INDEX[order.material]]) for order in one.executed.purchase_orders)


def _stock(state: FirmState) -> float:
    accounts = (Account.FOOD_STOCK, Account.PACKAGING_STOCK, Account.GOODS_STOCK)
    return sum(euros(int(state.balances[account])) for account in accounts) / 1e6


def _below_cost(one: HuntedRound) -> float:
    history = one.results[HUNTER].history
    cheap = history.prices < one.observation.goods_cost[:, None]
    return float(history.sold[cheap].sum()) / max(float(history.sold.sum()), 1.0)


def _stands_on_breakup(game: Game) -> bool:
    last = game.rounds[-1].results[HUNTER]
    valued = position(
        game.final.balances,
        tuple(past.net_income for past in game.final.history),
        last.dividends_paid,
        last.company_risk,
    )
    worth = value(valued)
    return worth.breakup > 0 and abs(worth.breakup + valued.dividends_paid - worth.total) < 1.0
