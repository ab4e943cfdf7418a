"""An observation as the compact sheet of the round prompt: ordered, with units, figures only.

Rivals appear by their prices alone; no text that another firm wrote can reach it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNELS, MATERIALS, SKUS
from erpsim.observation import Observation
from erpsim.state import RoundHistory
from erpsim.units import DAYS, WEEK, euros

NONE = "none"


def sheet(observation: Observation) -> dict[str, str]:
    """Texts by placeholder of `round.txt`."""
    return {
        "round": str(observation.round_number),
        "horizon": str(observation.horizon),
        "firm": observation.firm,
        "news": _lines(observation.news) or NONE,
        "finance": _finance(observation),
        "line": _line(observation),
        "investments": _investments(observation),
        "materials": _materials(observation),
        "cells": _cells(observation),
        "history": _lines(_remembered(past) for past in observation.history) or NONE,
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
    rows = ["material | stock | under way: quantity@day | price by week"]
    for n, name in enumerate(MATERIALS):
        prices = observation.material_prices[:, n].tolist()
        week_prices = f"{prices[0]:.3g} all round" if len(set(prices)) == 1 else " ".join(f"{p:.3g}" for p in prices)
        coming = sorted((order.receipt_day, order.quantity) for order in observation.open_orders if order.material == n)
        under_way = " ".join(f"{quantity}@{day}" for day, quantity in coming) or "-"
        rows.append(f"{name} | {int(observation.material_stock[n])} | {under_way} | {week_prices}")
    return "\n".join(rows)


def _cells(observation: Observation) -> str:
    past = observation.history[-1] if observation.history else None
    head = "SKU channel | stock | material cost | list | price | "
    rows = [head + ("demand study at list, units/day" if past is None else "demand sold unmet | rivals low mean high")]
    for j, k in np.argwhere(ACTIVE).tolist():
        own = (
            f"{SKUS[j]} {CHANNELS[k]} | {int(observation.goods_stock[j, k])} | {observation.unit_cost[j]:.2f} | "
            f"{observation.list_prices[j]:.2f} | {observation.prices[j, k]:.2f}"
        )
        rows.append(f"{own} | {_last(past, j, k) if past else f'{observation.market_study[j, k]:.0f}'}")
    return "\n".join(rows)


def _last(past: RoundHistory, j: int, k: int) -> str:
    report = past.report
    rivals = (report.rival_price_low, report.rival_price_mean, report.rival_price_high)
    units = (past.demanded, past.sold, past.unmet)
    return f"{' '.join(str(int(a[j, k])) for a in units)} | {' '.join(f'{a[j, k]:.2f}' for a in rivals)}"


def _remembered(past: RoundHistory) -> str:
    made = ", ".join(f"{SKUS[j]} {int(past.produced[j])}" for j in np.flatnonzero(past.produced).tolist()) or NONE
    volume = max(1, int(past.report.volume.sum()))
    demanded = max(1, int(past.demanded.sum()))
    sold = int(past.sold.sum())
    return (
        f"round {past.round_number}: revenue {_eur(past.revenue)}, material cost of sales {_eur(past.cost_of_goods)}, "
        f"advertising {_eur(past.marketing)}, carbon {_eur(past.carbon_cost)}, net income {_eur(past.net_income)}, "
        f"dividends {_eur(past.dividends)}, valuation {past.valuation:.0f}; sold {sold} units "
        f"({sold / volume:.1%} of the market), unmet {int(past.unmet.sum()) / demanded:.1%} of demand, "
        f"mean price {euros(past.revenue) / max(1, sold):.2f}; made {made}"
    )


def _by_week(days: Iterable[int]) -> str:
    amounts = np.fromiter(days, dtype=np.int64, count=DAYS).reshape(-1, WEEK).sum(axis=1)
    return " ".join(_eur(amount) for amount in amounts.tolist())


def _range(days: tuple[int, int]) -> str:
    return f"{days[0]}-{days[1]}"


def _eur(amount: int) -> str:
    return f"{euros(amount):.0f}"


def _lines(rows: Iterable[str]) -> str:
    return "\n".join(rows)
