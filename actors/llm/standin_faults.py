"""Faults that the stand-in server plays on request: what a provider or the network does, never what a model does.

Which fault meets a request is a function of its body and of how often that body came before.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Final

from aiohttp import web

from erpsim.errors import ModelsError

KINDS: Final = ("429", "500", "529", "hang", "reset", "half", "html", "empty")
"""Rate limit with Retry-After, server error, overload, no answer, connection cut, half a body, a page, no choice."""
RETRY_AFTER_S: Final = 1
_LONGEST_HANG_S: Final = 3_600.0


def read_faults(texts: list[str]) -> dict[str, float]:
    """Chances by kind, from texts such as `429=0.1`.

    Raises:
        ModelsError: an unknown kind, no chance or one outside 0-1, a kind that stands twice, or chances above 1 in all.
    """
    chances: dict[str, float] = {}
    for text in texts:
        kind, _, number = text.partition("=")
        try:
            chance = float(number)
        except ValueError:
            chance = -1.0
        if kind not in KINDS or not 0.0 <= chance <= 1.0:
            raise ModelsError(
                f"fault {text!r} is none; write KIND=CHANCE with a chance of 0-1, kinds: {', '.join(KINDS)}"
            )
        if kind in chances:
            raise ModelsError(f"fault {text!r}: {kind} has a chance of {chances[kind]:g} already; name each kind once")
        chances[kind] = chance
    if sum(chances.values()) > 1.0:
        raise ModelsError(f"the chances of all faults come to {sum(chances.values()):g}; they may come to 1")
    return chances


def draw_fault(chances: Mapping[str, float], raw: bytes, attempt: int, seed: int) -> str | None:
    """The fault of one attempt at one body, if any; `attempt` counts from 1."""
    if not chances:
        return None
    drawn = hashlib.sha256(f"{seed} {attempt} ".encode() + raw).digest()
    point = int.from_bytes(drawn[:8], "big") / 2.0**64
    for kind, chance in chances.items():
        if point < chance:
            return kind
        point -= chance
    return None


async def play_fault(kind: str, request: web.Request, answer: bytes) -> web.StreamResponse:
    """Answer a request by a fault; `answer` is what it would have got."""
    if kind == "429":
        error = {"error": {"message": "rate limit of the stand-in server", "code": "rate_limit_exceeded"}}
        return web.json_response(error, status=429, headers={"Retry-After": str(RETRY_AFTER_S)})
    if kind in ("500", "529"):
        return web.json_response({"error": {"message": f"fault {kind} of the stand-in server"}}, status=int(kind))
    if kind == "html":
        return web.Response(text="<html><body>busy</body></html>", content_type="text/html")
    if kind == "empty":
        return web.json_response({"choices": [], "usage": {"prompt_tokens": len(answer) // 4}})
    if kind == "half":
        return await _half(request, answer)
    if kind == "hang":
        await asyncio.sleep(_LONGEST_HANG_S)
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)


async def _half(request: web.Request, answer: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(answer))})
    await response.prepare(request)
    await response.write(answer[: len(answer) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
