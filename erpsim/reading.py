"""What reading a model's text gives: a decision, what was done to the text on the way, and what is wrong with it."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, Literal

from erpsim.decision import Decision
from erpsim.events import Event, ItemDropped, ParseRecovered, Scalar, ValueCoerced
from erpsim.json_text import PATH, NonFinite, decode

Cause = Literal["no_json", "empty", "refusal", "truncated", "content_filter", "invalid", "tool_budget"]

EVENT_LIMIT: Final = 500
"""Events of one text beyond which further ones of a kind and code are counted in one."""

ASKED_CHARACTERS: Final = PATH
"""Characters kept of what was asked; the raw text is kept elsewhere, whole."""


@dataclass(frozen=True)
class Failure:
    """Why a text gave no decision, or only part of one; the message is the error that a model is told."""

    cause: Cause
    message: str


@dataclass(frozen=True)
class Reading:
    """One text read.

    `failure` is None when all is well. With a failure, `decision` is what could be used all the same, the unusable
    sections left out, or None when nothing could; it is for the time when there is no asking again.
    """

    decision: Decision | None
    events: tuple[Event, ...]
    failure: Failure | None

    @property
    def clean(self) -> bool:
        """Whether the text was used as it stood: no failure, and no event but that of prices left out."""
        return self.failure is None and all(event.code == ABSENT_PRICE for event in self.events)


ABSENT_PRICE: Final = "absent_price"


class Notes:
    """The events of one text, in the order in which they happen."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._beyond: Counter[tuple[type[Event], str]] = Counter()

    @property
    def events(self) -> tuple[Event, ...]:
        """What was noted so far; what went beyond the limit comes last, counted by kind and code."""
        counted = (
            kind(code, cause=f"further items after the first {EVENT_LIMIT} events", n=count)
            for (kind, code), count in self._beyond.items()
        )
        return (*self._events, *counted)

    def recovered(self, code: str, cause: str) -> None:
        """Note that the text was no clean JSON."""
        self._add(ParseRecovered(code, cause=cause))

    def coerced(self, code: str, path: str, values: tuple[Any, Any], cause: str) -> None:
        """Note that a key or value was read by a rule; `values` are what was asked and what is granted."""
        asked, granted = values
        self._add(ValueCoerced(code, presentable(path), scalar(asked), scalar(granted), cause=cause))

    def dropped(self, code: str, path: str, asked: Any, cause: str, limit: Scalar = None) -> None:
        """Note that an item could not be used."""
        self._add(ItemDropped(code, presentable(path), scalar(asked), limit=limit, cause=cause))

    def not_given(self, path: str) -> None:
        """Note a null where a value belongs; it counts as not given."""
        self.coerced("null_not_given", path, (None, None), "null counts as not given")

    def absent_prices(self, names: list[str]) -> None:
        """Note which SKUs a price table leaves out."""
        cause = f"last round's prices, in round 1 list prices, hold for {', '.join(names)}"
        self._add(ValueCoerced(ABSENT_PRICE, "prices", cause=cause, n=len(names)))

    def _add(self, event: Event) -> None:
        if len(self._events) < EVENT_LIMIT:
            self._events.append(event)
        else:
            self._beyond[type(event), event.code] += event.n


def scalar(value: Any) -> Scalar:
    """A value as an event may hold it: short, finite, and free of lone surrogates."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 10**15 else "over 1e15"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, NonFinite):
        return value.text
    return presentable(value if isinstance(value, str) else brief(value))


def presentable(text: str) -> str:
    """A text cut to what an event keeps, lone surrogates replaced."""
    return sound(text[:ASKED_CHARACTERS])


def sound(text: str) -> str:
    """A text with each lone surrogate, which no file can hold, replaced by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def compact(value: Any) -> str:
    """JSON text of a value that came from JSON."""
    return _JSON.encode(value)


def brief(value: Any) -> str:
    """The beginning of a value's JSON text, without writing the rest."""
    text = ""
    for piece in _JSON.iterencode(value):
        text += piece
        if len(text) > ASKED_CHARACTERS:
            break
    return text


def fault(text: str) -> str:
    """What is wrong with a text that is no JSON, and where; empty when nothing is."""
    try:
        decode(text)
    except json.JSONDecodeError as error:
        return f"{error.msg} near {excerpt(text, error.pos)}"
    except ValueError as error:
        return str(error)
    return ""


def excerpt(text: str, position: int) -> str:
    """What stands around a place of a text, on one line and in a bounded number of characters."""
    start, end = max(0, position - 30), position + 20
    before, after = text[start:position], text[position:end]
    shown = f"{'…' * (start > 0)}{before}⟨here⟩{after}{'…' * (end < len(text))}"
    return f"`{sound(' '.join(shown.split()))}`"


_JSON: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=lambda mark: mark.text)
