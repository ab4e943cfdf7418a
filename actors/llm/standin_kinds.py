"""The faults that the stand-in server plays, by kind: what a provider or the network does, and how a reply is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NETWORK: Final[Mapping[str, str]] = MappingProxyType(
    {
        "429": "rate limit, Retry-After in seconds",
        "429_date": "rate limit, Retry-After as an HTTP date",
        "429_bare": "rate limit without Retry-After",
        "quota": "429 of an account whose quota is spent",
        "500": "server error",
        "502": "bad gateway",
        "503": "service unavailable",
        "529": "overloaded",
        "502_html": "bad gateway with a page instead of JSON",
        "html": "a page under status 200",
        "reset": "connection cut before the answer",
        "half": "connection cut in the middle of the body",
        "hang": "no answer",
        "drip": "a whole answer in small pieces",
        "text_plain": "a good answer as text/plain",
        "octet_stream": "a good answer as application/octet-stream",
        "empty_choices": "an answer without choices",
        "error_200": "an error object under status 200",
        "401": "wrong key",
        "403": "wrong key as 403",
        "key_400": "wrong key as 400",
        "bad_parameter": "400 that wants max_completion_tokens in place of max_tokens",
        "old_parameter": "400 that wants max_tokens in place of max_completion_tokens",
        "bad_temperature": "400 that names temperature",
        "bad_format": "400 that names response_format",
        "bad_tool_choice": "400 that names tool_choice",
        "context_overflow": "400 on a first request with results of tools, too long for the context",
        "404": "model not found",
        "filter_400": "content filter as 400",
    }
)
"""What each does; met by a request before any reply, whatever the reply would be."""

ONCE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "fence": "decision in a code fence",
        "prose": "decision between sentences",
        "think": "decision after a think block that holds a draft",
        "two_objects": "a draft, then the decision",
        "trailing_comma": "comma before the last bracket",
        "typographic": "typographic quotes",
        "number_text": "numbers as text",
        "title_keys": "keys in title case",
        "unknown_ids": "one SKU that does not exist, beside the others",
        "unknown_tool": "call of a tool that does not exist",
        "bad_arguments": "call whose arguments are no JSON",
        "equal_ids": "calls that share one id",
        "no_ids": "calls without ids",
        "markup": "calls as markup in the text",
        "filter": "answer withheld, finish_reason content_filter",
    }
)
"""Replies that are wrong in a way that needs no asking again, or after which none is made."""

ASKED_AGAIN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "truncated": "decision cut off, finish_reason length",
        "refusal": "refusal",
        "no_json": "text without JSON",
        "empty_content": "empty text",
        "unknown_only": "no SKU to be made exists",
        "endless_tools": "calls of tools and never a decision",
    }
)
"""Replies that are asked for again."""

ALWAYS: Final = "_always"
"""What the name of a kind of `ASKED_AGAIN` ends with when the same is wrong with the second answer too."""

REPLY: Final[Mapping[str, str]] = MappingProxyType(
    {**ONCE, **ASKED_AGAIN, **{kind + ALWAYS: f"{text}, also when asked again" for kind, text in ASKED_AGAIN.items()}}
)
"""How each reply is wrong; met by the request whose reply can be wrong in that way."""
