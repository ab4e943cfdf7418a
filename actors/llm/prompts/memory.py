"""What a firm remembers, as the round prompt tells it: its rounds, its last decision, what of it was cut and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from erpsim.cuts import Cut
from erpsim.decision import Decision
from erpsim.state import RoundHistory
from erpsim.units import euros

ROUNDS_SHOWN: Final = 5
"""Rounds that are told one by one; of a longer game the older ones are told as sums, so that no prompt grows."""
ITEMS_SHOWN: Final = 8
"""Cuts, and lines of advertising, that are told one by one."""
NONE: Final = "none"

_HEAD: Final = (
    "round | revenue | material cost of sales | advertising | carbon | net income | dividends | valuation | units sold "
    "| % of market | % of demand unmet | mean price | borrowed, repaid | invested"
)


def rounds_text(history: Sequence[RoundHistory]) -> str:
    """The finished rounds as a table, oldest first."""
    if not history:
        return NONE
    shown = history[-ROUNDS_SHOWN:]
    older = history[: -len(shown)]
    return "\n".join((_HEAD, *([_older(older)] if older else []), *map(_row, shown)))


def decision_text(history: Sequence[RoundHistory]) -> str:
    """What of the last decision stands in no table, and what of the wishes was not granted."""
    if not history:
        return NONE
    past = history[-1]
    advertising = f"advertising: {_advertising(past.decision)}"
    if past.fallback:
        return f"{advertising}\n{_FALLBACK}"
    return f"{advertising}\n{_cuts(past.cuts)}"


_FALLBACK: Final = (
    "NO USABLE DECISION came from you: prices were kept, what had sold before was made again, nothing else was done."
)


def _row(past: RoundHistory) -> str:
    volume = max(1, int(past.report.volume.sum()))
    demanded = max(1, int(past.demanded.sum()))
    sold = int(past.sold.sum())
    finance = past.decision.finance
    invested = ", ".join(f"{item.kind} {item.amount}" for item in finance.investments) or "-"
    money = (past.revenue, past.cost_of_goods, past.marketing, past.carbon_cost, past.net_income, past.dividends)
    columns = (
        str(past.round_number),
        *(f"{euros(amount):.0f}" for amount in money),
        f"{past.valuation:.0f}",
        str(sold),
        f"{100 * sold / volume:.1f}",
        f"{100 * int(past.unmet.sum()) / demanded:.1f}",
        f"{euros(past.revenue) / max(1, sold):.2f}",
        f"{finance.borrow:.0f}, {finance.repay:.0f}",
        invested,
    )
    return " | ".join(columns)


def _older(rounds: Sequence[RoundHistory]) -> str:
    """Sums over rounds; the columns that cannot be summed stay open."""
    revenue, costs, advertising, carbon, income, dividends = (
        f"{euros(sum(getattr(past, name) for past in rounds)):.0f}"
        for name in ("revenue", "cost_of_goods", "marketing", "carbon_cost", "net_income", "dividends")
    )
    sold = sum(int(past.sold.sum()) for past in rounds)
    sums = (revenue, costs, advertising, carbon, income, dividends, "-", str(sold))
    return " | ".join((f"1-{rounds[-1].round_number} in sum", *sums))


def _advertising(decision: Decision) -> str:
    amounts: dict[str, float] = {}
    for item in decision.marketing:
        name = f"{item.channel} {item.sku}" if item.sku else item.channel
        amounts[name] = amounts.get(name, 0.0) + item.amount
    lines = [f"{name} {amount:.0f}" for name, amount in amounts.items()]
    rest = sum(list(amounts.values())[ITEMS_SHOWN:])
    return ", ".join((*lines[:ITEMS_SHOWN], *([f"elsewhere {rest:.0f}"] if rest else []))) or NONE


def _cuts(cuts: Sequence[Cut]) -> str:
    """Cuts by their reason: what was asked, and what was got."""
    if not cuts:
        return "cut from what you asked: nothing"
    shown = sorted(cuts[:ITEMS_SHOWN], key=lambda cut: _first(cut.why, cuts))
    parts = [f"{_listed(group)} ({why or 'not executed'})" for why, group in groupby(shown, key=lambda cut: cut.why)]
    more = f"; and {len(cuts) - ITEMS_SHOWN} more" if len(cuts) > ITEMS_SHOWN else ""
    return f"cut from what you asked, asked -> got: {'; '.join(parts)}{more}"


def _listed(cuts: Iterable[Cut]) -> str:
    return ", ".join(f"{cut.section} {cut.what} {_number(cut.asked)} -> {_number(cut.granted)}" for cut in cuts)


def _first(why: str, cuts: Sequence[Cut]) -> int:
    return next(place for place, cut in enumerate(cuts) if cut.why == why)


def _number(amount: float) -> str:
    return f"{amount:.2f}".removesuffix(".00")
