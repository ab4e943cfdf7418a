"""An observation as the compact sheet of the round prompt: ordered, with units, figures only.

Rivals appear by their prices alone; no text that another firm wrote can reach it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np

from actors.llm.prompts.memory import NONE, ROUNDS_SHOWN, decision_text, rounds_text
from erpsim.catalogue import ACTIVE, CHANNELS, MATERIALS, SKUS
from erpsim.observation import Observation
from erpsim.state import RoundHistory
from erpsim.units import DAYS, WEEK, euros

ORDERS_SHOWN: Final = 2
"""Deliveries of one material that are told one by one."""


def sheet(observation: Observation) -> dict[str, str]:
    """Texts by placeholder of `round.txt`."""
    return {
        "round": str(observation.round_number),
        "horizon": str(observation.horizon),
        "week": str(WEEK),
        "firm": observation.firm,
        "news": _lines(observation.news) or NONE,
        "finance": _finance(observation),
        "line": _line(observation),
        "investments": _investments(observation),
        "materials": _materials(observation),
        "products": _products(observation),
        "decision": decision_text(observation.history),
        "history": rounds_text(observation.history),
    }


def _finance(observation: Observation) -> str:
    money = observation.finance
    flags = [
        text
        for text, holds in (
            ("DISTRESSED this round", money.distressed),
            ("CREDIT FROZEN this round: no borrowing, no investment", money.credit_frozen),
        )
        if holds
    ]
    valuation = "not yet known" if money.valuation is None else f"{money.valuation:.0f}"
    position = (
        f"cash {_eur(money.cash)}, loan {_eur(money.loan)}, credit limit {_eur(money.credit_limit)}, "
        f"risk {money.company_risk:.2%} ({money.rating}), loan rate {money.loan_rate:.2%} a year"
    )
    claims = (
        f"receivables {_eur(money.receivables)}, payables {_eur(money.payables)}, "
        f"tax payable {_eur(money.tax_payable)}, equity {_eur(money.equity)}"
    )
    due = f"due this round by week: in {_by_week(money.collections_due)}; out {_by_week(money.payments_due)}"
    so_far = (
        f"so far: net income {_eur(money.net_income)}, dividends {_eur(money.dividends_paid)}, valuation {valuation}"
    )
    return _lines((position, claims, due, so_far, *flags))


def _line(observation: Observation) -> str:
    plant = observation.plant
    ready = SKUS[plant.last_sku] if plant.last_sku >= 0 else NONE
    hours = observation.capacity_hours
    return (
        f"{plant.capacity} units/day, works {hours:g} h this round (at most {plant.capacity * hours / 24:.0f} units "
        f"without setups), setup {observation.setup_hours:g} h, set up for {ready}; "
        f"lead days A {_range(observation.lead_ranges[0])}, B {_range(observation.lead_ranges[1])}; "
        f"carbon price {observation.carbon_price:g} EUR/kg, green steps: production {plant.green_production}, "
        f"fleet {plant.green_fleet}"
    )


def _investments(observation: Observation) -> str:
    return (
        _lines(
            f"{option.kind}: next {option.step} for {_eur(option.next_cost)} EUR"
            + ("" if option.steps_left is None else f", {option.steps_left} steps left")
            for option in observation.investments
        )
        or NONE
    )


def _materials(observation: Observation) -> str:
    ordered = _ordered(observation.history[-1]) if observation.history else None
    rows = [
        "material | stock | " + ("" if ordered is None else "ordered | ") + "under way: quantity@day | price by week"
    ]
    for n, name in enumerate(MATERIALS):
        prices = observation.material_prices[:, n].tolist()
        week_prices = f"{prices[0]:.3g} all round" if len(set(prices)) == 1 else " ".join(f"{p:.3g}" for p in prices)
        coming = sorted((order.receipt_day, order.quantity) for order in observation.open_orders if order.material == n)
        under_way = " ".join(f"{quantity}@{day}" for day, quantity in coming[:ORDERS_SHOWN]) or "-"
        if len(coming) > ORDERS_SHOWN:
            under_way += f" and {sum(quantity for _, quantity in coming[ORDERS_SHOWN:])} later"
        stock = f"{int(observation.material_stock[n])}"
        last = [] if ordered is None else [str(ordered[name])]
        rows.append(" | ".join((name, stock, *last, under_way, week_prices)))
    return "\n".join(rows)


def _ordered(past: RoundHistory) -> Counter[str]:
    """Quantity ordered in a round, by material."""
    ordered: Counter[str] = Counter()
    for order in past.decision.purchase_orders:
        ordered[order.material] += order.quantity
    return ordered


def _products(observation: Observation) -> str:
    """A line for each SKU, and below it one for each channel that buys it."""
    shown = observation.history[-ROUNDS_SHOWN:]
    made = ", ".join(str(past.round_number) for past in shown)
    rows = ["SKU | material cost" + (f" | thousands made in round {made}" if shown else "")]
    rows.append(
        "- channel stock | price | "
        + (_LAST_HEAD if shown else f"demand study at list, units/day (x {DAYS} for the round)")
    )
    for j, sku in enumerate(SKUS):
        units = [f"{past.produced[j] / 1000:g}" for past in shown]
        rows.append(f"{sku} | {observation.unit_cost[j]:.2f}" + (f" | {' '.join(units)}" if units else ""))
        for k in np.flatnonzero(ACTIVE[j]).tolist():
            last = _last(shown[-1], j, k) if shown else f"{observation.market_study[j, k]:.0f}"
            own = f"- {CHANNELS[k]} {int(observation.goods_stock[j, k])} | {observation.prices[j, k]:.2f}"
            rows.append(f"{own} | {last}")
    return "\n".join(rows)


_LAST_HEAD: Final = "demand sold unmet | rivals' lowest and mean price"


def _last(past: RoundHistory, j: int, k: int) -> str:
    units = " ".join(str(int(a[j, k])) for a in (past.demanded, past.sold, past.unmet))
    return f"{units} | {past.report.rival_price_low[j, k]:.2f} {past.report.rival_price_mean[j, k]:.2f}"


def _by_week(days: Iterable[int]) -> str:
    amounts = np.fromiter(days, dtype=np.int64, count=DAYS).reshape(-1, WEEK).sum(axis=1)
    return " ".join(_eur(amount) for amount in amounts.tolist())


def _range(days: tuple[int, int]) -> str:
    return f"{days[0]}-{days[1]}"


def _eur(amount: int) -> str:
    return f"{euros(amount):.0f}"


def _lines(rows: Iterable[str]) -> str:
    return "\n".join(rows)
