"""The stand-in model server as a process of the driver's own: started, asked for its count, and ended with the run."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Any, Final

from actors.imports import code_root
from erpsim.errors import ModelsError, RunError

START_SECONDS: Final = 60.0
END_SECONDS: Final = 3.0


@dataclass(frozen=True)
class StandinServer:
    """A server that answers at `base_url`."""

    port: int

    @property
    def base_url(self) -> str:
        """Address that a models entry takes."""
        return f"http://127.0.0.1:{self.port}/v1"

    def replies(self) -> int:
        """Completions that the server itself counted."""
        return int(self._stats()["replies"])

    def faults(self) -> dict[str, int]:
        """Faults that the server itself counted, by kind; a kind that never came is not in it."""
        return {str(kind): int(count) for kind, count in self._stats()["faults"].items()}

    def _stats(self) -> dict[str, Any]:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self.port}/stats", timeout=10) as answer:
            stats: dict[str, Any] = json.load(answer)
        return stats


@contextmanager
def standin_server(options: Sequence[str]) -> Iterator[StandinServer]:
    """Serve the stand-in models while the block runs; `options` are those of `python -m actors.llm.standin`.

    The server ends with this process, however that ends, since it watches its standard input.

    Raises:
        ModelsError: the port is in use, or an option makes no sense.
        RunError: the server does not come up.
    """
    command = [sys.executable, "-m", "actors.llm.standin", "--until-stdin-closes", *options]
    with TemporaryFile("w+") as said:
        # A session of its own, so that Ctrl-C reaches the driver alone and the server answers until the driver is done.
        process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            cwd=code_root(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,
        )
        try:
            yield StandinServer(_port(process, said))
        finally:
            _end(process)


def _port(process: subprocess.Popen[str], said: IO[str]) -> int:
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_first_line, args=(process.stdout, lines), daemon=True).start()
    try:
        line = lines.get(timeout=START_SECONDS)
    except queue.Empty:
        raise RunError(
            f"the stand-in server is not up after {START_SECONDS:g} s; see what loads this machine"
        ) from None
    if line.startswith("listening "):
        return int(line.split()[1])
    process.wait()
    said.seek(0)
    message = said.read().strip().removeprefix("error: ")
    raise ModelsError(f"the stand-in server did not start: {message[-2000:] or 'it said nothing'}")


def _first_line(stream: IO[str] | None, lines: queue.SimpleQueue[str]) -> None:
    assert stream is not None
    lines.put(stream.readline())


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
