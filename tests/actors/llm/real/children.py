"""Servers of peers as child processes: started, waited for by their first line, and ended hard by their process id."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from tests.actors.llm.real.packages import Peer, environment

HERE = Path(__file__).parent
LOOPBACK = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def child(peer: Peer, arguments: Sequence[str], log: Path) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Run a peer's script of this folder, and give the address that it says and its process.

    The child ends with the block, and when this process ends: it watches its standard input.
    """
    with begun(peer, arguments, log) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("listening "):
                yield line.split()[1], process
                return
        raise AssertionError(f"the {peer} peer did not start:\n{log.read_text()[-2000:]}")


@contextmanager
def begun(peer: Peer, arguments: Sequence[str], log: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start a peer's script, wait for nothing, and end it with the block."""
    command = [sys.executable, str(HERE / f"{peer}_child.py"), *arguments]
    with log.open("w") as told:
        process = subprocess.Popen(
            command, env=environment(peer), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True
        )
        try:
            yield process
        finally:
            process.kill()  # a busy llama.cpp does not end on request
            process.communicate()


def wait_until_ready(address: str, seconds: float) -> None:
    """Wait for `GET /health` to answer 200."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with LOOPBACK.open(f"{address}/health", timeout=5):
                return
        except (URLError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def fetch(url: str, posted: object = None) -> str:
    """Text that an address on this machine answers with, to a GET, or to a POST of JSON."""
    data = None if posted is None else json.dumps(posted).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with LOOPBACK.open(request, timeout=60) as answer:
        return str(answer.read().decode())
