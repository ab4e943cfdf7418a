"""From an HTTP answer that is no reply to one of the error classes, by status first and by the error's own words next.

Error bodies differ by server: `{"error": {…}}`, `{"error": "…"}`, `[{"error": {…}}]`, `{"detail": …}`, plain text or a
proxy's page.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from actors.llm.calls import CallClass, Tokens

MESSAGE_CHARACTERS: Final = 200
"""Length to which an error's text is kept."""

_BY_STATUS: Final[dict[int, CallClass]] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "model_not_found",
    408: "timeout",
    409: "server",
    413: "context_overflow",
    425: "server",
    429: "rate",
    503: "overloaded",
    529: "overloaded",
}

# Read in this order: the first class whose words stand in an error's code, type or message.
_WORDS: Final[tuple[tuple[CallClass, re.Pattern[str]], ...]] = (
    ("quota", re.compile(r"insufficient_quota|quota_exceeded|billing|insufficient balance|credit balance", re.I)),
    ("auth", re.compile(r"invalid_api_key|authentication_error|api[ _]key|unauthorized|permission_denied", re.I)),
    (
        "content_filter",
        re.compile(r"content_filter|content_policy|responsibleaipolicy|content management policy", re.I),
    ),
    (
        "context_overflow",
        re.compile(
            r"context_length|context_size|context length|context window|maximum context|prompt is too long", re.I
        ),
    ),
    ("model_not_found", re.compile(r"model_not_found|model\b.{0,80}\b(not found|does not exist|not exist)", re.I)),
)
_CAN_BE_OTHER: Final = frozenset({400, 403, 404, 413, 422, 429})
"""Statuses under which servers report more than one class, so that the words decide; 200 never speaks for itself."""


@dataclass(frozen=True)
class Fault:
    """Why one answer is no reply; its tokens may have been billed all the same."""

    error_class: CallClass
    message: str
    tokens: Tokens = field(default_factory=Tokens)


def read_error(status: int, body: str) -> Fault:
    """Class and message of an answer that is no reply; `status` 200 stands for an error inside a good answer."""
    if is_html(body):
        return Fault("overloaded" if status in (503, 529) else "html_body", body[:MESSAGE_CHARACTERS])
    error = _error_fields(body)
    message = (error["message"] or body or f"status {status} without a body")[:MESSAGE_CHARACTERS]
    by_words = _class_by_words(status, " ".join(error.values()))
    return Fault(by_words or _class_by_status(status), message)


def is_html(body: str) -> bool:
    """Whether a body is a page, such as a proxy's, and no JSON."""
    return body.lstrip()[:200].lower().startswith(("<html", "<!doctype", "<head", "<body", "<?xml"))


def _class_by_status(status: int) -> CallClass:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status == 200 or status >= 500:
        return "server"
    return "bad_request"


def _class_by_words(status: int, words: str) -> CallClass | None:
    if status not in _CAN_BE_OTHER and status != 200:
        return None
    for error_class, pattern in _WORDS:
        if pattern.search(words) and not (status == 429 and error_class != "quota"):
            return error_class
    return None


def _error_fields(body: str) -> dict[str, str]:
    """Code, type and message of an error body, each "" when it does not say; a plain text is its own message."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = body
    if isinstance(answer, list) and answer:
        answer = answer[0]
    error = answer.get("error", answer.get("detail", answer)) if isinstance(answer, dict) else answer
    fields: dict[str, Any] = error if isinstance(error, dict) else {"message": error}
    return {name: _words_of(fields.get(name)) for name in ("code", "type", "status", "message")}


def _words_of(value: object) -> str:
    if value is None or value == {}:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
