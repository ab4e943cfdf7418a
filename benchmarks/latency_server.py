"""A model server of fixed latency: the stand-ins' answers without defects, and a log of every request's times.

    python -m benchmarks.latency_server --latency 2 [--slow standin/f=20] [--open-most 50]

Prints `listening PORT` and ends when its standard input closes. `GET /log` gives every request since the start: the
monotonic times at which its body was read and its answer was handed over, its model, the answers that its conversation
held before, and its status. With `--open-most`, requests beyond so many open ones are answered with 429 at once;
`--then SECONDS=N` moves that limit so long after the first request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
from aiohttp import web

from actors.llm.standin_reply import Manner, answer

HOST: Final = "127.0.0.1"
ROOT: Final = Path(__file__).parents[1]
_MANNER: Final = Manner(seed=0, defects=False)
_BUSY: Final = b'{"error":{"message":"too many requests are open","type":"rate_limit"}}'


class Seen(NamedTuple):
    """One request as the server saw it; times are monotonic seconds."""

    came: float
    left: float
    model: str
    turn: int  # answers before it in its conversation
    status: int


@dataclass
class LatencyServer:
    """What the server's process holds."""

    latency_s: float
    slow: Mapping[str, float] = field(default_factory=dict)
    open_most: int | None = None
    then: tuple[float, int] | None = None
    began: float | None = None
    seen: list[Seen] = field(default_factory=list)
    open: Counter[str] = field(default_factory=Counter)

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Answer one request."""
        raw = await request.read()
        came = time.monotonic()
        if request.method != "POST":
            return _json(json.dumps(self.seen).encode())
        body = orjson.loads(raw)
        model = body["model"]
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if self.open.total() >= self._most(came):
            self.seen.append(Seen(came, came, model, turn, 429))
            return _json(_BUSY, 429)
        self.open[model] += 1
        sent = orjson.dumps(answer(body, raw, _MANNER).completion)
        await asyncio.sleep(came + self.slow.get(model, self.latency_s) - time.monotonic())
        self.open[model] -= 1
        self.seen.append(Seen(came, time.monotonic(), model, turn, 200))
        return _json(sent)

    def _most(self, now: float) -> float:
        self.began = now if self.began is None else self.began
        moved = self.then is not None and now >= self.began + self.then[0]
        return math.inf if self.open_most is None else self.then[1] if self.then and moved else self.open_most


def _json(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json")


@dataclass(frozen=True)
class Serving:
    """A server that answers at `url`."""

    port: int

    @property
    def url(self) -> str:
        """Base address that a models file takes."""
        return f"http://{HOST}:{self.port}/v1"

    def log(self) -> tuple[Seen, ...]:
        """Every request answered so far."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://{HOST}:{self.port}/log", timeout=60) as answered:
            return tuple(Seen(*row) for row in json.load(answered))


@contextmanager
def latency_server(latency_s: float, slow: Mapping[str, float], *more: str) -> Iterator[Serving]:
    """Serve while the block runs, in a process of its own; `more` are further options of it."""
    command = [sys.executable, "-m", "benchmarks.latency_server", "--latency", str(latency_s)]
    command += [part for model, seconds in slow.items() for part in ("--slow", f"{model}={seconds}")]
    command += more
    with subprocess.Popen(  # noqa: S603 - our own module
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            yield Serving(int(process.stdout.readline().split()[1]))
        finally:
            process.kill()


async def serve(server: LatencyServer) -> None:
    """Serve until standard input closes."""
    runner = web.ServerRunner(web.Server(server.handle, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, HOST, 0, backlog=1024).start()
    print("listening", runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency_server")
    parser.add_argument("--latency", type=float, required=True)
    parser.add_argument("--slow", action="append", default=[], metavar="MODEL=SECONDS")
    parser.add_argument("--open-most", type=int, default=None)
    parser.add_argument("--then", default=None, metavar="SECONDS=N")
    given = parser.parse_args(arguments)
    slow: dict[str, Any] = dict(item.split("=") for item in given.slow)
    seconds, _, most = (given.then or "").partition("=")
    then = (float(seconds), int(most)) if most else None
    latencies = {name: float(latency) for name, latency in slow.items()}
    asyncio.run(serve(LatencyServer(given.latency, latencies, given.open_most, then)))


if __name__ == "__main__":
    main()
