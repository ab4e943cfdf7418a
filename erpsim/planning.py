"""How an executed decision becomes a firm's `Plan`: steps 4 to 8 of the round, before any sale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNEL_INDEX, CHANNELS, LIST_PRICES, SKU_INDEX, SKUS
from erpsim.conditions import conditions
from erpsim.decision import Decision, ProductionItem
from erpsim.distribution import arrivals, default_shares, sent
from erpsim.investments import after_steps, cost_of_steps, step_size
from erpsim.offer import Offer
from erpsim.parameters import RULES
from erpsim.plan import FinanceMoves, Investments, Plan
from erpsim.problem import Problem
from erpsim.procurement import Purchases, deliveries, purchases
from erpsim.production import Line, Schedule, schedule
from erpsim.state import FirmState
from erpsim.units import DAYS, FloatArray, IntArray, cents, frozen


def plan(state: FirmState, problem: Problem, decision: Decision) -> Plan:
    """Carry out an executable decision up to the offer that goes to market."""
    bought = purchases_of(state, problem, decision)
    coming = deliveries(state.open_orders, bought)
    items = [(SKU_INDEX[item.sku], item.quantity) for item in decision.production]
    made = schedule(items, line_of(state, problem, decision), state.material_stock, coming.quantities)
    on_sale = arrivals(made, _shares(problem, decision, made))
    finance = decision.finance
    return Plan(
        decision=decision,
        finance=FinanceMoves(cents(finance.borrow), cents(finance.repay), cents(finance.dividend)),
        investments=investments_of(state, decision),
        purchases=bought,
        deliveries=coming,
        schedule=made,
        arrivals=on_sale,
        sent=sent(made),
        marketing=_marketing_by_day(decision),
        offer=Offer(
            prices=price_array(decision),
            goodwill=_goodwill(state, decision),
            opening_stock=state.goods_stock,
            arrivals=on_sale[:DAYS],
            service=state.service,
        ),
    )


def investments_of(state: FirmState, decision: Decision) -> Investments:
    """Steps bought by a decision, by kind, and their cost."""
    plant = state.plant
    steps = {"capacity": 0, "setup_time": 0, "green_production": 0, "green_fleet": 0}
    costs = dict.fromkeys(steps, 0)
    for item in decision.finance.investments:
        count = item.amount // step_size(item.kind)
        costs[item.kind] += cost_of_steps(plant, item.kind, count)
        steps[item.kind] += count
        plant = after_steps(plant, item.kind, count)
    return Investments(
        capacity_steps=steps["capacity"],
        capacity_cost=costs["capacity"],
        setup_hours=steps["setup_time"],
        setup_cost=costs["setup_time"],
        green_production=steps["green_production"],
        green_fleet=steps["green_fleet"],
        green_cost=costs["green_production"] + costs["green_fleet"],
    )


def line_of(state: FirmState, problem: Problem, decision: Decision) -> Line:
    """The line as this round finds it, the decision's cut of setup time included."""
    now = conditions(problem, state.round_number)
    hours = RULES.setup_hours - state.plant.setup_cut - investments_of(state, decision).setup_hours
    return Line(state.plant.capacity, now.hours_percent, hours + now.extra_setup_hours, state.plant.last_sku)


def purchases_of(state: FirmState, problem: Problem, decision: Decision) -> Purchases:
    """The decision's purchase orders with their drawn deliveries."""
    return purchases(decision.purchase_orders, problem, state.round_number, prepaid=state.credit.distressed)


def price_array(decision: Decision) -> FloatArray:
    """Prices of an executed decision, (12, 3) EUR/unit, list price in inactive cells."""
    prices = np.empty((len(SKUS), len(CHANNELS)))
    prices[:] = LIST_PRICES[:, None]
    for sku, row in decision.prices.items():
        for channel, price in (row if isinstance(row, dict) else {}).items():
            prices[SKU_INDEX[sku], CHANNEL_INDEX[channel]] = price
    return frozen(prices)


def _shares(problem: Problem, decision: Decision, made: Schedule) -> FloatArray:
    """Share of each run's output by channel, (runs, 3)."""
    rows: list[float] = []
    for run in made.runs:
        rows += _share_row(problem, decision.production[run.item])
    return np.array(rows, dtype=np.float64).reshape(-1, len(CHANNELS))


def _share_row(problem: Problem, item: ProductionItem) -> Sequence[float]:
    if item.distribution is None:
        return default_shares(SKU_INDEX[item.sku], problem)
    first, second, third = map(item.distribution.get, CHANNELS, _NO_SHARES)
    most = max(first, second, third)
    first, second, third = first / most, second / most, third / most  # so that no sum of huge weights overflows
    total = first + second + third  # in this order, while `sum` rounds as the version of Python does
    return first / total, second / total, third / total


_NO_SHARES: Final = (0.0,) * len(CHANNELS)


def _goodwill(state: FirmState, decision: Decision) -> FloatArray:
    """Goodwill after each day's spending, G_d = 0.95 G_{d−1} + 0.05 · spend, (30, 12, 3) EUR/day."""
    spend = [0.0] * state.goodwill.size
    for item in decision.marketing:
        k = CHANNEL_INDEX[item.channel]
        cells = _SOLD_IN[k] if item.sku is None else [len(CHANNELS) * SKU_INDEX[item.sku] + k]
        each = item.amount / DAYS / len(cells)
        for cell in cells:
            spend[cell] += each
    # The cells in one row, since numpy's pace is that of the last axis.
    after = _KEPT * state.goodwill.reshape(-1) + _TAKEN_UP * np.array(spend)
    return frozen(after.reshape(DAYS, *state.goodwill.shape))


_SOLD_IN: Final = tuple((len(CHANNELS) * np.flatnonzero(column) + k).tolist() for k, column in enumerate(ACTIVE.T))
"""Cells that are sold by channel: places among all, which are by SKU, then channel."""
_KEPT: Final[FloatArray] = frozen(np.float64(RULES.goodwill_decay) ** np.arange(1, DAYS + 1)[:, None])
"""What a day leaves of goodwill at the round's opening, (30, 1)."""
_TAKEN_UP: Final[FloatArray] = frozen(1 - _KEPT)
"""How much of a day's even spending goodwill holds by then, (30, 1)."""


def _marketing_by_day(decision: Decision) -> IntArray:
    """Cents spent on each day, evenly and exact in sum, (30,)."""
    total = sum([cents(item.amount) for item in decision.marketing])
    so_far = np.arange(DAYS + 1) * total // DAYS
    return frozen(so_far[1:] - so_far[:-1])
