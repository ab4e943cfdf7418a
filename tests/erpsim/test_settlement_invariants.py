"""What holds in a firm's books after every round that can be played, whatever is decided and sold."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from erpsim.feasibility import repair
from erpsim.ledger import ASSETS, LIABILITIES, Account, check, equity
from erpsim.market import clear
from erpsim.opening import open_firm
from erpsim.planning import plan
from erpsim.result import Settled, Traded
from erpsim.settlement import settle_all
from erpsim.state import FirmState
from tests.erpsim.samples import busy_opening, calm_problem, decision
from tests.erpsim.strategies import decisions, working_decisions

IDLE = decision()


def _holds(before: FirmState, done: Settled) -> None:
    """What holds after every round, whatever was decided."""
    moves, after = done.result.moves, done.state
    check(moves, before.balances)
    daily = before.balances + moves.cumsum(axis=0)
    assert not daily.sum(axis=1).any()
    book = daily[:, ASSETS].sum(axis=1) + daily[:, LIABILITIES].sum(axis=1)
    assert np.array_equal(book, -daily[:, Account.CAPITAL :].sum(axis=1))
    assert after.balances[Account.CASH] == before.balances[Account.CASH] + moves[:, Account.CASH].sum()
    assert after.balances[Account.CASH] >= 0
    assert after.payables_due.sum() == -after.balances[Account.PAYABLES]
    assert after.receivables_due.sum() == after.balances[Account.RECEIVABLES]
    assert (
        daily[:, [Account.FOOD_STOCK, Account.PACKAGING_STOCK, Account.GOODS_STOCK, Account.PREPAYMENTS]] >= 0
    ).all()
    assert (daily[:, [Account.PAYABLES, Account.LOAN]] <= 0).all()
    assert np.array_equal(after.material_value == 0, after.material_stock == 0)
    assert np.array_equal(after.goods_value == 0, after.goods_stock.sum(axis=1) == 0)
    assert (after.goods_stock >= 0).all()
    assert not after.balances[Account.REVENUE :].any()
    assert equity(after.balances) == equity(before.balances) + done.result.net_income - done.result.history.dividends
    assert after.credit.distressed == (done.result.loan > after.credit.limit)
    assert math.isfinite(done.result.valuation)
    assert done.result.valuation >= 0
    assert ((after.service >= 0.5) & (after.service <= 1)).all()


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(working_decisions, decisions), min_size=1, max_size=4), st.integers(0, 4), st.booleans())
def test_g4_03_books_hold_in_every_round_that_can_be_played(wanted: list[Any], seed: int, poor: bool) -> None:
    problem = replace(calm_problem(seed=seed), opening=busy_opening(poor=poor))
    firms = [open_firm(problem, seat) for seat in range(2)]
    for proposal in wanted:
        plans = [
            plan(firm, problem, repair(firm, problem, proposal if firm.seat == 0 else IDLE).decision) for firm in firms
        ]
        cleared = clear(problem, firms[0].round_number, [planned.offer for planned in plans])
        rows = zip(firms, plans, cleared.sales, strict=True)
        played = settle_all([Traded(firm, problem, planned, sold) for firm, planned, sold in rows])
        for firm, planned, sold, done in zip(firms, plans, cleared.sales, played, strict=True):
            _holds(firm, done)
            made = planned.schedule.output.sum()
            assert done.state.goods_stock.sum() == firm.goods_stock.sum() + made - sold.sold.sum()
            prices = np.rint(planned.offer.prices * 100).astype(np.int64)
            assert done.result.revenue == (sold.sold.sum(axis=0) * prices).sum()
        firms = [done.state for done in played]
