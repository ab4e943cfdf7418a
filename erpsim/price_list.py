"""Prices given as a list of rows, read as the table that is meant: `[{"sku": "NUT-500", "price": 4.1}, …]`."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from erpsim.catalogue import CHANNELS
from erpsim.field_reading import ITEM_LIMIT
from erpsim.key_matching import match
from erpsim.reading import Notes

FORM: Final = ("sku", "channel", "price")
"""Fields of a row: with a channel one cell, without one the whole SKU; a channel's name may hold its price itself."""


def as_table(notes: Notes, value: Any) -> Any:
    """Prices by SKU from a list of rows, noted; anything else, and a list with a row of another form, as it is.

    Of two prices for one cell the last holds, which is noted.
    """
    if not isinstance(value, list) or not 0 < len(value) <= ITEM_LIMIT:
        return value
    rows = [_row(entry) for entry in value]
    if any(row is None for row in rows):
        return value
    notes.coerced("list_for_object", "prices", (None, None), "a list of rows, read as prices by SKU")
    table: dict[str, Any] = {}
    for sku, given in (row for row in rows if row is not None):
        before = table.get(sku)
        if isinstance(before, dict) and isinstance(given, dict):
            repeated, table[sku] = bool(before.keys() & given.keys()), before | given
        else:
            repeated, table[sku] = sku in table, given
        if repeated:
            notes.coerced("duplicate_key", f"prices.{sku}", (None, None), "given more than once; the last one holds")
    return table


class _Row(NamedTuple):
    sku: str
    given: Any  # a price, or prices by channel


def _row(entry: Any) -> _Row | None:
    """One row read; None when it has another form."""
    if not isinstance(entry, dict):
        return None
    fields = {match(key, (*FORM, *CHANNELS)): item for key, item in entry.items()}
    if len(fields) < len(entry) or None in fields or not isinstance(sku := fields.pop("sku", None), str):
        return None
    channel = fields.pop("channel", None)
    if channel is None and len(fields) == 1 and "price" in fields:
        return _Row(sku, fields["price"])
    if channel is None and fields and "price" not in fields:
        return _Row(sku, fields)
    return _Row(sku, {channel: fields["price"]}) if isinstance(channel, str) and list(fields) == ["price"] else None
