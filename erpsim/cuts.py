"""What of a firm's wishes repair did not grant, summed over the lines of a decision that are about the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from erpsim.catalogue import ACTIVE, CHANNELS, SKU_INDEX
from erpsim.decision import Decision

NAME_CHARACTERS: Final = 40
"""Length to which a name is kept: one that repair did not know may be any text."""
AMOUNT_CAP: Final = 1e15
"""Amounts beyond it count as this: whole numbers in a proposal have no bound."""


@dataclass(frozen=True)
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
    lines = list(_lines(asked))
    wanted, granted = _sums(lines), _sums(_lines(executed))
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


def _lines(decision: Decision) -> Iterator[_Line]:
    """Every amount of a decision, in the order of its sections."""
    for sku, price in decision.prices.items():
        yield from _price_lines(sku, price)
    for n, item in enumerate(decision.production):
        yield _line(f"production[{n}]", "production", item.sku, item.quantity)
    for n, order in enumerate(decision.purchase_orders):
        yield _line(f"purchase_orders[{n}]", "order", order.material, order.quantity)
    for n, campaign in enumerate(decision.marketing):
        yield _line(f"marketing[{n}]", "advertising", campaign.channel, campaign.amount)
    finance = decision.finance
    for name, amount in (("borrow", finance.borrow), ("repay", finance.repay), ("dividend", finance.dividend)):
        yield _line(f"finance.{name}", "finance", name, amount)
    for n, investment in enumerate(finance.investments):
        yield _line(f"finance.investments[{n}]", "investment", investment.kind, investment.amount)


def _line(path: str, section: str, what: str, amount: float) -> _Line:
    return _Line(path, _Thing(section, what[:NAME_CHARACTERS]), float(min(max(amount, -AMOUNT_CAP), AMOUNT_CAP)))


def _price_lines(sku: str, price: float | dict[str, float]) -> Iterator[_Line]:
    """One line for each channel; only one for an unknown SKU, of which events tell no channel."""
    path = f"prices.{sku}"
    if sku not in SKU_INDEX:
        asked = next(iter(price.values()), 0.0) if isinstance(price, dict) else price
        yield _line(path, "price", sku, asked)
        return
    active = [channel for k, channel in enumerate(CHANNELS) if ACTIVE[SKU_INDEX[sku], k]]
    for channel, amount in (price if isinstance(price, dict) else dict.fromkeys(active, price)).items():
        yield _line(f"{path}.{channel}", "price", f"{sku} {channel}", amount)
