"""What a firm sees of its own state and of the problem when a round starts."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from erpsim.catalogue import LIST_PRICES, RECIPES, firm_name
from erpsim.conditions import Conditions, conditions, known_conditions, market_study
from erpsim.exogenous import material_prices
from erpsim.investments import KINDS, cost_of_steps, step_size, steps_left
from erpsim.ledger import Account, equity
from erpsim.loans import loan_rate, rating
from erpsim.observation import FinanceView, InvestmentOption, Observation
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.state import FirmState, Plant
from erpsim.units import DAYS, FloatArray, IntArray, frozen


def observe(state: FirmState, problem: Problem, n_firms: int) -> Observation:
    """Show a firm the coming round.

    Nothing of the future is in it: of vendors their lead ranges, of disturbances what is felt in the firm's own plant
    and credit or told in the news.

    Args:
        state: the firm before the round.
        problem: the problem that all firms of the market play.
        n_firms: firms in the market.
    """
    shared = _shared(problem, state.round_number)
    known = shared.known
    return Observation(
        firm=firm_name(state.seat),
        seat=state.seat,
        firms=_firm_names(n_firms),
        round_number=state.round_number,
        horizon=problem.horizon,
        news=shared.news,
        finance=_finance(state, known.credit_frozen),
        plant=state.plant,
        capacity_hours=DAYS * 24 * known.hours_percent / 100,
        setup_hours=float(RULES.setup_hours - state.plant.setup_cut + known.extra_setup_hours),
        investments=_investments(state.plant),
        goods_stock=state.goods_stock,
        goods_cost=_goods_cost(state, shared.unit_cost),
        unit_cost=shared.unit_cost,
        material_stock=state.material_stock,
        open_orders=state.open_orders,
        material_prices=shared.material_prices,
        lead_ranges=shared.lead_ranges,
        prices=state.prices,
        list_prices=LIST_PRICES,
        price_band=(RULES.price_floor, RULES.price_cap),
        goodwill=state.goodwill,
        service=state.service,
        market_study=shared.market_study,
        carbon_price=known.carbon_price,
        history=state.history,
    )


class _Shared(NamedTuple):
    """What a round's observation holds for every firm of the market alike."""

    news: tuple[str, ...]
    known: Conditions
    material_prices: FloatArray  # (6, 10) EUR by week and material
    unit_cost: FloatArray  # (12,) EUR/unit
    lead_ranges: tuple[tuple[int, int], tuple[int, int]]  # (low, high) days by vendor
    market_study: FloatArray  # (12, 3) units/day


@lru_cache(maxsize=1024)
def _shared(problem: Problem, round_number: int) -> _Shared:
    known, prices = known_conditions(problem, round_number), material_prices(problem, round_number)
    return _Shared(
        news=conditions(problem, round_number).news,
        known=known,
        material_prices=prices,
        unit_cost=frozen(RECIPES @ prices[0] / 1000),
        lead_ranges=_lead_ranges(known.delay_days),
        market_study=market_study(problem),
    )


@lru_cache(maxsize=64)
def _firm_names(n_firms: int) -> tuple[str, ...]:
    return tuple(firm_name(seat) for seat in range(n_firms))


def _finance(state: FirmState, credit_frozen: bool) -> FinanceView:
    balances, risk = state.balances.tolist(), state.credit.company_risk
    return FinanceView(
        cash=balances[Account.CASH],
        receivables=balances[Account.RECEIVABLES],
        payables=-balances[Account.PAYABLES],
        tax_payable=-balances[Account.TAX_PAYABLE],
        loan=-balances[Account.LOAN],
        credit_limit=state.credit.limit,
        equity=equity(state.balances),
        company_risk=risk,
        loan_rate=loan_rate(risk),
        rating=rating(risk),
        distressed=state.credit.distressed,
        credit_frozen=credit_frozen,
        net_income=sum(past.net_income for past in state.history),
        dividends_paid=state.dividends_paid,
        valuation=state.history[-1].valuation if state.history else None,
        collections_due=frozen(state.receivables_due[:DAYS].copy()),
        payments_due=_payments_due(state),
    )


def _payments_due(state: FirmState) -> IntArray:
    """Payables by day of the round and, on its day, tax; a tax asset is not paid out. (30,) cents."""
    due = state.payables_due[:DAYS].copy()
    due[RULES.tax_day - 1] += max(0, -int(state.balances[Account.TAX_PAYABLE]))
    return frozen(due)


@lru_cache(maxsize=1024)
def _investments(plant: Plant) -> tuple[InvestmentOption, ...]:
    """Kinds that are not used up, with the next step's price; distress or a freeze may still forbid them."""
    left = {kind: steps_left(plant, kind) for kind in KINDS}
    return tuple(
        InvestmentOption(kind, steps, step_size(kind), cost_of_steps(plant, kind, 1))
        for kind, steps in left.items()
        if steps != 0
    )


def _goods_cost(state: FirmState, unit_cost: FloatArray) -> FloatArray:
    """Moving average in EUR/unit; this week's material cost where there is no stock to average. (12,)."""
    units = state.goods_stock.sum(axis=1)
    return frozen(np.where(units > 0, state.goods_value / np.maximum(units, 1) / 100, unit_cost))


def _lead_ranges(delay: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Lowest and highest lead in days by vendor, with a delay of vendor A in days."""
    (low_a, low_b), (high_a, high_b) = RULES.vendor_lead_low, RULES.vendor_lead_high
    return (low_a + delay, high_a + delay), (low_b, high_b)
