"""One field of a proposal read at a time: names and numbers, each coercion and each drop noted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from erpsim.catalogue import CHANNELS, MATERIALS, SKUS, VENDORS
from erpsim.investments import KINDS
from erpsim.json_text import NonFinite, decode, join
from erpsim.key_matching import match
from erpsim.number_text import NumberKind, read_number
from erpsim.reading import Notes

WHOLE_LIMIT: Final = 10**15
"""Whole numbers from here on are out of range; nothing in a firm counts that far."""
ITEM_LIMIT: Final = 200
"""Items of one list and keys of one object that are read; a firm's line and orders need far fewer."""
_NOUNS: Final[dict[tuple[str, ...], str]] = {
    SKUS: "sku",
    CHANNELS: "channel",
    MATERIALS: "material",
    VENDORS: "vendor",
    KINDS: "kind",
}
_KINDS: Final = {"whole": "whole number"}
_LARGEST: Final = sys.float_info.max
_ENDLESS: Final = ("nan", "inf", "infinity", "+inf", "-inf", "+infinity", "-infinity")


def read_amount(notes: Notes, path: str, value: Any, kind: NumberKind) -> float | None:
    """Read a number that may not be negative unless it is a price, which repair puts into its band.

    None when it is not given or was dropped.
    """
    if value is None:
        notes.not_given(path)
        return None
    number = _number(notes, path, value, kind)
    if number is None:
        return None
    if number < 0 and kind != "price":
        notes.dropped("out_of_range", path, value, "must not be below 0", 0)
        return None
    return number


def read_whole(notes: Notes, path: str, value: Any) -> int | None:
    """Read a whole number from 0 up; a fraction is cut off. None when it is not given or was dropped."""
    number = read_amount(notes, path, value, "whole")
    if number is None:
        return None
    if number >= WHOLE_LIMIT:
        notes.dropped("out_of_range", path, value, "is far too large", WHOLE_LIMIT)
        return None
    whole = int(number)
    if whole != number:
        notes.coerced("fraction_cut", path, (value, whole), "whole numbers only; the fraction is cut off")
    elif isinstance(value, float):
        notes.coerced("whole_number", path, (value, whole), "a whole number written with a point")
    return whole


def read_name(notes: Notes, path: str, value: Any, options: tuple[str, ...]) -> str | None:
    """Read one of the names that are valid; None when it is not given or was dropped."""
    if value in options:
        return str(value)
    if value is None:
        notes.not_given(path)
        return None
    known = match(value, options) if isinstance(value, str) else None
    if known is None:
        noun = _NOUNS[options]
        notes.dropped(f"unknown_{noun}", path, value, f"no such {noun}", ", ".join(options))
    else:
        notes.coerced("alias", path, (value, known), "read as the name that is meant")
    return known


def read_fields(notes: Notes, path: str, value: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Sort an object's fields by our names; unknown ones are dropped, of two for one name the last holds."""
    fields: dict[str, Any] = {}
    for key, item in first_items(notes, path, value):
        if key in names and key not in fields:
            fields[key] = item
            continue
        known = match(key, names)
        if known is None:
            notes.dropped("unknown_field", join(path, key), item, "no such field", ", ".join(names))
            continue
        if known in fields:
            cause = "given more than once; the last one holds"
            notes.coerced("duplicate_key", join(path, known), (key, known), cause)
        else:
            notes.coerced("alias", join(path, known), (key, known), "read as the field that is meant")
        fields[known] = item
    return fields


def first_items(notes: Notes, path: str, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """An object's keys and values, no more than `ITEM_LIMIT`; that there are more is noted."""
    if len(value) > ITEM_LIMIT:
        notes.dropped("too_many", path, len(value), f"only the first {ITEM_LIMIT} keys are read", ITEM_LIMIT)
    return islice(value.items(), ITEM_LIMIT)


def unwrapped(notes: Notes, path: str, value: Any) -> Any:
    """A list or an object that was written as JSON text; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        inner = decode(value)
    except ValueError:
        return value
    if not isinstance(inner, list | dict):
        return value
    notes.coerced("json_text", path, (value, None), "a list or an object written as JSON text")
    return inner


def _number(notes: Notes, path: str, value: Any, kind: NumberKind) -> float | None:
    if type(value) in (int, float) and -_LARGEST <= value <= _LARGEST:
        return value if kind == "whole" else float(value)
    if isinstance(value, str):
        number = read_number(value, kind)
        if number is not None:
            notes.coerced("number_text", path, (value, number), "a number written as text")
            return number
        endless = value.strip().lower() in _ENDLESS
        code = "non_finite" if endless else "not_a_number"
        unclear = f"is no {_KINDS.get(kind, kind)}, or an ambiguous one"
        notes.dropped(code, path, value, "must be a finite number" if endless else unclear)
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | NonFinite):
        notes.dropped("wrong_type", path, value, "must be a number")
    else:
        notes.dropped("non_finite", path, value, "must be a finite number")
    return None
