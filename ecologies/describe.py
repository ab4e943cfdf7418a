"""A problem told to a person: a page of words with a small picture, and what a whole panel covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ecologies.disturbances import KINDS
from ecologies.panel import demand_level
from erpsim.catalogue import CHANNELS, MATERIALS, SKUS
from erpsim.conditions import conditions
from erpsim.exogenous import material_prices
from erpsim.ledger import Account
from erpsim.opening import open_firm
from erpsim.problem import STRATA, Disturbance, Opening, Problem
from erpsim.units import euros

BARS = "▁▂▃▄▅▆▇█"

WORDS = {
    "demand_slump": "demand {:+.0%}",
    "demand_surge": "demand {:+.0%}",
    "channel_shift": "{:.0%} of demand",
    "price_sensitivity": "price exponents x {:g}",
    "material_price": "material prices x {:g}",
    "supplier_delay": "vendor A {:+.0f} days",
    "capacity_outage": "{:.0%} of hours lost",
    "credit_freeze": "no new credit, no investment",
    "carbon_price": "carbon at {:.2f} EUR/kg",
    "opening_overstock": "{:,.0f} units of goods in stock",
    "opening_cash": "{:+,.0f} EUR of cash",
    "setup_time": "{:g} h a setup",
}


def describe(problem: Problem) -> str:
    """Tell a problem in words: opening, market, disturbances, and one picture of what the rounds bring."""
    lines = [
        f"{problem.problem_id}  {problem.stratum}  {problem.scenario}  ({problem.horizon} rounds, seed {problem.seed})",
        "",
        *_opening_lines(problem),
        *_market_lines(problem),
        *_disturbance_lines(problem.disturbances),
        "",
        *_picture(problem),
    ]
    return "\n".join(lines) + "\n"


def bars(values: Sequence[float], low: float, high: float) -> str:
    """Draw values as a row of bars, the lowest for `low` and below, the highest for `high` and above.

    >>> bars([0.0, 0.5, 1.0], 0.0, 1.0)
    '▁▅█'
    """
    span = high - low or 1.0
    steps = (round((len(BARS) - 1) * min(max((value - low) / span, 0.0), 1.0) + 1e-9) for value in values)
    return "".join(BARS[step] for step in steps)


def coverage(problems: Sequence[Problem]) -> str:
    """Count what a panel covers, as a Markdown table: kinds of disturbance by level and by stratum."""
    cells = Counter(
        key
        for problem in problems
        for one in problem.disturbances
        for key in (
            (one.kind, problem.stratum),
            (one.kind, one.level),
            (one.kind, "announced" if one.announced else ""),
        )
    )
    columns = (*STRATA, "mild", "strong", "announced")
    rows = [
        f"| disturbance | {' | '.join(columns)} |",
        f"|---|{'---:|' * len(columns)}",
        *(f"| {kind} | {' | '.join(str(cells[kind, column]) for column in columns)} |" for kind in KINDS),
    ]
    calm = Counter(problem.stratum for problem in problems if not problem.disturbances)
    rows.append(f"| calm | {' | '.join(str(calm[stratum]) for stratum in STRATA)} | | | |")
    totals = Counter(problem.stratum for problem in problems)
    rows.append(f"| problems | {' | '.join(str(totals[stratum]) for stratum in STRATA)} | | | |")
    return "\n".join([*rows, "", *_spreads(problems)]) + "\n"


def _spreads(problems: Sequence[Problem]) -> list[str]:
    figures = {
        "market size": [problem.market.size for problem in problems],
        "trend a round": [problem.market.trend for problem in problems],
        "price sensitivity": [problem.market.sensitivity for problem in problems],
        "outside share": [problem.market.outside_share for problem in problems],
        "material level": [problem.market.material_level for problem in problems],
        "opening cash, M EUR": [problem.opening.cash / 1e6 for problem in problems],
        "opening loan, M EUR": [problem.opening.loan / 1e6 for problem in problems],
        "mean demand level": [demand_level(problem) for problem in problems],
    }
    return [
        "| figure | least | median | most |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {min(row):.3f} | {np.median(row):.3f} | {max(row):.3f} |" for name, row in figures.items()),
    ]


def _opening_lines(problem: Problem) -> list[str]:
    firm, opening = open_firm(problem, seat=0), problem.opening
    balance = (
        f"Opening   cash {opening.cash:,} EUR, loan {opening.loan:,}, "
        f"equity {euros(-int(firm.balances[Account.CAPITAL])):,.0f}, "
        f"credit limit {euros(firm.credit.limit):,.0f}, company risk {firm.credit.company_risk:.2%}"
    )
    lines = [balance]
    if stocks := _stocks(opening):
        lines.append(f"          {'; '.join(stocks)}")
    return lines


def _stocks(opening: Opening) -> list[str]:
    goods = np.array(opening.goods or [(0, 0, 0)]).sum()
    parts = [f"{goods:,} units of goods"] if goods else []
    parts += [f"{quantity:,} of {MATERIALS[n]}" for n, quantity in enumerate(opening.materials) if quantity]
    return parts + [
        f"{order.quantity:,} of {order.material} due on day {order.receipt_day}" for order in opening.orders
    ]


def _market_lines(problem: Problem) -> list[str]:
    market = problem.market
    taste = conditions(problem, 1).preference @ np.ones(len(CHANNELS)) / len(CHANNELS)
    best = [SKUS[index] for index in np.argsort(-taste, kind="stable")[:3]]
    figures = (
        f"Market    size x {market.size:g}, trend {market.trend:+.1%} a round, price exponents x "
        f"{market.sensitivity:g}, outside share {market.outside_share:.1%}, materials x {market.material_level:g}"
    )
    return [figures, f"          best liked: {', '.join(best)}"]


def _disturbance_lines(disturbances: Sequence[Disturbance]) -> list[str]:
    if not disturbances:
        return ["Calm      nothing disturbs this market"]
    lines = []
    for one in disturbances:
        last = one.start_round + one.length - 1
        when = f"round {one.start_round}" if last == one.start_round else f"rounds {one.start_round}-{last}"
        course = ", ".join(dict.fromkeys(WORDS[one.kind].format(value) for value in one.magnitude))
        ends = f" from {one.source} to {one.target}" if one.source else ""
        known = "announced" if one.announced else "told a round late"
        lines.append(f"Disturbed {one.kind} ({one.level}), {when}: {course}{ends}; {known}")
    return lines


def _picture(problem: Problem) -> list[str]:
    rounds = range(1, problem.horizon + 1)
    days = [conditions(problem, number) for number in rounds]
    potential = [float(day.potential.sum() * day.season.mean()) for day in days]
    weeks = [float(week.mean()) for number in rounds for week in material_prices(problem, number)]
    hours = [day.hours_percent for day in days]
    carbon = [day.carbon_price for day in days]
    return [
        f"rounds 1-{problem.horizon}",
        f"  potential {bars(potential, 0.0, max(potential))}  {min(potential):,.0f} to {max(potential):,.0f} units/day",
        f"  materials {bars(weeks, 0.5 * min(weeks), max(weeks))}  {min(weeks):.2f} to {max(weeks):.2f} EUR, mean",
        f"  line      {bars(hours, 0, 100)}  {min(hours)} to {max(hours)} % of 24 hours a day",
        f"  carbon    {bars(carbon, 0.0, 0.3)}  {min(carbon):.2f} to {max(carbon):.2f} EUR/kg",
    ]
