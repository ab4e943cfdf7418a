"""The way of an actor's rows to the audit actor: whatever gathers while one message is under way goes with the next.

A caller awaits until its rows are durable. An audit actor that is lost and comes back is sent the same rows again,
which is harmless since every row has its key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar
from uuid import uuid4

from actors.entries import Writer, call_entry, learnt_entry
from actors.journal import Entry
from actors.llm.calls import CallRecord, Place, StoredBody
from actors.llm.switches import Switches
from actors.messages import AuditFace, History, Lost, StoredReply
from actors.turns import Turns

Answer = TypeVar("Answer")

RETRY_SECONDS: Final = 0.5
"""Pause before a lost audit actor is spoken to again."""
RETRIES: Final = 120


@dataclass(frozen=True)
class _Waiting:
    entries: Sequence[Entry]
    done: asyncio.Future[None]


class JournalLink:
    """One actor's end of the way; use it from that actor's event loop."""

    def __init__(self, audit: AuditFace, turns: Turns | None = None) -> None:
        """Speak to an audit actor; those whose rows are durable go on by turns."""
        self._audit = audit
        self._turns = turns or Turns()
        self._waiting: list[_Waiting] = []
        self._riders: list[Entry] = []
        self._sender: asyncio.Task[None] | None = None
        self._life = uuid4().hex[:12]
        self._number = 0

    def writer(self) -> Writer:
        """A new key for one volatile row of this actor's life."""
        self._number += 1
        return Writer(self._life, self._number)

    async def commit(self, entries: Sequence[Entry]) -> None:
        """Journal rows; on return they are durable.

        Raises:
            RunError: the journal cannot be written, or the audit actor does not come back.
        """
        waiting = _Waiting(entries, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())
        await waiting.done

    def attach(self, entry: Entry) -> None:
        """Have a row go with the next message; it is volatile, and nobody waits for it."""
        self._riders.append(entry)

    async def flush(self) -> None:
        """Send what is attached."""
        if self._riders:
            await self.commit([])

    async def committed(self, market_id: str) -> int:
        """Number of committed rounds of a market."""
        return await patient(partial(self._audit.committed, market_id))

    async def history(self, market_id: str, seats: tuple[int, ...]) -> History:
        """What is needed to bring firms of a market back."""
        return await patient(partial(self._audit.history, market_id, seats))

    async def _send(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            riders, self._riders = self._riders, []
            entries = [*riders, *(entry for waiting in batch for entry in waiting.entries)]
            sent = asyncio.ensure_future(patient(partial(self._audit.commit, entries)))
            await asyncio.wait([sent])
            error = sent.exception()
            for waiting in batch:
                if waiting.done.done():
                    continue
                if error is None:
                    self._turns.give(waiting.done)
                else:
                    waiting.done.set_exception(error)


class JournalRecorder:
    """The journal as a model's agent sees it: replies of an earlier life first, every attempt kept."""

    def __init__(self, link: JournalLink) -> None:
        """Record through an actor's link."""
        self._link = link
        self._known: dict[tuple[str, int], list[StoredReply]] = {}

    def remember(self, market_id: str, round_number: int, replies: Sequence[StoredReply]) -> None:
        """Have the replies at hand that the journal holds for one round of a market."""
        self.forget(market_id)
        self._known[market_id, round_number] = list(replies)

    def forget(self, market_id: str) -> None:
        """Drop the replies of a market."""
        for key in [key for key in self._known if key[0] == market_id]:
            del self._known[key]

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """Answer that the journal holds for the same request at the same place, the last one if there are several."""
        wanted = (place.key.seat, place.ask, place.turn, digest)
        for reply in reversed(self._known.get((place.key.market_id, place.key.round_number), [])):
            if (reply.seat, reply.ask, reply.turn, reply.digest) == wanted:
                return StoredBody(reply.body, reply.route)
        return None

    async def commit(self, record: CallRecord) -> None:
        """Keep one attempt; on return it is durable."""
        await self._link.commit([call_entry(record, self._link.writer())])

    async def learn(self, model: str, switches: Switches) -> None:
        """Keep what a model's server was found to want."""
        await self._link.commit([learnt_entry(model, switches)])


async def patient(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Ask an actor that may be on its way back from being lost, until it is there again.

    Raises:
        Lost: it is not back after a minute.
    """
    for _ in range(RETRIES):
        try:
            return await ask()
        except Lost:
            await asyncio.sleep(RETRY_SECONDS)
    return await ask()
