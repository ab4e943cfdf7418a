"""The stand-in server with a log of every request, which outlives the driver that asks it.

    python -m benchmarks.reliability.server --log FILE [--delay 0.2]

Prints `listening PORT`, and ends when its standard input closes. Each line of the log holds the monotonic time, `came`,
`sent` or `cut`, and a tag: a hash of the body, by which a reply in a journal is known too. An answer is held back for
0.5-1.5 x the delay, drawn by tag and by the shuffle that `/shuffle?seed=N` sets, so that replies change their order.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from aiohttp import web

from actors.llm.standin import HOST, StandinOptions, create_app
from actors.llm.standin_faults import read_faults

SEED: Final = 0
ROOT: Final = Path(__file__).parents[2]
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Seen:
    """What a server's log holds from some line on."""

    came: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)

    @property
    def in_flight(self) -> int:
        """Requests that came and have no end yet."""
        return (self.came - self.ended).total()


@dataclass(frozen=True)
class LoggingServer:
    """A server that answers at `url`."""

    port: int
    log: Path

    @property
    def url(self) -> str:
        """Base address that a models file takes."""
        return f"http://{HOST}:{self.port}/v1"

    def mark(self) -> int:
        """Where the log ends now."""
        return self.log.stat().st_size

    def seen(self, mark: int) -> Seen:
        """What the log holds from a mark on."""
        seen = Seen()
        with self.log.open("rb") as stream:
            stream.seek(mark)
            for line in stream.read().decode().splitlines():
                _, what, tag = line.split()
                (seen.came if what == "came" else seen.ended)[tag] += 1
        return seen

    def drain(self) -> None:
        """Return once the server has read what was on its way to it: it answers questions in the order they come."""
        for _ in range(2):
            self._ask("stats")

    def shuffle(self, seed: int) -> None:
        """Let replies take other times from now on."""
        self._ask(f"shuffle?seed={seed}")

    def counted(self) -> Counter[str]:
        """Faults that the server counted since it was started, by kind."""
        return Counter(self._ask("stats")["faults"])

    def _ask(self, what: str) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://{HOST}:{self.port}/{what}", timeout=10) as answer:
            return json.load(answer)


@contextmanager
def logging_server(folder: Path, delay_s: float, faults: Sequence[str] = (), port: int = 0) -> Iterator[LoggingServer]:
    """Serve while the block runs, in a process of its own that signals to this one's group do not reach."""
    log = folder / "server.log"
    log.touch()
    command = [sys.executable, "-m", "benchmarks.reliability.server", "--log", str(log), "--delay", str(delay_s)]
    command += ["--port", str(port)]
    command += [part for fault in faults for part in ("--fault", fault)]
    with subprocess.Popen(  # noqa: S603 - our own module
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            yield LoggingServer(int(process.stdout.readline().split()[1]), log)
        finally:
            process.kill()


def logged_app(log: Path, delay_s: float, faults: Sequence[str]) -> web.Application:
    """The stand-in server's application with the log before it."""
    app = create_app(StandinOptions(SEED, 0.0, read_faults(faults)))
    stream = log.open("a", buffering=1)
    shuffled = {"seed": 0}

    def write(what: str, tag: str) -> None:
        stream.write(f"{time.monotonic():.6f} {what} {tag}\n")

    @web.middleware
    async def logged(request: web.Request, handler: _Handler) -> web.StreamResponse:
        if request.method != "POST":
            return await handler(request)
        tag = hashlib.sha256(SEED.to_bytes(8, "big", signed=True) + await request.read()).hexdigest()[:24]
        write("came", tag)
        ended = "cut"
        try:
            draw = Random(f"{shuffled['seed']} {tag}").random()  # noqa: S311 - a delay
            await asyncio.sleep(delay_s * (0.5 + draw))
            answer = await handler(request)
            ended = "sent"
            return answer
        finally:
            write(ended, tag)

    async def shuffle(request: web.Request) -> web.Response:
        shuffled["seed"] = int(request.query["seed"])
        return web.json_response("ok")

    app.middlewares.append(logged)
    app.router.add_get("/shuffle", shuffle)
    return app


async def _serve(app: web.Application, port: int) -> None:
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        print(f"listening {runner.addresses[0][1]}", flush=True)
        await asyncio.to_thread(sys.stdin.read)
    finally:
        await runner.cleanup()


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.server")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    asyncio.run(_serve(logged_app(given.log, given.delay, given.fault), given.port))


if __name__ == "__main__":
    main()
