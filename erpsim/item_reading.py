"""Lists of items, and what can be read as one: each entry by itself, each coercion and each drop noted."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from erpsim.field_reading import ITEM_LIMIT, first_items, read_fields, unwrapped
from erpsim.json_text import join
from erpsim.key_matching import match
from erpsim.reading import Notes


class Item(NamedTuple):
    """One item of a list: where it stands, and its fields by our names."""

    path: str
    fields: dict[str, Any]


class ItemShape(NamedTuple):
    """How the items of a section look.

    The first name identifies an item and the second is its amount; a section given as an object of amounts by name is
    read as a list of such items.
    """

    names: tuple[str, ...]


class Items(NamedTuple):
    """The items of a section, and how many entries were asked for, those included that are no items."""

    items: tuple[Item, ...]
    asked: int


def read_items(notes: Notes, path: str, value: Any, shape: ItemShape) -> Items:
    """Read a section's items; what is no list and cannot be read as one is noted, and asks for one item.

    Besides a list, one item alone and an object of amounts (or of items) by name are read. Null is no entry.
    """
    value = unwrapped(notes, path, value)
    entries = _as_list(notes, path, value, shape) if isinstance(value, dict) else value
    if not isinstance(entries, list):
        notes.dropped("wrong_type", path, value, "must be a list of objects")
        return Items((), 1)
    if len(entries) > ITEM_LIMIT:
        notes.dropped("too_many", path, len(entries), f"only the first {ITEM_LIMIT} items are read", ITEM_LIMIT)
    items: list[Item] = []
    asked = 0
    for index, entry in enumerate(entries[:ITEM_LIMIT]):
        place = f"{path}[{index}]"
        asked += entry is not None
        if isinstance(entry, dict):
            items.append(Item(place, read_fields(notes, place, entry, shape.names)))
        elif entry is None:
            notes.not_given(place)
        else:
            notes.dropped("wrong_type", place, entry, f"must be an object with {', '.join(shape.names)}")
    return Items(tuple(items), asked)


def _as_list(notes: Notes, path: str, value: dict[str, Any], shape: ItemShape) -> list[Any]:
    name, amount = shape.names[:2]
    if any(match(key, shape.names) for key in islice(value, ITEM_LIMIT)):
        notes.coerced("object_for_list", path, (None, None), "one item alone, read as a list of one")
        return [value]
    if value:
        notes.coerced("object_for_list", path, (None, None), f"an object by {name}, read as a list")
    entries: list[Any] = []
    for key, entry in first_items(notes, path, value):
        if isinstance(entry, dict):
            if entry.get(name, key) != key:
                cause = "the item names itself; its own name holds"
                notes.coerced("duplicate_key", f"{join(path, key)}.{name}", (key, entry[name]), cause)
            entries.append({name: key, **entry})
        else:
            entries.append(None if entry is None else {name: key, amount: entry})
    return entries
