"""A direct line to an actor on the same machine: a call over loopback, which costs a fraction of one through Ray.

Ray starts the actors, finds them and says when one is lost; a line only carries the calls of which a run makes tens of
thousands. Its end hangs up when the process ends, however it ends, and all calls under way are lost with it. A caller
shows the secret that it was given through Ray before a byte of it is read as a message.
"""

from __future__ import annotations

import asyncio
import hmac
from functools import partial
from itertools import count
from pathlib import Path
from secrets import token_bytes
from traceback import extract_tb
from typing import Any, Final, NamedTuple

from actors.message_codec import decode, encode
from actors.messages import Lost
from erpsim.errors import ErpbenchError

HOST: Final = "127.0.0.1"
SECRET_BYTES: Final = 32
SECRET_SECONDS: Final = 30.0
"""Time within which a caller has to show it, and is kept waiting no longer."""
_LENGTH_BYTES: Final = 8
_BUFFER_BYTES: Final = 2**20


class Extension(NamedTuple):
    """Where an actor is reached directly: the node that it runs on, its port there, and the secret to be shown."""

    node: str
    port: int
    secret: bytes

    def __repr__(self) -> str:
        return f"Extension({self.node!r}, {self.port})"


class Switchboard:
    """An actor's end: answers calls of some methods of one object, each as a task of its own."""

    def __init__(self, target: object, methods: frozenset[str]) -> None:
        """Serve an object; nothing but `methods` can be called."""
        self._target = target
        self._methods = methods
        self._secret = token_bytes(SECRET_BYTES)
        self._server: asyncio.Task[asyncio.Server] | None = None
        self._calls: set[asyncio.Task[Any]] = set()
        self._callers: set[asyncio.StreamWriter] = set()

    async def open(self, node: str) -> Extension:
        """Listen on a free port of this machine, for itself alone."""
        if self._server is None:
            self._server = asyncio.ensure_future(asyncio.start_server(self._serve, HOST, 0, limit=_BUFFER_BYTES))
        server = await asyncio.shield(self._server)
        return Extension(node, server.sockets[0].getsockname()[1], self._secret)

    async def close(self) -> None:
        """Listen no more, and hang up."""
        if self._server is not None:
            (await self._server).close()
        for caller in self._callers:
            caller.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._callers.add(writer)
        try:
            async with asyncio.timeout(SECRET_SECONDS):
                shown = await reader.readexactly(SECRET_BYTES)
            if hmac.compare_digest(shown, self._secret):
                while True:
                    number, method, arguments = await _read(reader)
                    self._start(writer, number, method, arguments)
        except (asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            pass  # the caller has gone, or it is a stranger who says nothing
        finally:
            self._callers.discard(writer)
            writer.close()

    def _start(self, writer: asyncio.StreamWriter, number: int, method: str, arguments: tuple[Any, ...]) -> None:
        if method not in self._methods:
            raise ConnectionError(f"{method} is not served")
        call = asyncio.ensure_future(self._call(method, arguments))
        self._calls.add(call)
        call.add_done_callback(partial(self._answer, writer, number))

    async def _call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        return await getattr(self._target, method)(*arguments)

    def _answer(self, writer: asyncio.StreamWriter, number: int, call: asyncio.Task[Any]) -> None:
        self._calls.discard(call)
        answer = _answer_of(number, call)  # also when nobody waits for it, or asyncio tells of an error unread
        if not writer.is_closing():
            writer.write(_framed(answer))


def _answer_of(number: int, call: asyncio.Task[Any]) -> bytes:
    error = asyncio.CancelledError() if call.cancelled() else call.exception()
    if isinstance(error, ErpbenchError):
        return encode((number, error, None))
    if error is not None:
        return encode((number, _told(error), None))
    try:
        return encode((number, None, call.result()))
    except (TypeError, ValueError, OverflowError) as unknown:  # the caller would wait for ever
        return encode((number, _told(unknown), None))


def _told(error: BaseException) -> str:
    """An error's class and words, and the line of code that raised it: its traceback stays behind."""
    raised = extract_tb(error.__traceback__)[-1:]
    return f"{type(error).__name__}: {error}" + "".join(f" ({Path(at.filename).name}:{at.lineno})" for at in raised)


class Fault(Exception):
    """An actor's code failed in a way that is none of ours; the text is the error's class and words."""


class Line:
    """A caller's end; use it from one event loop."""

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read answers until the other end hangs up; see `dial`."""
        self._name = name
        self._writer = writer
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._listener = asyncio.create_task(self._listen(reader))

    @property
    def dead(self) -> bool:
        """Whether the other end has hung up, as far as it shows here."""
        return self._writer.is_closing() or self._listener.done()

    async def ask(self, method: str, *arguments: object) -> Any:
        """Call a method.

        Raises:
            Lost: the actor's process ended before it answered.
            ErpbenchError: what the method raised, if it is ours.
            Fault: what it raised, if it is not.
        """
        if self.dead:
            raise Lost(f"{self._name}: its process has ended")
        number, answer = next(self._numbers), asyncio.get_running_loop().create_future()
        message = _framed(encode((number, method, arguments)))
        self._open[number] = answer
        self._writer.write(message)
        return await answer

    def close(self) -> None:
        """Hang up; calls under way are lost."""
        self._listener.cancel()
        self._writer.close()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                number, error, value = await _read(reader)
                answer = self._open.pop(number)
                if answer.done():
                    continue  # its caller was cancelled
                if error is None:
                    answer.set_result(value)
                else:
                    answer.set_exception(Fault(error) if isinstance(error, str) else error)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # its process has ended
        finally:
            self._lose()

    def _lose(self) -> None:
        self._writer.close()
        for answer in self._open.values():
            if not answer.done():
                answer.set_exception(Lost(f"{self._name}: its process ended during a call"))
        self._open.clear()


async def dial(name: str, extension: Extension) -> Line:
    """Open a line to an actor on this machine; its name is for people.

    Raises:
        OSError: nothing listens there.
    """
    reader, writer = await asyncio.open_connection(HOST, extension.port, limit=_BUFFER_BYTES)
    writer.write(extension.secret)
    return Line(name, reader, writer)


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(_LENGTH_BYTES, "big") + data


async def _read(reader: asyncio.StreamReader) -> Any:
    length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES), "big")
    return decode(await reader.readexactly(length))
