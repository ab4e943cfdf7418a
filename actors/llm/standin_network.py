"""How the stand-in server plays the faults of providers and networks: canned answers as data, the rest as functions.

The bodies have the shapes that real servers send, which differ: `{"error": {…}}`, a list around it, plain text, a page.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any, Final

from aiohttp import web

ANSWERED: Final = frozenset({"drip", "text_plain", "octet_stream"})
"""Kinds after which the client has its reply all the same."""
WITH_ANSWER: Final = ANSWERED | {"half"}
"""Kinds for which the answer must be known."""
ASKS_TO_WAIT: Final = frozenset({"429", "429_date"})
"""Kinds that come with a Retry-After."""
PARAMETERS: Final[Mapping[str, str]] = {
    "bad_parameter": "max_tokens",
    "old_parameter": "max_completion_tokens",
    "bad_temperature": "temperature",
    "bad_format": "response_format",
    "bad_tool_choice": "tool_choice",
}
"""The parameter that each of these kinds refuses; a request without it is not met."""
OVERFLOW: Final = "context_overflow"
PROVIDER: Final[Mapping[str, str]] = {"x-provider": "stand-in"}
"""What tells the route of every answer that is one."""
DRIPS: Final = 24
DRIP_S: Final = 0.004
"""Pieces of a body that drips, and the seconds between them."""
_LONGEST_HANG_S: Final = 3_600.0


@dataclass(frozen=True)
class Canned:
    """An answer that is always the same; `body` is text, or an object that is sent as JSON."""

    status: int
    body: Any
    content_type: str = "application/json"


@dataclass(frozen=True)
class Struck:
    """A request that is met by a fault.

    Attributes:
        answer: what it would have got; empty where that is not needed.
        retry_after_s: what a rate limit asks for, whole seconds as HTTP wants them.
    """

    request: web.Request
    answer: bytes
    retry_after_s: int


async def play_fault(kind: str, struck: Struck) -> web.StreamResponse:
    """Answer a request by a fault of the network."""
    if kind in _PLAYED:
        return await _PLAYED[kind](struck)
    canned = CANNED[kind]
    text = canned.body if isinstance(canned.body, str) else json.dumps(canned.body)
    return web.Response(text=text, status=canned.status, content_type=canned.content_type)


def can_meet(kind: str, body: Mapping[str, Any]) -> bool:
    """Whether a fault makes sense for a request: what it complains of must be there."""
    if kind in PARAMETERS:
        return PARAMETERS[kind] in body
    if kind == OVERFLOW:
        return any(isinstance(message, dict) and message.get("role") == "tool" for message in body["messages"])
    return True


def _error(message: str, code: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code, **more}}


def _refused_parameter(name: str, instead: str) -> Canned:
    message = f"Unsupported parameter: '{name}' is not supported with this model. {instead}"
    return Canned(400, _error(message, "unsupported_parameter", param=name))


_PAGE: Final = "<html><head><title>Busy</title></head><body><h1>Try again later</h1></body></html>"

CANNED: Final[Mapping[str, Canned]] = {
    "429_bare": Canned(429, _error("rate limit of the stand-in server", "rate_limit_exceeded")),
    "quota": Canned(429, _error("the quota of the stand-in account is spent", "insufficient_quota")),
    "500": Canned(500, _error("the stand-in server met an error", "server_error")),
    "502": Canned(502, "upstream of the stand-in server closed the connection", "text/plain"),
    "503": Canned(503, {"detail": "the stand-in model is being loaded"}),
    "529": Canned(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    "502_html": Canned(502, _PAGE, "text/html"),
    "html": Canned(200, _PAGE, "text/html"),
    "empty_choices": Canned(200, {"choices": [], "usage": {"prompt_tokens": 100}}),
    "error_200": Canned(200, {"error": {"code": 500, "message": "the stand-in server failed inside"}}),
    "401": Canned(401, _error("Incorrect API key provided", "invalid_api_key")),
    "403": Canned(403, {"error": {"code": 403, "message": "no access with this key", "status": "PERMISSION_DENIED"}}),
    "key_400": Canned(400, [{"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}}]),
    "bad_parameter": _refused_parameter("max_tokens", "Use 'max_completion_tokens' instead."),
    "old_parameter": Canned(
        400, _error("Unrecognized request argument supplied: max_completion_tokens", "", param=None)
    ),
    "bad_temperature": _refused_parameter("temperature", "Only the default is supported."),
    "bad_format": _refused_parameter("response_format", "Leave it out."),
    "bad_tool_choice": _refused_parameter("tool_choice", "Leave it out."),
    OVERFLOW: Canned(
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9_001,
                "n_ctx": 8_192,
            }
        },
    ),
    "404": Canned(404, _error("The model does not exist or you do not have access to it", "model_not_found")),
    "filter_400": Canned(400, _error("The prompt was filtered by a content management policy", "content_filter")),
}
"""Answers by kind."""


async def _rate_limit(struck: Struck) -> web.StreamResponse:
    return web.json_response(CANNED["429_bare"].body, status=429, headers={"Retry-After": str(struck.retry_after_s)})


async def _rate_limit_by_date(struck: Struck) -> web.StreamResponse:
    moment = formatdate(math.ceil(time.time() + struck.retry_after_s), usegmt=True)
    return web.json_response(CANNED["429_bare"].body, status=429, headers={"Retry-After": moment})


async def _reset(struck: Struck) -> web.StreamResponse:
    if struck.request.transport is not None:
        struck.request.transport.abort()
    return web.Response(status=500)


async def _hang(struck: Struck) -> web.StreamResponse:
    await asyncio.sleep(_LONGEST_HANG_S)
    return await _reset(struck)


async def _half(struck: Struck) -> web.StreamResponse:
    response = await _begun(struck)
    await response.write(struck.answer[: len(struck.answer) // 2])
    if struck.request.transport is not None:
        struck.request.transport.close()
    return response


async def _drip(struck: Struck) -> web.StreamResponse:
    response = await _begun(struck)
    step = -(-len(struck.answer) // DRIPS)
    for start in range(0, len(struck.answer), step):
        await response.write(struck.answer[start : start + step])
        await asyncio.sleep(DRIP_S)
    await response.write_eof()
    return response


async def _begun(struck: Struck) -> web.StreamResponse:
    head = {**PROVIDER, "Content-Type": "application/json", "Content-Length": str(len(struck.answer))}
    response = web.StreamResponse(headers=head)
    await response.prepare(struck.request)
    return response


async def _text_plain(struck: Struck) -> web.StreamResponse:
    return web.Response(body=struck.answer, content_type="text/plain", charset="utf-8", headers=PROVIDER)


async def _octet_stream(struck: Struck) -> web.StreamResponse:
    return web.Response(body=struck.answer, content_type="application/octet-stream", headers=PROVIDER)


_PLAYED: Final[Mapping[str, Callable[[Struck], Awaitable[web.StreamResponse]]]] = {
    "429": _rate_limit,
    "429_date": _rate_limit_by_date,
    "reset": _reset,
    "hang": _hang,
    "half": _half,
    "drip": _drip,
    "text_plain": _text_plain,
    "octet_stream": _octet_stream,
}
