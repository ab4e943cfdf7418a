"""What of a firm's wishes repair did not grant, summed over the lines of a decision that are about the same thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from erpsim.catalogue import CHANNELS_OF
from erpsim.decision import Decision, Finance, MarketingItem, ProductionItem, PurchaseOrder

NAME_CHARACTERS: Final = 40
"""Length to which a name is kept: one that repair did not know may be any text."""
AMOUNT_CAP: Final = 1e15
"""Amounts beyond it count as this: whole numbers in a proposal have no bound."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One thing that is not executed as asked.

    Attributes:
        section: price, production, order, advertising, finance or investment.
        what: SKU, SKU and channel, material, channel, kind of finance action or of investment.
        asked: units, kg or pieces, EUR, or the unit of the investment.
        granted: what is executed instead, 0 for nothing.
        why: a clause; "" when no cause is known.
    """

    section: str
    what: str
    asked: float
    granted: float
    why: str


def cuts(asked: Decision, executed: Decision, causes: Iterable[tuple[str, str]]) -> tuple[Cut, ...]:
    """Compare what was asked with what is executed, in the order in which it was asked.

    Args:
        asked: the proposal.
        executed: what repair made of it.
        causes: field path and cause of each of repair's events; the first about a thing explains its cut.
    """
    # Most decisions are executed just as asked, and of the others most sections; sections have no thing in common.
    if asked is executed or not (changed := [n for n in _SECTIONS if getattr(asked, n) != getattr(executed, n)]):
        return ()
    lines = _lines(asked, changed)
    wanted, granted = _sums(lines), _sums(_lines(executed, changed))
    about = {line.path: line.thing for line in lines}
    why: dict[_Thing, str] = {}
    for field, cause in causes:
        thing = about.get(field) or about.get(field.rpartition(".")[0])
        if thing is not None and not field.endswith(_OTHER_FIELDS):
            why.setdefault(thing, cause.removeprefix(f"{thing.what}: "))
    return tuple(
        Cut(*thing, amount, granted.get(thing, 0.0), why.get(thing, ""))
        for thing, amount in wanted.items()
        if granted.get(thing, 0.0) != amount
    )


_OTHER_FIELDS: Final = (".day", ".distribution")
"""Fields of a line whose events say nothing about its amount."""


class _Thing(NamedTuple):
    section: str
    what: str


class _Line(NamedTuple):
    path: str  # as events name it
    thing: _Thing
    amount: float


def _sums(lines: Iterable[_Line]) -> Mapping[_Thing, float]:
    sums: dict[_Thing, float] = {}
    for line in lines:
        sums[line.thing] = round(sums.get(line.thing, 0.0) + line.amount, 2)
    return sums


def _lines(decision: Decision, sections: Iterable[str]) -> list[_Line]:
    """Every amount of some sections of a decision, in their order."""
    return [line for name in sections for line in _SECTIONS[name](getattr(decision, name))]


def _line(path: str, section: str, what: str, amount: float) -> _Line:
    return _Line(path, _Thing(section, what[:NAME_CHARACTERS]), float(min(max(amount, -AMOUNT_CAP), AMOUNT_CAP)))


def _prices(prices: Mapping[str, float | dict[str, float]]) -> Iterator[_Line]:
    """One line for each channel; only one for an unknown SKU, of which events tell no channel."""
    for sku, price in prices.items():
        path = f"prices.{sku}"
        if sku not in CHANNELS_OF:
            asked = next(iter(price.values()), 0.0) if isinstance(price, dict) else price
            yield _line(path, "price", sku, asked)
            continue
        for channel, amount in (price if isinstance(price, dict) else dict.fromkeys(CHANNELS_OF[sku], price)).items():
            yield _line(f"{path}.{channel}", "price", f"{sku} {channel}", amount)


def _production(items: Iterable[ProductionItem]) -> Iterator[_Line]:
    for n, item in enumerate(items):
        yield _line(f"production[{n}]", "production", item.sku, item.quantity)


def _orders(orders: Iterable[PurchaseOrder]) -> Iterator[_Line]:
    for n, order in enumerate(orders):
        yield _line(f"purchase_orders[{n}]", "order", order.material, order.quantity)


def _marketing(campaigns: Iterable[MarketingItem]) -> Iterator[_Line]:
    for n, campaign in enumerate(campaigns):
        yield _line(f"marketing[{n}]", "advertising", campaign.channel, campaign.amount)


def _finance(finance: Finance) -> Iterator[_Line]:
    for name, amount in (("borrow", finance.borrow), ("repay", finance.repay), ("dividend", finance.dividend)):
        yield _line(f"finance.{name}", "finance", name, amount)
    for n, investment in enumerate(finance.investments):
        yield _line(f"finance.investments[{n}]", "investment", investment.kind, investment.amount)


_SECTIONS: Final[Mapping[str, Callable[[Any], Iterator[_Line]]]] = {
    "prices": _prices,
    "production": _production,
    "purchase_orders": _orders,
    "marketing": _marketing,
    "finance": _finance,
}
"""Sections of a decision in their order, and how the lines of each are read."""
