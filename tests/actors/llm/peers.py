"""Model servers for tests: on loopback, answering from a script and remembering what they were asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from actors.llm.client import ModelClient, Surroundings
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from ecologies.models import ModelEntry

CANARY = "canary-7f3a9c51e2d84b60"
NOON = datetime(2026, 11, 9, 10, 0, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Answer:
    """One scripted answer; `how` is plain, half, reset or hang."""

    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    how: str = "plain"
    content_type: str = "application/json"


@dataclass
class Peer:
    """A server under test: its address, and the bodies and headers that it was sent."""

    url: str = ""
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class FakeTime:
    """A clock that only sleeping moves."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@asynccontextmanager
async def serving(answers: Sequence[Answer]) -> AsyncIterator[Peer]:
    """Serve a script in order; its last answer is given again and again."""
    peer = Peer()

    async def handle(request: web.Request) -> web.StreamResponse:
        peer.bodies.append(json.loads(await request.read()))
        peer.headers.append(dict(request.headers))
        peer.asked.set()
        return await _give(answers[min(len(peer.bodies), len(answers)) - 1], request)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    async with running(app) as url:
        peer.url = url
        yield peer


@asynccontextmanager
async def running(app: web.Application) -> AsyncIterator[str]:
    """Run an application on a free loopback port and give its address with /v1."""
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def calling(time: FakeTime | None = None) -> AsyncIterator[ModelClient]:
    """A client that knows the canary key, waits in fake time and draws no jitter but the longest."""
    time = time or FakeTime()
    around = Surroundings(clock=time.clock, wall=lambda: NOON, sleep=time.sleep, draw=lambda: 1.0)
    governor = LocalGovernor({}, time.clock, time.sleep)
    client = ModelClient(Keys({"CANARY_KEY": CANARY}), governor, around)
    try:
        yield client
    finally:
        await client.close()


def entry(url: str, **changes: Any) -> ModelEntry:
    """A model served at an address, with the canary key."""
    values = {"label": "test/model", "base_url": url, "model": "m-1", "api_key_env": "CANARY_KEY", **changes}
    return ModelEntry.model_validate(values)


def said(content: Any = None, finish_reason: str | None = "stop", **message: Any) -> Answer:
    """A good answer with one assistant message."""
    return Answer(completion({"role": "assistant", "content": content, **message}, finish_reason))


def called(*calls: tuple[Any, Any], **message: Any) -> Answer:
    """A good answer with tool calls of (id, name) or (id, (name, arguments)); id `...` leaves the key out."""
    rows = []
    for call_id, wanted in calls:
        name, arguments = wanted if isinstance(wanted, tuple) else (wanted, "{}")
        row = {"type": "function", "function": {"name": name, "arguments": arguments}}
        rows.append(row if call_id is ... else {"id": call_id, **row})
    return said(None, "tool_calls", tool_calls=rows, **message)


def completion(message: dict[str, Any], finish_reason: str | None, usage: Any = ...) -> str:
    body = {
        "model": "m-1-2026",
        "system_fingerprint": "fp",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10} if usage is ... else usage,
    }
    return json.dumps(body)


async def _give(answer: Answer, request: web.Request) -> web.StreamResponse:
    if answer.how == "hang":
        await asyncio.sleep(60)
    if answer.how == "half":
        head = {"Content-Length": "500", "Content-Type": answer.content_type}
        response = web.StreamResponse(headers=head)
        await response.prepare(request)
        await response.write(answer.body.encode())
        assert request.transport is not None
        request.transport.close()
        return response
    if answer.how == "reset":
        assert request.transport is not None
        request.transport.abort()
    return web.Response(
        body=answer.body.encode(), status=answer.status, headers=answer.headers, content_type=answer.content_type
    )
