"""Stand-in models that write down when each request came and how many were open, served from a thread of their own."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import web

from actors.llm.standin import StandinOptions, create_app

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Log:
    """What a server saw of its completions: times in seconds, and how many were open with each."""

    url: str = ""
    at: list[float] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    refused: int = 0
    quotas: dict[str, int] = field(default_factory=dict)  # requests that a model answers before its quota is spent
    asked: Counter[str] = field(default_factory=Counter)  # requests by model
    _open: int = 0

    def most_within(self, seconds: float) -> int:
        """Most requests that came within any stretch of so many seconds."""
        return max((sum(start <= at < start + seconds for at in self.at) for start in self.at), default=0)


def counted(log: Log, stands: int = 1_000, seconds: float = 0.0) -> web.Application:
    """The stand-in server with a log; it refuses with 429 what comes while `stands` are open."""

    @web.middleware
    async def count(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method != "POST":
            return await handler(request)
        if log._open >= stands:
            log.refused += 1
            return web.json_response({"error": {"message": "too many"}}, status=429)
        model = (await request.json())["model"]
        log.asked[model] += 1
        if log.asked[model] > log.quotas.get(model, 1_000_000):
            error = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
            return web.json_response({"error": error}, status=429)
        log._open += 1
        log.at.append(time.monotonic())
        log.open.append(log._open)
        try:
            return await handler(request)
        finally:
            log._open -= 1

    app = create_app(StandinOptions(delay_s=seconds))
    app.middlewares.append(count)
    return app


@contextmanager
def serving(seconds: float) -> Iterator[Log]:
    """Serve from a thread, so that a test may block; each answer takes some seconds."""
    log = Log()
    loop = asyncio.new_event_loop()
    runner = web.AppRunner(counted(log, seconds=seconds), access_log=None)

    async def start() -> None:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        log.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"

    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(start(), loop).result(10.0)
        yield log
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10.0)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10.0)
        loop.close()
