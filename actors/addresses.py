"""Actors by their names, and how one speaks to another: Ray's handles and errors end here.

Whatever Ray itself reports means that what an actor held is lost; an error of ours crosses as it is.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

from actors.desk import Given, Holder, Letter
from actors.journal import Entry
from actors.line import Extension, Line, dial
from actors.messages import Ack, History, Lost, NoOffer
from actors.progress import Progress
from erpsim.errors import ErpbenchError
from erpsim.offer import Offer, Sales

Answer = TypeVar("Answer")
Handle = Any
"""Handle of an actor; Ray types it loosely."""
_RAISED: Final = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Lost): ")
_NAMED: Final = re.compile(r"^\s*class_name: (\w+)", re.MULTILINE)


class Address(NamedTuple):
    """Name of an actor, by which any process of the run finds it; plain data, so it may travel."""

    namespace: str
    name: str


@dataclass(frozen=True)
class RemoteAudit:
    """The audit actor at an address."""

    address: Address

    async def commit(self, entries: Sequence[Entry]) -> None:
        """See `AuditFace`."""
        await _direct(self.address, "commit", list(entries))

    async def committed(self, market_id: str) -> int:
        """See `AuditFace`."""
        return await _answer(_actor_at(self.address).committed.remote(market_id))

    async def history(self, market_id: str, seats: tuple[int, ...]) -> History:
        """See `AuditFace`."""
        return await _answer(_actor_at(self.address).history.remote(market_id, seats))

    async def snapshot(self) -> Progress:
        """See `AuditFace`."""
        return await _answer(_actor_at(self.address).snapshot.remote())


@dataclass(frozen=True)
class RemoteFirm:
    """A firm actor at an address."""

    address: Address

    async def ready(self) -> str:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).ready.remote())

    async def open(self, market_id: str) -> Ack:
        """See `FirmFace`."""
        answer: Ack = await _direct(self.address, "open", market_id)
        return answer

    async def restore(self, market_id: str) -> Ack:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).restore.remote(market_id))

    async def offer(self, market_id: str, round_number: int) -> tuple[Offer, ...] | NoOffer:
        """See `FirmFace`."""
        answer: tuple[Offer, ...] | NoOffer = await _direct(self.address, "offer", market_id, round_number)
        return answer

    async def settle(self, market_id: str, round_number: int, sales: tuple[Sales, ...]) -> Ack:
        """See `FirmFace`."""
        answer: Ack = await _direct(self.address, "settle", market_id, round_number, sales)
        return answer

    async def close(self, market_id: str) -> Ack:
        """See `FirmFace`."""
        answer: Ack = await _direct(self.address, "close", market_id)
        return answer

    async def stop_calls(self) -> str:
        """See `Firm`."""
        return await _answer(_actor_at(self.address).stop_calls.remote())


@dataclass(frozen=True)
class RemoteDesk:
    """The governor actor at an address."""

    address: Address

    async def post(self, letter: Letter) -> Given:
        """See `DeskFace`."""
        given: Given = await _direct(self.address, "post", letter)
        return given

    async def collect(self, holder: Holder) -> Given:
        """See `DeskFace`."""
        given: Given = await _direct(self.address, "collect", holder)
        return given


async def _direct(address: Address, method: str, *arguments: object) -> Any:
    """Call by a line where there is one, else through Ray."""
    line = await _line_to(address)
    if line is None:
        return await _answer(getattr(_actor_at(address), method).remote(*arguments))
    return await line.ask(method, *arguments)


async def _line_to(address: Address) -> Line | None:
    """The line of this event loop to an actor, dialled when there is none that stands; None: it has none from here."""
    lines = _lines_here()
    known = lines.get(address)
    if known is None or (known.done() and _is_over(known)):
        known = lines[address] = asyncio.ensure_future(_dialled(address))
    return await asyncio.shield(known)


_Dialled = asyncio.Task[Line | None]
_LINES: Final[dict[asyncio.AbstractEventLoop, dict[Address, _Dialled]]] = {}


def _lines_here() -> dict[Address, _Dialled]:
    """Lines of the running loop; those of closed loops are let go."""
    loop = asyncio.get_running_loop()
    if loop not in _LINES:
        for over in [other for other in _LINES if other.is_closed()]:
            del _LINES[over]
        _LINES[loop] = {}
    return _LINES[loop]


def _is_over(dialled: _Dialled) -> bool:
    if dialled.cancelled() or dialled.exception() is not None:
        return True
    line = dialled.result()
    return line is not None and line.dead


async def _dialled(address: Address) -> Line | None:
    try:
        extension: Extension = await _answer(_actor_at(address).line.remote())
        if extension.node != ray.get_runtime_context().get_node_id():
            return None
        return await dial(address.name, extension)
    except OSError:
        return None  # it cannot listen, or whatever keeps a process here from reaching another: Ray's own way stays


def our_error(error: RayTaskError) -> Exception:
    """The error that an actor's code raised, when it is one of ours and therefore plain; else Ray's report of it."""
    return error.cause if isinstance(error.cause, ErpbenchError) else error


def reason_of(error: RayError) -> str:
    """One line: Ray's class, the actor's where it is named, and an error's own line where an actor's code raised it."""
    lines = _lines(error)
    raised = [line for line in lines if _RAISED.match(line)]
    if raised:
        return f"{type(error).__name__}: {raised[-1]}"
    named = _NAMED.search(str(error))
    return f"{type(error).__name__}: {lines[0]}" + (f" ({named[1]} actor)" if named else "")


def is_raised(error: RayError) -> bool:
    """Whether Ray reports an error that an actor's code raised, and not the loss of a process."""
    return any(_RAISED.match(line) for line in _lines(error))


def _lines(error: RayError) -> list[str]:
    return [line.strip() for line in str(error).splitlines() if line.strip()] or ["no message"]


@lru_cache(maxsize=1_000)
def _handle(address: Address) -> Handle:
    return ray.get_actor(address.name, namespace=address.namespace)


def _actor_at(address: Address) -> Handle:
    """Handle of an actor; it stays good when the actor is restarted."""
    try:
        return _handle(address)
    except ValueError as error:
        raise Lost(f"no actor is called {address.name!r} any more ({error})") from None


async def _answer(reference: Awaitable[Answer]) -> Answer:
    try:
        return await reference
    except RayTaskError as error:
        raise our_error(error) from None
    except RayError as error:
        raise Lost(reason_of(error)) from None
