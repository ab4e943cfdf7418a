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

# Read in this order: the first class whose words stand in an error's code, type, status or message.
_WORDS: Final[tuple[tuple[CallClass, re.Pattern[str]], ...]] = (
    ("rate", re.compile(r"throttling|per[ _-]?minute|rate[ _-]?limit|burst|too many requests|\b[rt]pm\b", re.I)),
    (
        "quota",
        re.compile(
            r"insufficient[ _]quota|quota_?exceeded|exceeded your .{0,20}quota|usage quota|setlimitexceeded|billing"
            r"|insufficient (balance|credit)|credit balance|arrearage|account_?overdue|overdue|out of credits",
            re.I,
        ),
    ),
    (
        "auth",
        re.compile(
            r"invalid_api_key|authentication|api[ _-]?key|unauthorized|permission_(denied|error)|(invalid|bad) token",
            re.I,
        ),
    ),
    (
        "content_filter",
        re.compile(
            r"content_filter|content_policy|responsibleaipolicy|content (management|filtering) policy"
            r"|data_?inspection_?failed|sensitive_?content|inappropriate content",
            re.I,
        ),
    ),
    (
        "context_overflow",
        re.compile(
            r"context_length|context_size|context length|context window|context size|maximum context|too many tokens"
            r"|prompt is too long|prompt_too_long|range of input length|input token count|input (is )?too long",
            re.I,
        ),
    ),
    (
        "model_not_found",
        re.compile(
            r"model_?not_?(found|open)|unknown model|(invalid|no such|not a valid) model\b"
            r"|model\b.{0,80}\b(not found|does not exist|not exist)",
            re.I,
        ),
    ),
)
_CAN_BE_OTHER: Final = frozenset({400, 402, 403, 404, 413, 422, 429})
"""Statuses under which servers report more than one class, so that the words decide; 200 never speaks for itself."""
_RETRY_DELAY: Final = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')
"""Seconds that some providers ask for in an error's body and in no header."""
_HALF_CHARACTER: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""An escaped surrogate: half of a character, whose other half may be missing."""


@dataclass(frozen=True)
class Fault:
    """Why one answer is no reply; its tokens may have been billed all the same.

    Attributes:
        parameter: the parameter that the error names in a field of its own, "" without one.
    """

    error_class: CallClass
    message: str
    tokens: Tokens = field(default_factory=Tokens)
    parameter: str = ""


def read_error(status: int, body: str) -> Fault:
    """Class and message of an answer that is no reply; `status` 200 stands for an error inside a good answer."""
    if is_html(body):
        return Fault(_class_of_page(status), body[:MESSAGE_CHARACTERS])
    error = _error_fields(body)
    message = (error["message"] or body or f"status {status} without a body")[:MESSAGE_CHARACTERS]
    by_words = _class_by_words(status, " ".join(error.values()), body)
    return Fault(by_words or _class_by_status(status), message, parameter=error["param"])


def retry_delay_s(body: str) -> float | None:
    """Seconds that an error's body asks to wait, None when it does not say."""
    found = _RETRY_DELAY.search(body)
    return float(found[1]) if found else None


def read_object(body: str) -> dict[str, Any] | Fault:
    """The JSON object of an answer that came with status 200, the first one where a list came."""
    if is_html(body):
        return Fault("html_body", body[:MESSAGE_CHARACTERS])
    try:
        answer = json.loads(body.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return Fault("broken_body", f"the body is no JSON: {body[:MESSAGE_CHARACTERS]!r}")
    if _HALF_CHARACTER.search(body):
        answer = _whole_characters(answer)
    if isinstance(answer, list) and answer:
        answer = answer[0]
    if not isinstance(answer, dict):
        return Fault("broken_body", f"the body is no JSON object: {body[:MESSAGE_CHARACTERS]!r}")
    return answer


def is_html(body: str) -> bool:
    """Whether a body is a page, such as a proxy's, and no JSON."""
    return body.lstrip()[:200].lower().startswith(("<html", "<!doctype", "<head", "<body", "<?xml"))


def _class_of_page(status: int) -> CallClass:
    """Class of a proxy's page: one that may pass, unless key or address are wrong."""
    pages: dict[int, CallClass] = {401: "auth", 404: "model_not_found", 503: "overloaded", 529: "overloaded"}
    return pages.get(status, "html_body")


def _class_by_status(status: int) -> CallClass:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status == 200 or status >= 500:
        return "server"
    return "bad_request"


def _class_by_words(status: int, words: str, body: str) -> CallClass | None:
    if status not in _CAN_BE_OTHER and status != 200:
        return None
    if status == 429 and retry_delay_s(body) is not None:
        return "rate"  # a provider that says how long to wait has not run out, whatever it calls it
    for error_class, pattern in _WORDS:
        if error_class == "rate" and status not in (429, 200):
            continue
        if pattern.search(words):
            return error_class if status != 429 or error_class in ("rate", "quota") else None
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
    return {name: _words_of(fields.get(name)) for name in ("code", "type", "status", "param", "message")}


def _whole_characters(value: Any) -> Any:
    """The value with half surrogate pairs replaced: a cut reply may end in one, and no file or peer takes it."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return value


def _words_of(value: object) -> str:
    if value is None or value == {}:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
