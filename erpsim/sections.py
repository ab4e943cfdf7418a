"""The sections of a proposal: each field checked by itself, bad ones dropped with an event, good ones kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from erpsim.catalogue import CHANNELS, CHANNELS_OF, MATERIALS, SKUS, VENDORS
from erpsim.field_reading import first_items, read_amount, read_fields, read_name, read_whole, unwrapped
from erpsim.investments import KINDS
from erpsim.item_reading import Item, ItemShape, read_items
from erpsim.json_text import join
from erpsim.key_matching import match
from erpsim.price_list import as_table
from erpsim.reading import Notes, compact, sound


class Section(NamedTuple):
    """One section as read: plain data for the decision, and how many of the items asked for were kept."""

    value: Any
    asked: int
    kept: int

    @property
    def unusable(self) -> bool:
        """Whether something was asked and nothing of it could be used."""
        return self.asked > 0 and self.kept == 0


class SectionReader(NamedTuple):
    """How a section is read, and what a model is told that got all of it wrong."""

    read: Callable[[Notes, Any], Section]
    valid: str


def read_rationale(notes: Notes, value: Any) -> str:
    """Read the rationale: any text, and anything else as its JSON text; it is kept, never interpreted."""
    if isinstance(value, str):
        return sound(value)
    text = sound(compact(value))
    notes.coerced("text", "rationale", (value, text), "kept as text")
    return text


def _read_prices(notes: Notes, value: Any) -> Section:
    value = as_table(notes, unwrapped(notes, "prices", value))
    if not isinstance(value, dict):
        notes.dropped("wrong_type", "prices", value, "must be an object of prices by SKU")
        return Section({}, 1, 0)
    prices: dict[str, Any] = {}
    asked = kept = 0
    named: set[str] = set()
    for key, given in first_items(notes, "prices", value):
        if given == {}:
            continue
        sku = _known_key(notes, "prices", key, SKUS)
        if sku is None:
            asked += 1
            continue
        if sku in named:
            notes.coerced("duplicate_key", f"prices.{sku}", (key, sku), "given more than once; the last one holds")
            prices.pop(sku, None)
        named.add(sku)
        row = _read_row(notes, sku, given)
        asked, kept = asked + row.asked, kept + row.kept
        if row.kept:
            prices[sku] = row.value
    if prices and len(named) < len(SKUS):
        notes.absent_prices([sku for sku in SKUS if sku not in named])
    return Section(prices, asked, kept)


def _read_row(notes: Notes, sku: str, given: Any) -> Section:
    """One SKU's price or prices by channel."""
    path = f"prices.{sku}"
    given = unwrapped(notes, path, given)
    if not isinstance(given, dict):
        price = read_amount(notes, path, given, "price")
        return Section(price, int(given is not None), int(price is not None))
    row = _read_cells(notes, path, sku, given)
    prices = {
        channel: price
        for channel, cell in row.items()
        if (price := read_amount(notes, f"{path}.{channel}", cell, "price")) is not None
    }
    return Section(prices, sum(cell is not None for cell in given.values()), len(prices))


def _read_cells(notes: Notes, path: str, sku: str, given: dict[str, Any]) -> dict[str, Any]:
    """Values by channel that the SKU is sold in."""
    cells: dict[str, Any] = {}
    for key, value in first_items(notes, path, given):
        channel = key if key in CHANNELS else _known_key(notes, path, key, CHANNELS)
        if channel is None:
            continue
        if channel not in CHANNELS_OF[sku]:
            notes.dropped("inactive_cell", f"{path}.{channel}", value, f"{channel} does not sell {sku}")
            continue
        if channel in cells:
            notes.coerced("duplicate_key", f"{path}.{channel}", (key, channel), "the last one holds")
        cells[channel] = value
    return cells


def _known_key(notes: Notes, path: str, key: str, options: tuple[str, ...]) -> str | None:
    return read_name(notes, join(path, key), key, options)


def _read_production(notes: Notes, value: Any) -> Section:
    return _read_list(notes, "production", value, _PRODUCTION, _production_item)


def _production_item(notes: Notes, item: Item) -> dict[str, Any] | None:
    required = _required(notes, item, {"sku": SKUS}, "quantity")
    if required is None:
        return None
    given = item.fields.get("distribution")
    if given is not None:
        required["distribution"] = _distribution(notes, f"{item.path}.distribution", required["sku"], given)
    return required


def _distribution(notes: Notes, path: str, sku: str, given: Any) -> dict[str, float] | None:
    given = unwrapped(notes, path, given)
    if not isinstance(given, dict):
        notes.dropped("wrong_type", path, given, "must be an object of shares by channel")
        return None
    cells = _read_cells(notes, path, sku, given)
    shares = {
        channel: share
        for channel, cell in cells.items()
        if (share := read_amount(notes, f"{path}.{channel}", cell, "share")) is not None
    }
    return shares or None


