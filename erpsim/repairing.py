"""`json-repair` on a damaged object, kept within bounds: what it may be given, and what of its work is taken.

Its time grows with length times damage, so an object that is long, deep, crowded, or has many marks out of place is not
given to it. It guesses, so nothing is taken in which a number does not stand in the text just as it came out, or a key
of the text is missing; and an object that leaves items out by an ellipsis is not whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import json_repair

LENGTH: Final = 16_000
"""Characters beyond which an object is not repaired."""
DEPTH: Final = 10
"""Nesting beyond which an object is not repaired."""
SEPARATORS: Final = 1_500
"""Colons and commas beyond which an object is not repaired; a full decision has a few hundred."""
MISPLACED: Final = 48
"""Quotes and brackets out of place beyond which an object is not repaired; a missing comma counts 2."""


class Repaired(NamedTuple):
    """What came out, and whether a key was given more than once on the way."""

    value: Any
    duplicates: bool


def repair(text: str) -> Repaired | None:
    """Repair a damaged object; None when it is too long, too deep or too damaged, or the outcome would be a guess."""
    if _is_beyond_repair(text):
        return None
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except _GIVES_UP:
        return None
    leaves = list(_leaves(value))
    numbers = Counter(float(leaf) for leaf in leaves if isinstance(leaf, int | float))
    if numbers - Counter(float(number) for number in _CLEAN_NUMBER.findall(text)):
        return None
    if any(isinstance(leaf, str) and _is_part_of_a_number(leaf, text) for leaf in leaves):
        return None
    written, kept = Counter(_KEY.findall(text)), Counter(_keys(value))
    if written.keys() - kept.keys():
        return None
    return Repaired(value, any(count > kept[key] for key, count in written.items()))


def _is_beyond_repair(text: str) -> bool:
    return (
        len(text) > LENGTH
        or text.count(":") + text.count(",") > SEPARATORS
        or depth(text) > DEPTH
        or misplaced(text) > MISPLACED
        or _ELLIPSIS.search(text) is not None
    )


# A foreign parser of any text: it wraps its recursion error, and its slips are no reason to lose a round.
_GIVES_UP: Final = (AttributeError, LookupError, RecursionError, TypeError, ValueError)

# A number that ends where JSON lets a number end. `12` of `12 000`, `12'000`, `12,000` or `12*8` is not one.
_CLEAN_NUMBER: Final = re.compile(
    r"[:\[,]\s*+(-?\d++(?:\.\d++)?(?:[eE][+-]?\d{1,3}+)?)(?=\s*+(?:,(?!\d)|[}\]]|//|/\*|#)|\s++[\"'])", re.ASCII
)

_KEY: Final = re.compile(r"[{,]\s*+[\"']([^\"'{}\[\]:,\n]{1,60}+)[\"']\s*+:")
_ELLIPSIS: Final = re.compile(r"[{\[,:]\s*+(?:\.\.\.|…)")


def depth(text: str) -> int:
    """Deepest nesting as a careless reader may see it: strings are no shelter, a wrong bracket closes nothing."""
    missing: list[str] = []
    deepest = 0
    for bracket in re.findall(r"[\[\]{}()]", text):
        if bracket in _PARTNERS:
            missing.append(_PARTNERS[bracket])
            deepest = max(deepest, len(missing))
        elif missing and bracket == missing[-1]:
            missing.pop()
    return deepest


def misplaced(text: str) -> int:
    """Count quotes that neither open nor close a string, or may do both, and brackets with a wrong neighbour."""
    dense = "".join(text.split())
    count = 0
    for mark in _MARKS.finditer(dense):
        before, after = dense[mark.start() - 1 : mark.start()], dense[mark.end() : mark.end() + 1]
        opens, closes = before in _BEFORE, after in _AFTER
        wrong = opens == closes if mark[0] == '"' else not (opens if mark[0] in "{[" else closes)
        count += wrong
    return count


_PARTNERS: Final = {"{": "}", "[": "]", "(": ")"}
_MARKS: Final = re.compile(r'(?<!\\)"|[{}\[\]]')
_BEFORE: Final = ("", "{", "[", ",", ":")
_AFTER: Final = ("", "}", "]", ",", ":")


def _leaves(value: Any) -> Iterator[int | float | str]:
    """Numbers and texts in a value."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    elif isinstance(value, int | float | str) and not isinstance(value, bool):
        yield value


def _is_part_of_a_number(leaf: str, text: str) -> bool:
    """Whether a text of digits stands nowhere by itself: `6000` out of `16000`."""
    if not leaf[:1].isdigit():
        return False
    return re.search(rf"(?<![\d.,]){re.escape(leaf)}(?!\d)", text) is None


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _keys(part)
