"""A firm actor's end of the way to the desk: what gathers while one letter is under way goes with the next.

A desk that is lost and comes back is told what is open here and asked for everything that still waits.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

from actors.desk import DeskFace, Given, Holder, Letter, Returned, Wanted
from actors.llm.governor import Permit, Signal
from actors.messages import Lost
from erpsim.errors import RunError

RETRY_SECONDS = 0.5
"""Pause before a lost desk is spoken to again."""
RETRIES = 120


@dataclass(frozen=True)
class _Waiting:
    wanted: Wanted
    permit: asyncio.Future[Permit]


class RemoteGovernor:
    """Gives the desk's permits in one process; use it from one event loop."""

    def __init__(self, desk: DeskFace, name: str) -> None:
        """Speak to a desk under the name of a firm actor, which stays the same when that is lost and comes back."""
        self._desk = desk
        self._holder = Holder(name, uuid4().hex[:12])
        self._numbers = count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._held: dict[int, Wanted] = {}
        self._wanted: list[Wanted] = []  # not sent yet
        self._returned: list[Returned] = []  # not sent yet
        self._known = ""  # life of the desk that has heard all that was sent; "" for none
        self._losses = 0
        self._sender: asyncio.Task[None] | None = None
        self._collector: asyncio.Task[None] | None = None

    async def acquire(self, account: str, tokens: int = 0) -> Permit:
        """See `Governor`.

        Raises:
            RunError: the desk does not come back.
        """
        wanted = Wanted(next(self._numbers), account, tokens)
        waiting = _Waiting(wanted, asyncio.get_running_loop().create_future())
        self._waiting[wanted.number] = waiting
        self._wanted.append(wanted)
        self._send_soon()
        try:
            return await waiting.permit
        except asyncio.CancelledError:
            self._waiting.pop(wanted.number, None)
            self._held.pop(wanted.number, None)
            if wanted in self._wanted:
                self._wanted.remove(wanted)  # never asked for
            else:
                self._give_back(Returned(wanted.number, account, None))
            raise

    async def release(self, permit: Permit, signal: Signal) -> None:
        """See `Governor`; the permit is on its way back when this returns."""
        self._held.pop(permit.key[1], None)
        self._give_back(Returned(permit.key[1], permit.account, signal))

    def _give_back(self, returned: Returned) -> None:
        self._returned.append(returned)
        self._send_soon()

    def _send_soon(self) -> None:
        if self._sender is None or self._sender.done():
            self._sender = self._started(self._send())

    async def _send(self) -> None:
        while self._wanted or self._returned or not self._known:
            known, letter = self._known, self._letter()
            try:
                given = await self._desk.post(letter)
            except Lost as error:
                self._returned[:0] = letter.returned
                await self._lost(error)
                continue
            self._losses = 0
            if known and known != given.desk:  # another desk by now, which has not read this letter
                self._returned[:0] = letter.returned
                self._known = ""
                continue
            self._known = self._known if known else given.desk
            self._take(given)
        if self._waiting and (self._collector is None or self._collector.done()):
            self._collector = self._started(self._collect())

    async def _collect(self) -> None:
        while self._waiting:
            try:
                given = await self._desk.collect(self._holder)
            except Lost as error:
                await self._lost(error)
            else:
                self._known = self._known if self._known == given.desk else ""
                self._take(given)
            if not self._known:
                self._send_soon()
                return

    def _letter(self) -> Letter:
        """All that has gathered; a desk that does not know us yet is told all that waits and is open."""
        returned, self._returned = tuple(self._returned), []
        wanted, self._wanted = tuple(self._wanted), []
        if self._known:
            return Letter(self._holder, self._known, wanted, returned)
        everything = tuple(waiting.wanted for waiting in self._waiting.values())
        return Letter(self._holder, "", everything, returned, tuple(self._held.values()))

    def _take(self, given: Given) -> None:
        for permit in given.permits:
            waiting = self._waiting.pop(permit.key[1], None)
            if waiting is None or waiting.permit.done():
                if permit.stopped is None and permit.key[1] not in self._held:
                    self._give_back(Returned(permit.key[1], permit.account, None))  # nobody wants it any more
                continue
            if permit.stopped is None:
                self._held[permit.key[1]] = waiting.wanted
            waiting.permit.set_result(permit)

    async def _lost(self, error: Lost) -> None:
        self._known = ""
        self._losses += 1
        if self._losses > RETRIES:
            raise error
        await asyncio.sleep(RETRY_SECONDS)

    def _started(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Tell everybody who waits when the way to the desk has broken."""
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        self._losses = 0
        waiting, self._waiting = list(self._waiting.values()), {}
        for item in waiting:
            if not item.permit.done():
                told = error if isinstance(error, RunError) else RunError(f"the governor failed: {error!r}")
                item.permit.set_exception(told)
