"""The stand-in model server: chat completions with tool calls on loopback, so that everything runs without a key.

`python -m actors.llm.standin --port 0` prints `listening PORT` first. GET /health, /v1/models and /stats (its own
count of what it answered); POST /v1/chat/completions. Faults (`standin_kinds`) come by `--fault`, `?fault=` or a
header X-Standin-Fault.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson
from aiohttp import web

from actors.llm.standin_counts import Counts
from actors.llm.standin_faults import Faults, draw_network, draw_reply, read_faults
from actors.llm.standin_network import (
    ANSWERED,
    ASKS_TO_WAIT,
    OVERFLOW,
    PROVIDER,
    WITH_ANSWER,
    Struck,
    can_meet,
    play_fault,
)
from actors.llm.standin_reply import Manner, answer, noise_of
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
        faults: chances by kind (`standin_kinds`).
        defects: whether the styles' own defects spoil answers.
        retry_after_s: what a rate limit asks for, whole seconds as HTTP wants them.
        clock: seconds, by which the server sees whether it is obeyed.
    """

    seed: int = 0
    delay_s: float | None = None
    faults: Faults = field(default_factory=dict)
    defects: bool = True
    retry_after_s: int = 1
    clock: Callable[[], float] = time.monotonic


_OPTIONS: Final = web.AppKey("options", StandinOptions)
_COUNTS: Final = web.AppKey("counts", Counts)


def create_app(options: StandinOptions | None = None) -> web.Application:
    """The server as an aiohttp application."""
    app = web.Application(client_max_size=LARGEST_BODY)
    app[_OPTIONS] = options or StandinOptions()
    app[_COUNTS] = Counts()
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
    parser.add_argument("--retry-after", type=int, default=1, metavar="SECONDS", help="what a rate limit asks for")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end with the process that started this")
    given = parser.parse_args(arguments)
    try:
        faults = read_faults(given.fault)
        options = StandinOptions(given.seed, given.delay, faults, retry_after_s=given.retry_after)
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
    faults = _faults(request)
    await _delay(options, body["model"], raw)
    fault = _network_fault(request, _Asked(raw, body), faults)
    if fault is not None and fault not in WITH_ANSWER:
        return await play_fault(fault, Struck(request, b"", options.retry_after_s))
    forced = draw_reply(faults, _opening(body), options.seed)
    completed = answer(body, raw, Manner(options.seed, options.defects, forced))
    sent = orjson.dumps(completed.completion)
    if fault is None or fault in ANSWERED:
        counts.replies[body["model"]] += 1
        counts.faults.update([completed.fault] if completed.fault else [])
    if fault is None:
        return web.Response(body=sent, content_type="application/json", headers=PROVIDER)
    return await play_fault(fault, Struck(request, sent, options.retry_after_s))


async def _delay(options: StandinOptions, model: str, raw: bytes) -> None:
    noise = noise_of(raw, options.seed)
    delay_s = STYLES[model].delay_s * (0.5 + noise("delay")) if options.delay_s is None else options.delay_s
    if delay_s > 0:
        await asyncio.sleep(delay_s)


def _faults(request: web.Request) -> Faults:
    """The faults that the request asks for, by a bare kind for certain, else those of the server."""
    asked = request.headers.getall("X-Standin-Fault", []) + request.query.getall("fault", [])
    try:
        given = read_faults([text if "=" in text else f"{text}=1" for text in asked])
    except ModelsError as error:
        raise web.HTTPBadRequest(text=json.dumps({"error": {"message": str(error)}})) from None
    return given if asked else request.app[_OPTIONS].faults


class _Asked(NamedTuple):
    raw: bytes
    body: dict[str, Any]


def _network_fault(request: web.Request, asked: _Asked, faults: Faults) -> str | None:
    """The fault of the network that meets a request, counted."""
    options, counts = request.app[_OPTIONS], request.app[_COUNTS]
    attempt = counts.attempt(asked.raw, options.clock())
    told = request.headers.get("X-Attempt", "")
    fault = draw_network(faults, asked.raw, int(told) if told.isdecimal() else attempt, options.seed)
    if fault is None or not can_meet(fault, asked.body):
        return None
    if fault == OVERFLOW and counts.overflow(_opening(asked.body)) > faults[fault].attempts:
        return None
    counts.faults[fault] += 1
    if fault in ASKS_TO_WAIT:
        counts.ask_to_wait(asked.raw, options.clock() + options.retry_after_s)
    return fault


def _opening(body: dict[str, Any]) -> bytes:
    """What names a conversation, however it is shortened later: its model and its first two messages."""
    return orjson.dumps([body["model"], body["messages"][:2]])


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
    return web.json_response(request.app[_COUNTS].as_json())


async def _stdin_closed() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass


if __name__ == "__main__":
    raise SystemExit(main())
