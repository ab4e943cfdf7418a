"""The stand-in model server: chat completions with tool calls on loopback, so that everything runs without a key.

`python -m actors.llm.standin --port 0` prints `listening PORT` first. GET /health, /v1/models and /stats (its own
count of what it answered); POST /v1/chat/completions. Faults come by `--fault`, `?fault=` or a header X-Standin-Fault.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
from aiohttp import web

from actors.llm.standin_faults import draw_fault, play_fault, read_faults
from actors.llm.standin_reply import complete, noise_of
from actors.llm.standin_styles import STYLES
from erpsim.errors import ErpbenchError, ModelsError

HOST: Final = "127.0.0.1"
LARGEST_BODY: Final = 16 * 1024 * 1024


@dataclass(frozen=True)
class StandinOptions:
    """How the server answers.

    Attributes:
        seed: every answer depends on it.
        delay_s: seconds until each answer; None: each style's own.
        faults: chances by kind (`standin_faults.KINDS`).
    """

    seed: int = 0
    delay_s: float | None = None
    faults: dict[str, float] = field(default_factory=dict)


@dataclass
class _Counts:
    """What the server did so far; the only thing that it remembers, beside how often a body came under faults."""

    requests: int = 0
    replies: Counter[str] = field(default_factory=Counter)  # completions by model
    faults: Counter[str] = field(default_factory=Counter)
    refused: int = 0  # answers of status 400 and 404
    attempts: Counter[bytes] = field(default_factory=Counter)


_OPTIONS: Final = web.AppKey("options", StandinOptions)
_COUNTS: Final = web.AppKey("counts", _Counts)


def create_app(options: StandinOptions | None = None) -> web.Application:
    """The server as an aiohttp application."""
    app = web.Application(client_max_size=LARGEST_BODY)
    app[_OPTIONS] = options or StandinOptions()
    app[_COUNTS] = _Counts()
    app.add_routes(
        [
            web.post("/v1/chat/completions", _completions),
            web.get("/v1/models", _models),
            web.get("/health", _health),
            web.get("/stats", _stats),
        ]
    )
    return app


async def serve(options: StandinOptions, port: int, until_stdin_closes: bool = False) -> None:
    """Serve on loopback until cancelled, or until the process that started this one closes our standard input.

    Raises:
        ModelsError: the port is in use.
    """
    runner = web.AppRunner(create_app(options), access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise ModelsError(f"port {port} is in use; choose another one, or 0 for any that is free") from None
        sys.stdout.write(f"listening {runner.addresses[0][1]}\n")
        sys.stdout.flush()
        await (_stdin_closed() if until_stdin_closes else asyncio.Event().wait())
    finally:
        await runner.cleanup()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server as a command; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m actors.llm.standin", description="Stand-in models on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--seed", type=int, default=0, help="every answer depends on it")
    parser.add_argument("--delay", type=float, default=None, help="seconds until each answer; left out: as styled")
    parser.add_argument("--fault", action="append", default=[], metavar="KIND=CHANCE", help="play a fault")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end with the process that started this")
    given = parser.parse_args(arguments)
    try:
        options = StandinOptions(given.seed, given.delay, read_faults(given.fault))
        asyncio.run(serve(options, given.port, given.until_stdin_closes))
    except ErpbenchError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


async def _completions(request: web.Request) -> web.StreamResponse:
    options, counts = request.app[_OPTIONS], request.app[_COUNTS]
    counts.requests += 1
    raw = await request.read()
    body = _read_body(raw)
    if isinstance(body, web.Response):
        counts.refused += 1
        return body
    model = body["model"]
    noise = noise_of(raw, options.seed)
    delay_s = STYLES[model].delay_s * (0.5 + noise("delay")) if options.delay_s is None else options.delay_s
    if delay_s > 0:
        await asyncio.sleep(delay_s)
    answer = orjson.dumps(complete(body, raw, options.seed))
    fault = _fault(request, raw)
    if fault is not None:
        counts.faults[fault] += 1
        return await play_fault(fault, request, answer)
    counts.replies[model] += 1
    return web.Response(body=answer, content_type="application/json", headers={"x-provider": "stand-in"})


def _fault(request: web.Request, raw: bytes) -> str | None:
    """A fault that the request asks for, by a bare kind for certain, else one drawn by the server's chances."""
    options, counts = request.app[_OPTIONS], request.app[_COUNTS]
    asked = request.headers.getall("X-Standin-Fault", []) + request.query.getall("fault", [])
    try:
        chances = read_faults([text if "=" in text else f"{text}=1" for text in asked]) if asked else options.faults
    except ModelsError as error:
        raise web.HTTPBadRequest(text=json.dumps({"error": {"message": str(error)}})) from None
    if not chances:
        return None
    key = hashlib.sha256(raw).digest()
    counts.attempts[key] += 1
    attempt = request.headers.get("X-Attempt", "")
    return draw_fault(chances, raw, int(attempt) if attempt.isdecimal() else counts.attempts[key], options.seed)


def _read_body(raw: bytes) -> dict[str, Any] | web.Response:
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError:
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return _error(400, "invalid_request", "the body must be a JSON object with a list of messages")
    if body.get("stream"):
        return _error(400, "unsupported", "the stand-in server does not stream; leave 'stream' out")
    if body.get("model") not in STYLES:
        known = ", ".join(STYLES)
        return _error(404, "model_not_found", f"model {body.get('model')!r} not found; stand-ins: {known}")
    return body


def _error(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": code, "code": code}}, status=status)


async def _models(request: web.Request) -> web.Response:
    del request
    rows = [{"id": name, "object": "model", "created": 0, "owned_by": "stand-in"} for name in STYLES]
    return web.json_response({"object": "list", "data": rows})


async def _health(request: web.Request) -> web.Response:
    del request
    return web.json_response({"status": "ok"})


async def _stats(request: web.Request) -> web.Response:
    counts = request.app[_COUNTS]
    return web.json_response(
        {
            "requests": counts.requests,
            "replies": sum(counts.replies.values()),
            "replies_by_model": dict(counts.replies),
            "faults": dict(counts.faults),
            "refused": counts.refused,
        }
    )


async def _stdin_closed() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass


if __name__ == "__main__":
    raise SystemExit(main())
