"""JSON read strictly: duplicate keys are remembered, non-finite numbers are marked, deep nesting is refused unread."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

DEPTH: Final = 64
"""Nesting beyond which a text is refused before any parser sees it; a decision needs five levels."""

PATH: Final = 200
"""Characters of a path that are kept; keys may be of any length."""

INTEGER_DIGITS: Final = 300
"""Digits beyond which an integer is too large to be a finite float."""


@dataclass(frozen=True)
class NonFinite:
    """A number that is not finite, as it was written: NaN, Infinity, 1e999."""

    text: str


class JsonObject(dict[str, Any]):
    """A JSON object that remembers which keys were given more than once; the last value of each holds."""

    duplicates: tuple[str, ...] = ()
    unique: bool = False  # true of the outermost object of a text in which no object gives a key twice


def decode(text: str) -> Any:
    """Read one JSON value that is the whole text.

    Objects come as `JsonObject`, numbers that are not finite as `NonFinite`.

    Raises:
        ValueError: the text is no JSON, or nested too deep; the message says where.
    """
    if too_deep(text, DEPTH):
        raise ValueError(f"nested deeper than {DEPTH} levels")
    repeating: list[JsonObject] = []

    def read_object(pairs: list[tuple[str, Any]]) -> JsonObject:
        read = JsonObject(pairs)
        if len(read) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            read.duplicates = tuple(key for key, count in counts.items() if count > 1)
            repeating.append(read)
        return read

    value = json.loads(
        text, object_pairs_hook=read_object, parse_int=_integer, parse_float=_float, parse_constant=NonFinite
    )
    if isinstance(value, JsonObject):
        value.unique = not repeating
    return value


def too_deep(text: str, depth: int) -> bool:
    """Tell whether brackets outside of strings nest deeper than `depth`."""
    if text.count("{") + text.count("[") <= depth:
        return False
    # Where nothing is escaped, every other part between quotes lies outside of strings.
    outside = _STRINGS.sub("", text) if "\\" in text else "".join(text.split('"')[::2])
    brackets = outside.encode("utf-8", "replace").translate(None, _NO_BRACKETS)
    return any(level > depth for level in accumulate(1 if bracket in b"{[" else -1 for bracket in brackets))


def duplicates(value: Any, path: str = "") -> Iterator[str]:
    """Give the path of each key, in a value that `decode` read, that was given more than once."""
    if getattr(value, "unique", False):
        return
    for key in getattr(value, "duplicates", ()):
        yield join(path, key)
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in [(key, item) for key, item in items if isinstance(item, dict | list)]:
        yield from duplicates(item, join(path, key) if isinstance(key, str) else f"{path}[{key}]"[:PATH])


def join(path: str, key: str) -> str:
    """Path of a key inside what stands at `path`, cut to what anyone reads."""
    return f"{path}.{key}"[:PATH] if path else key[:PATH]


_STRINGS: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"?')
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


def _integer(text: str) -> int | NonFinite:
    return int(text) if len(text) <= INTEGER_DIGITS else NonFinite(text[:40])


def _float(text: str) -> float | NonFinite:
    value = float(text)
    return value if math.isfinite(value) else NonFinite(text[:40])
