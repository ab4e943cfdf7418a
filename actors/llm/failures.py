"""From an HTTP answer that is no reply to an error class, by status first and by the error's own words next."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from actors.llm.calls import CallClass, Tokens
from actors.llm.error_body import read_error_body, retry_delay_s

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

# Read in this order: the first class whose words stand in an error's kind or message.
_WORDS: Final[tuple[tuple[CallClass, re.Pattern[str]], ...]] = (
    ("rate", re.compile(r"throttl(?:ing|ed)|per[ _-]?minute|rate[ _-]?limit|burst|too many requests|\b[rt]pm\b", re.I)),
    (
        "quota",
        re.compile(
            r"insufficient[ _]quota|quota[ _]?exceeded|exceeded your .{0,20}quota|usage (quota|limit)|setlimitexceeded"
            r"|insufficient (balance|credit)|credit balance|credits? (is |are )?(exhausted|depleted)|out of credits"
            r"|billing|arrearage|overdue|spending limit|free ?tier ?only|free tier.{0,40}exhausted",
            re.I,
        ),
    ),
    (
        "content_filter",
        re.compile(
            r"content[ _]filter|content[ _]polic(y|ies)|responsibleaipolicy|content (management|filtering) policy"
            r"|content exists risk|data_?inspection_?failed|sensitive_?content|inappropriate content"
            r"|invalid_prompt|flagged as potentially|(input|prompt|request) was flagged"
            r"|(blocked|flagged|rejected|refused) by .{0,30}moderation|moderation_blocked|moderation (policy|blocked)",
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
        "context_overflow",
        re.compile(
            r"context_length|context_size|context length|context window|context size|maximum context|too many tokens"
            r"|prompt is too long|prompt_too_long|range of input length|input token count|(input|prompt) (is )?too long"
            r"|input_too_long|exceeds? the (model'?s )?max(imum)? (input|prompt|message)|request_too_large",
            re.I,
        ),
    ),
    (
        "model_not_found",
        re.compile(
            r"model_?not_?(found|open)|unknown model|(invalid|no such|not a valid) model\b"
            r"|model[ ._]?access[ ._]?denied"
            r"|model\b.{0,80}\b(not found|does not exist|not exist)",
            re.I,
        ),
    ),
)
_CAN_BE_OTHER: Final = frozenset({400, 402, 403, 404, 413, 422, 429})
"""Statuses under which servers report more than one class, so that the words decide; 200 never speaks for itself."""
_PASSING: Final = re.compile(
    r"overloaded|(temporarily|currently|(service|server|endpoint|engine) is) (unavailable|busy)"
    r"|unable to reach|timed out|try again later",
    re.I,
)
_DAILY: Final = re.compile(r"per[ _-]?day|\b[rt]pd\b|daily (limit|quota)", re.I)
"""A limit of the day; it passes, but not while a call waits."""
_HALF_CHARACTER: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""An escaped surrogate: half of a character, whose other half may be missing."""


@dataclass(frozen=True)
class Fault:
    """Why one answer is no reply; its tokens may have been billed all the same.

    Attributes:
        message: the error's own, cut to `MESSAGE_CHARACTERS`.
        parameter: the parameter that the error names in a field of its own, "" without one.
        words: all that the error says, "" when it came from elsewhere.
    """

    error_class: CallClass
    message: str
    tokens: Tokens = field(default_factory=Tokens)
    parameter: str = ""
    words: str = ""


def read_error(status: int, body: str, rate_words: tuple[str, ...] = ()) -> Fault:
    """Class and message of an answer that is no reply.

    Args:
        status: 200 stands for an error inside a good answer.
        body: its text.
        rate_words: words, in lower case, that mean under 429 a rate at this server, whatever others mean by them.
    """
    if is_html(body):
        return Fault(_class_of_page(status), body.strip("\ufeff \t\r\n")[:MESSAGE_CHARACTERS])
    error = read_error_body(body)
    message = (error.message or body or f"status {status} without a body")[:MESSAGE_CHARACTERS]
    said_rate = status == 429 and any(word in error.words.lower() for word in rate_words)
    by_words: CallClass | None = "rate" if said_rate else _class_by_words(status, error.words, body)
    return Fault(by_words or _class_by_status(status), message, parameter=error.parameter, words=error.words)


def read_object(body: str) -> dict[str, Any] | Fault:
    """The JSON object of an answer that came with status 200, the first one where a list came."""
    if is_html(body):
        return Fault("html_body", body.strip("\ufeff \t\r\n")[:MESSAGE_CHARACTERS])
    try:
        answer = json.loads(body.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        told = "a stream, which was not asked for" if is_stream(body) else "no JSON"
        return Fault("broken_body", f"the body is {told}: {body[:MESSAGE_CHARACTERS]!r}"[:MESSAGE_CHARACTERS])
    if _HALF_CHARACTER.search(body):
        answer = _whole_characters(answer)
    if isinstance(answer, list) and answer:
        answer = answer[0]
    if not isinstance(answer, dict):
        return Fault("broken_body", f"the body is no JSON object: {body[:MESSAGE_CHARACTERS]!r}"[:MESSAGE_CHARACTERS])
    return answer


def is_html(body: str) -> bool:
    """Whether a body is a page, such as a proxy's; no JSON begins like one."""
    return body.lstrip("\ufeff \t\r\n").startswith("<")


def is_stream(body: str) -> bool:
    """Whether a body is a stream of events."""
    return body.lstrip("\ufeff \t\r\n").startswith(("data:", "event:", ": "))


def read_count(value: object) -> int | None:
    """A count of tokens as servers write it: a whole number, as such, as a float or as text; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(_MOST_TOKENS)):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and isinstance(value, int) and 0 <= value <= _MOST_TOKENS else None


_MOST_TOKENS: Final = 10**12
"""Tokens of one call beyond which a count is none."""


def _class_of_page(status: int) -> CallClass:
    """Class of a proxy's page: one that may pass, unless key, address or request are wrong."""
    pages: dict[int, CallClass] = {403: "html_body", 408: "timeout", 425: "server"}
    if status in pages:
        return pages[status]
    by_status = _class_by_status(status)
    return "html_body" if by_status == "server" else by_status


def _class_by_status(status: int) -> CallClass:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status == 200 or status >= 500:
        return "server"
    return "bad_request"


def _class_by_words(status: int, words: str, body: str) -> CallClass | None:
    if status == 500:
        return "context_overflow" if _CONTEXT.search(words) else None
    if status not in _CAN_BE_OTHER and status != 200:
        return None
    if status == 429:
        return _rate_or_quota(words, body)
    if status in (200, 400) and _PASSING.search(words):
        return "overloaded"  # a part of the server that is away has judged nothing
    for error_class, pattern in _WORDS:
        if error_class == "rate" and status not in (200, 400, 403):
            continue
        if pattern.search(words):
            return error_class
    return None


def _rate_or_quota(words: str, body: str) -> CallClass | None:
    """A provider that says how long to wait has not run out, whatever it calls it; unless it is the day's limit."""
    delay_s = retry_delay_s(body)
    if _DAILY.search(words) and (delay_s is None or "PerDay" in words):
        return "quota"
    if delay_s is not None:
        return "rate"
    return next((name for name, pattern in _WORDS if name in ("rate", "quota") and pattern.search(words)), None)


_CONTEXT: Final = dict(_WORDS)["context_overflow"]


def _whole_characters(value: Any) -> Any:
    """The value with half surrogate pairs replaced: a cut reply may end in one, and no file or peer takes it."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return value
