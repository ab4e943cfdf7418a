"""Decisions from one draw: sound ones, extreme ones, and such as nobody who means well would send.

All of them pass the schema, as everything does that reaches `repair`; what does not pass it is `fuzz_parsing`'s part.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from erpsim.catalogue import CHANNELS, LIST_PRICES, MATERIALS, SKUS, VENDORS
from erpsim.decision import Decision, Finance, Investment, MarketingItem, ProductionItem, PurchaseOrder

KINDS: Final = ("capacity", "setup_time", "green_production", "green_fleet")
AMOUNTS: Final = (
    *(0.0, -0.0, 0.004, 0.005, 0.01, 1.0, -1.0, 1e-300, -1e-300, 5e-324, 999_999.995, 1e6, 2.5e6, 1e9, -1e9),
    *(1e15, 9.2e16, 9.3e18, 1.9e19, 1e22, -1e22, 1e100, 1.7e308, -1.7e308),
)
"""EUR, around every bound that money has: cents, 2^53, 2^63 cents and units, the largest float."""
COUNTS: Final = (
    *(0, 1, -1, 999, 1_000, 1_001, 15_999, 16_000, 16_001, 47_999, 48_000, 48_001, 10**6, 10**9, 10**12),
    *(2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**30, -(10**30), 10**400),
)
DAYS: Final = (1, 2, 15, 29, 30, 31, 0, -1, 60, 10**9, -(10**20), 10**30)
NAMES: Final = (
    *("", " ", "nut-500", "NUT-500 ", "NUT-750", "oats\x00", "\u202eoats", "grocery\n", "A" * 5_000, "=1+1", "<b>"),
    *("\N{PILE OF POO}", "__class__", "../x", "null", "0"),
)
LONG: Final = 400
"""Items of a list that is too long."""


def decision_of(rng: Random) -> Decision | None:
    """Draw a decision; None stands for a firm that has none."""
    draw = rng.choices(list(_STYLES), weights=list(_STYLES.values()))[0]
    return draw(rng)


def sound(rng: Random) -> Decision:
    """A decision that a sensible firm could make."""
    made = rng.sample(SKUS, rng.randint(0, 6))
    return Decision(
        prices={sku: round(float(LIST_PRICES[SKUS.index(sku)]) * rng.uniform(0.6, 1.8), 2) for sku in _some(rng, SKUS)},
        production=tuple(ProductionItem(sku=sku, quantity=1_000 * rng.randint(16, 48)) for sku in made),
        purchase_orders=tuple(
            PurchaseOrder(
                material=material,
                quantity=rng.randint(1_000, 90_000),
                vendor=rng.choice(VENDORS),
                day=rng.randint(1, 30),
            )
            for material in _some(rng, MATERIALS)
        ),
        marketing=tuple(
            MarketingItem(channel=rng.choice(CHANNELS), sku=rng.choice((None, *SKUS)), amount=rng.uniform(0, 60_000))
            for _ in range(rng.randint(0, 4))
        ),
        finance=Finance(
            borrow=rng.choice((0.0, rng.uniform(0, 3e6))),
            repay=rng.choice((0.0, rng.uniform(0, 3e6))),
            dividend=rng.choice((0.0, rng.uniform(0, 1e6))),
            investments=_investments(rng, lambda: rng.randint(1, 5), 1),
        ),
    )


def extreme(rng: Random) -> Decision:
    """Known names everywhere, and amounts at and beyond every bound."""
    return _wild(rng, rng.choice, rng.randint(0, 14))


def hostile(rng: Random) -> Decision:
    """Unknown names, repeated and contradicting items, absurd shares."""
    return _wild(rng, lambda names: rng.choice(names if rng.random() < 0.6 else NAMES), rng.randint(0, 30))


def endless(rng: Random) -> Decision:
    """Lists that are far too long, and the same line again and again."""
    item = _production(rng, rng.choice)
    order = _order(rng, rng.choice)
    return Decision(
        prices={f"{sku}{n}": 1.0 for n in range(60) for sku in SKUS[:2]},
        production=(item,) * rng.randint(1, LONG),
        purchase_orders=(order,) * rng.randint(1, LONG),
        marketing=(MarketingItem(channel=rng.choice(CHANNELS), amount=rng.choice(AMOUNTS)),) * rng.randint(1, LONG),
        finance=Finance(investments=_investments(rng, lambda: rng.choice(COUNTS), LONG)),
    )


def mixed(rng: Random) -> Decision:
    """Sections of several kinds of decision side by side."""
    kinds = [sound(rng), extreme(rng), hostile(rng)]
    sections = ("prices", "production", "purchase_orders", "marketing", "finance")
    return Decision(**{name: getattr(rng.choice(kinds), name) for name in sections})


def _none(rng: Random) -> None:
    del rng


def _empty(rng: Random) -> Decision:
    del rng
    return Decision()


_STYLES: Final[dict[Callable[[Random], Decision | None], int]] = {
    sound: 35,
    extreme: 20,
    hostile: 20,
    mixed: 15,
    endless: 4,
    _empty: 3,
    _none: 3,
}
"""Kinds of decisions, each with its weight."""

_Name = Callable[[tuple[str, ...]], str]


def _wild(rng: Random, name: _Name, most: int) -> Decision:
    return Decision(
        prices={name(SKUS): _price(rng, name) for _ in range(rng.randint(0, most))},
        production=tuple(_production(rng, name) for _ in range(rng.randint(0, most))),
        purchase_orders=tuple(_order(rng, name) for _ in range(rng.randint(0, most))),
        marketing=tuple(
            MarketingItem(
                channel=name(CHANNELS), sku=None if rng.random() < 0.4 else name(SKUS), amount=rng.choice(AMOUNTS)
            )
            for _ in range(rng.randint(0, most))
        ),
        finance=Finance(
            borrow=rng.choice(AMOUNTS),
            repay=rng.choice(AMOUNTS),
            dividend=rng.choice(AMOUNTS),
            investments=_investments(rng, lambda: rng.choice(COUNTS), 6),
        ),
        rationale=rng.choice(NAMES),
    )


def _price(rng: Random, name: _Name) -> float | dict[str, float]:
    if rng.random() < 0.5:
        return rng.choice(AMOUNTS)
    return {name(CHANNELS): rng.choice(AMOUNTS) for _ in range(rng.randint(0, 4))}


def _production(rng: Random, name: _Name) -> ProductionItem:
    shares = None
    if rng.random() < 0.6:
        shares = {name(CHANNELS): rng.choice((*AMOUNTS, 0.3, 0.7)) for _ in range(rng.randint(0, 4))}
    return ProductionItem(sku=name(SKUS), quantity=rng.choice(COUNTS), distribution=shares)


def _order(rng: Random, name: _Name) -> PurchaseOrder:
    return PurchaseOrder(
        material=name(MATERIALS), quantity=rng.choice(COUNTS), vendor=rng.choice(VENDORS), day=rng.choice(DAYS)
    )


def _investments(rng: Random, amount: Callable[[], int], most: int) -> tuple[Investment, ...]:
    kinds: Any = KINDS
    return tuple(Investment(kind=rng.choice(kinds), amount=amount()) for _ in range(rng.randint(0, most)))


def _some(rng: Random, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if rng.random() < 0.7]