def _read_orders(notes: Notes, value: Any) -> Section:
    return _read_list(notes, "purchase_orders", value, _ORDERS, _order_item)


def _order_item(notes: Notes, item: Item) -> dict[str, Any] | None:
    order = _required(notes, item, {"material": MATERIALS}, "quantity")
    if order is None:
        return None
    if "vendor" in item.fields:
        order["vendor"] = read_name(notes, f"{item.path}.vendor", item.fields["vendor"], VENDORS)
    if "day" in item.fields:
        order["day"] = read_whole(notes, f"{item.path}.day", item.fields["day"])
    return {name: value for name, value in order.items() if value is not None}


def _read_marketing(notes: Notes, value: Any) -> Section:
    return _read_list(notes, "marketing", value, _MARKETING, _marketing_item)


def _marketing_item(notes: Notes, item: Item) -> dict[str, Any] | None:
    sku = item.fields.get("sku")
    names: dict[str, tuple[str, ...]] = {"channel": CHANNELS} if sku is None else {"channel": CHANNELS, "sku": SKUS}
    read = _required(notes, item, names, "amount")
    if read is None or sku is None:
        return read
    if read["channel"] not in CHANNELS_OF[read["sku"]]:
        notes.dropped("inactive_cell", f"{item.path}.sku", sku, f"{read['channel']} does not sell {read['sku']}")
        return None
    return read


def _read_finance(notes: Notes, value: Any) -> Section:
    value = unwrapped(notes, "finance", value)
    if not isinstance(value, dict):
        notes.dropped("wrong_type", "finance", value, "must be an object")
        return Section({}, 1, 0)
    fields = read_fields(notes, "finance", value, _FINANCE)
    finance: dict[str, Any] = {}
    asked = sum(given is not None and match(key, _FINANCE) is None for key, given in value.items())
    kept = 0
    for name, given in fields.items():
        if name == "investments" and given is not None:
            listed = _read_list(notes, "finance.investments", given, _INVESTMENTS, _investment_item)
            finance[name] = listed.value
            asked, kept = asked + (listed.asked > 0), kept + (listed.kept > 0)
            continue
        asked += given is not None
        if (amount := read_amount(notes, f"finance.{name}", given, "amount")) is not None:
            finance[name] = amount
            kept += 1
    return Section(finance, asked, kept)


def _investment_item(notes: Notes, item: Item) -> dict[str, Any] | None:
    return _required(notes, item, {"kind": KINDS}, "amount")


def _read_list(
    notes: Notes,
    path: str,
    value: Any,
    shape: ItemShape,
    read: Callable[[Notes, Item], dict[str, Any] | None],
) -> Section:
    items, asked = read_items(notes, path, value, shape)
    kept = [one for item in items if (one := read(notes, item)) is not None]
    return Section(kept, asked, len(kept))


def _required(notes: Notes, item: Item, names: dict[str, tuple[str, ...]], amount: str) -> dict[str, Any] | None:
    """The names and the amount without which an item means nothing; None when one is missing or bad, which is noted."""
    read: dict[str, Any] = {}
    for name in (*names, amount):
        path, given = f"{item.path}.{name}", item.fields.get(name)
        if given is None:
            notes.dropped("missing_field", path, None, "the item is nothing without it")
            return None
        if name in names:
            read[name] = read_name(notes, path, given, names[name])
        elif name == "quantity" or "kind" in names:
            read[name] = read_whole(notes, path, given)
        else:
            read[name] = read_amount(notes, path, given, "amount")
        if read[name] is None:
            return None
    return read


_PRODUCTION: Final = ItemShape(("sku", "quantity", "distribution"))
_ORDERS: Final = ItemShape(("material", "quantity", "vendor", "day"))
_MARKETING: Final = ItemShape(("channel", "amount", "sku"))
_FINANCE: Final = ("borrow", "repay", "dividend", "investments")
_INVESTMENTS: Final = ItemShape(("kind", "amount"))

READERS: Final = {
    "prices": SectionReader(
        _read_prices,
        f"prices are numbers above 0, by SKU or by SKU and channel; SKUs: {', '.join(SKUS)}; "
        f"channels: {', '.join(CHANNELS)}; hypermarket sells 1000 g only, independent 500 g only",
    ),
    "production": SectionReader(_read_production, f"items have a sku and a quantity; SKUs: {', '.join(SKUS)}"),
    "purchase_orders": SectionReader(
        _read_orders, f"items have a material and a quantity; materials: {', '.join(MATERIALS)}; vendors: A, B"
    ),
    "marketing": SectionReader(
        _read_marketing, f"items have a channel and an amount, and may have a sku; channels: {', '.join(CHANNELS)}"
    ),
    "finance": SectionReader(
        _read_finance, f"fields are borrow, repay, dividend and investments; kinds: {', '.join(KINDS)}"
    ),
}
"""The sections that act, in a decision's order."""
