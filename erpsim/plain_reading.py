"""A decision that is plain JSON and just what the schema says: nothing to look for, to coerce or to drop.

A text of any other form, however slight the difference, is left to the ladder (`parsing`), which reads this form alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import orjson

from erpsim.catalogue import CHANNELS, CHANNELS_OF, MATERIALS, SKUS, VENDORS
from erpsim.decision import Decision
from erpsim.field_reading import ITEM_LIMIT, WHOLE_LIMIT
from erpsim.investments import KINDS
from erpsim.reading import Notes, Reading

Test = Callable[[Any], bool]


def read_plain(text: str) -> Reading | None:
    """Read a text that is one object of the plain form; None when it has another one."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = orjson.loads(text)
    except ValueError:
        return None
    if not _is_plain(value) or not _holds_all(value, text):
        return None
    notes = Notes()
    prices = value.get("prices")
    if prices and len(prices) < len(SKUS):
        notes.absent_prices([sku for sku in SKUS if sku not in prices])
    return Reading(Decision.model_validate(value), notes.events, None)


def _holds_all(value: Any, text: str) -> bool:
    """Whether a value has as many quotes as the text that it was read from; a key that is given twice costs some."""
    return "\\u" not in text and orjson.dumps(value).count(b'"') == text.count('"')


def _is_plain(value: Any) -> bool:
    """Whether each section has the form that is told, and at least one of them acts."""
    if type(value) is not dict or not value.keys() <= _SECTIONS.keys() or not value.keys() - _IDLE:
        return False
    return all(_SECTIONS[name](part) for name, part in value.items())


def _are_prices(value: Any) -> bool:
    if type(value) is not dict or not value.keys() <= CHANNELS_OF.keys():
        return False
    return all(
        _are_by_channel(sku, given) if type(given) is dict else _is_amount(given) for sku, given in value.items()
    )


def _are_by_channel(sku: str, given: dict[str, Any]) -> bool:
    """Whether an object gives an amount to one or more of the channels that sell a SKU."""
    sold = CHANNELS_OF[sku]
    return given != {} and all(channel in sold and _is_amount(amount) for channel, amount in given.items())


def _is_run(item: Any) -> bool:
    if type(item) is not dict or not item.keys() <= _RUN:
        return False
    sku, shares = item.get("sku"), item.get("distribution")
    if sku not in SKUS or not _is_count(item.get("quantity")):
        return False
    return shares is None or (type(shares) is dict and _are_by_channel(sku, shares))


def _is_order(item: Any) -> bool:
    return (
        type(item) is dict
        and item.keys() <= _ORDER
        and item.get("material") in MATERIALS
        and _is_count(item.get("quantity"))
        and item.get("vendor", "A") in VENDORS
        and _is_count(item.get("day", 1))
    )


def _is_advertising(item: Any) -> bool:
    if type(item) is not dict or not item.keys() <= _ADVERTISING or not _is_amount(item.get("amount")):
        return False
    sku, channel = item.get("sku"), item.get("channel")
    return channel in CHANNELS and (sku is None or (sku in SKUS and channel in CHANNELS_OF[sku]))


def _is_investment(item: Any) -> bool:
    if type(item) is not dict or not item.keys() <= _INVESTMENT:
        return False
    return item.get("kind") in KINDS and _is_count(item.get("amount"))


def _are(test: Test) -> Test:
    """The test of a list that is not too long, whose items all pass a test."""
    return lambda value: type(value) is list and len(value) <= ITEM_LIMIT and all(map(test, value))


def _is_finance(value: Any) -> bool:
    if type(value) is not dict or not value.keys() <= _FINANCE.keys():
        return False
    return all(_FINANCE[name](part) for name, part in value.items())


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < WHOLE_LIMIT


def _is_amount(value: Any) -> bool:
    return (type(value) is float or type(value) is int) and 0 <= value < WHOLE_LIMIT


def _is_text(value: Any) -> bool:
    return type(value) is str


_RUN: Final = frozenset({"sku", "quantity", "distribution"})
_ORDER: Final = frozenset({"material", "quantity", "vendor", "day"})
_ADVERTISING: Final = frozenset({"channel", "sku", "amount"})
_INVESTMENT: Final = frozenset({"kind", "amount"})
_FINANCE: Final[dict[str, Test]] = {
    **dict.fromkeys(("borrow", "repay", "dividend"), _is_amount),
    "investments": _are(_is_investment),
}
_SECTIONS: Final[dict[str, Test]] = {
    "prices": _are_prices,
    "production": _are(_is_run),
    "purchase_orders": _are(_is_order),
    "marketing": _are(_is_advertising),
    "finance": _is_finance,
    "rationale": _is_text,
}
_IDLE: Final = frozenset({"rationale"})
