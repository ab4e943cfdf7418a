"""What an error body says, whatever its shape: kind, parameter and message.

Shapes seen: `{"error": {…}}`, `{"error": "…"}`, `[{"error": {…}}]`, `{"detail": …}` with a text or a list of field
errors, `{"message": …, "code": …}` without a frame, an error of a provider inside a router's, and plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

WORDS_CHARACTERS: Final = 2_000
"""Length to which an error's text is read."""
_FRAMES: Final = ("error", "detail", "errors", "Error")
_KINDS: Final = ("code", "type", "status", "error_code", "reason", "error_type")
_MESSAGES: Final = ("message", "msg", "Message", "error_msg", "errorMessage", "error_message", "description", "detail")
_UNITS: Final = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
"""Seconds of a unit of time, as error texts write it."""


class ErrorBody(NamedTuple):
    """Parts of an error, each "" when it does not say.

    Attributes:
        kind: codes, types, statuses and reasons, joined by blanks.
        parameter: the parameter that it names in a field of its own.
    """

    kind: str
    parameter: str
    message: str

    @property
    def words(self) -> str:
        """All that it says, in one text."""
        return f"{self.kind} {self.message}".strip()


def read_error_body(body: str) -> ErrorBody:
    """Read an error body; a text that is no JSON is its own message."""
    try:
        answer = json.loads(body.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return ErrorBody("", "", body.strip()[:WORDS_CHARACTERS])
    return _bounded(_read(answer, 0), body)


def has_error(answer: Mapping[str, Any]) -> bool:
    """Whether an answer that holds no reply tells of an error, in or without a frame."""
    if any(answer.get(frame) for frame in _FRAMES):
        return True
    return any(answer.get(kind) not in (None, "", 0) for kind in _KINDS) and bool(_message(answer))


def retry_delay_s(body: str) -> float | None:
    """Seconds that an error's body asks to wait, None when it does not say."""
    found = _RETRY_DELAY.search(body[:WORDS_CHARACTERS])
    if found:
        return float(found[1])
    told = _TRY_AGAIN.search(read_error_body(body).message)
    if told is None:
        return None
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in _PART.findall(told[1]))


def _bounded(read: ErrorBody, body: str) -> ErrorBody:
    if not read.words:
        read = read._replace(message=body.strip())
    return ErrorBody(*(part[:WORDS_CHARACTERS] for part in read))


def _read(value: Any, depth: int) -> ErrorBody:
    if isinstance(value, list):
        return _of_list(value, depth)
    if not isinstance(value, dict):
        return ErrorBody("", "", value if isinstance(value, str) else "")
    framed = next((value[frame] for frame in _FRAMES if value.get(frame)), None)
    if framed is not None and depth < 3 and not _message(value):
        return _within(value, _read(framed, depth + 1))
    inner = _inside(value, depth)
    if inner is not None:
        return _within(value, inner)
    kind = _joined((_kind(value), *_details(value.get("details"))))
    return ErrorBody(kind, _text(value.get("param")), _message(value))


def _within(value: dict[str, Any], inner: ErrorBody) -> ErrorBody:
    return inner._replace(kind=_joined((_kind(value), inner.kind)))


def _of_list(items: list[Any], depth: int) -> ErrorBody:
    """The first error of a list; of field errors, all messages and the first one's field."""
    rows = [item for item in items[:20] if isinstance(item, dict)]
    if not rows:
        return ErrorBody("", "", _text(items) if items else "")
    if "loc" not in rows[0]:
        return _read(rows[0], depth + 1)
    told = "; ".join(f"{'.'.join(map(str, _place(row)))}: {_text(row.get('msg'))}" for row in rows)
    place = _place(rows[0])
    return ErrorBody(_text(rows[0].get("type")), str(place[-1]) if place else "", told)


def _inside(value: dict[str, Any], depth: int) -> ErrorBody | None:
    """The error that a router passes on inside of its own."""
    metadata, message = value.get("metadata"), value.get("message")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(message, dict) and depth < 3:
        return _read(message, depth + 1)
    if isinstance(raw, str) and raw and depth < 3:
        inner = read_error_body(raw)
        return inner._replace(message=f"{_message(value)}: {inner.message}")
    return None


def _place(row: dict[str, Any]) -> list[Any]:
    place = row.get("loc")
    return [part for part in place if part != "body"] if isinstance(place, list) else []


def _kind(value: Mapping[str, Any]) -> str:
    return _joined(_text(value.get(name)) for name in _KINDS)


def _details(details: Any) -> Iterable[str]:
    """Reasons and quotas in the details of Google's errors."""
    for row in details[:20] if isinstance(details, list) else ():
        if isinstance(row, dict):
            yield _text(row.get("reason"))
            violations = row.get("violations")
            for violation in violations[:20] if isinstance(violations, list) else ():
                yield _text(violation.get("quotaId")) if isinstance(violation, dict) else ""


def _message(value: Mapping[str, Any]) -> str:
    return next((_text(value[name]) for name in _MESSAGES if isinstance(value.get(name), str) and value[name]), "")


def _joined(parts: Iterable[str]) -> str:
    return " ".join(part for part in parts if part)


def _text(value: object) -> str:
    if value is None or value == {}:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_RETRY_DELAY: Final = re.compile(r'"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"')
"""Seconds that some providers ask for in an error's body and in no header."""
_TIME: Final = rf"\d{{1,9}}(?:\.\d{{1,9}})?\s?(?:{'|'.join(sorted(_UNITS, key=len, reverse=True))})(?![a-z])"
_TRY_AGAIN: Final = re.compile(rf"(?:try again|retry) (?:in|after) ((?:{_TIME}\s?){{1,4}})", re.IGNORECASE)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)\s?([a-zA-Z]+)")
