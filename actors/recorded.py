"""Models that answer from a journal alone: a reply that is not there is a failure, not a call.

For `--replay`, which plays a run again without any network, and for `verify`, which holds a run's records against what
the rules give for its replies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from actors.entries import read_call
from actors.journal import Journal
from actors.llm.calls import CallClass, Called, CallFailure, CallRecord, Place, Recorder, StoredBody, Tokens
from actors.llm.switches import Switches
from actors.llm.wire import Request
from ecologies.model_entry import ModelEntry

OVERFLOW: Final[CallClass] = "context_overflow"
"""The one failure that a decision goes on from: it shortens its conversation."""
UNRECORDED: Final[CallClass] = "unrecorded"
ROUNDS_KEPT: Final = 64
"""Rounds of markets whose replies are held at once; each is read again when it is asked for later."""

_Key = tuple[int, int, int, str]  # seat, ask, turn, digest


class RecordedReplies:
    """The replies that a journal holds, by place and digest of the request; the file is only read."""

    def __init__(self, path: Path) -> None:
        """Name the journal.

        Raises:
            RunError: it cannot be read.
        """
        Journal(path, writable=False).close()
        self._of_round: Callable[[str, int], dict[_Key, CallRecord]] = lru_cache(ROUNDS_KEPT)(
            lambda market_id, round_number: _records(path, market_id, round_number)
        )

    def find(self, place: Place, digest: str) -> CallRecord | None:
        """The attempt that brought the reply to a request at its place, the last one if there are several."""
        found = self._last(place, digest)
        return None if found is None or found.error_class == OVERFLOW else found

    def overflow(self, place: Place, digest: str) -> CallRecord | None:
        """The attempt at a request that was too long for its model; None when it was not, or not in the end."""
        found = self._last(place, digest)
        return found if found is not None and found.error_class == OVERFLOW else None

    def _last(self, place: Place, digest: str) -> CallRecord | None:
        key = place.key
        return self._of_round(key.market_id, key.round_number).get((key.seat, place.ask, place.turn, digest))


@dataclass(frozen=True)
class ReplyReader:
    """A recorder that knows the replies of a journal and keeps nothing."""

    replies: RecordedReplies

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """See `Recorder`."""
        found = self.replies.find(place, digest)
        return None if found is None else StoredBody(found.reply, found.route)

    async def commit(self, record: CallRecord) -> None:
        """Nothing is kept."""

    async def learn(self, model: str, switches: Switches) -> None:
        """Nothing is called, so there is nothing to learn."""
        raise AssertionError(f"{switches.text()} was learnt of {model} where no call can be made")


@dataclass(frozen=True)
class Replayer:
    """A recorder that takes replies from another journal, and keeps each that is used in its own run's."""

    replies: RecordedReplies
    own: Recorder

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """See `Recorder`."""
        kept = await self.own.lookup(place, digest)
        if kept is not None:
            return kept
        found = self.replies.find(place, digest)
        if found is None:
            return None
        await self.own.commit(found)
        return StoredBody(found.reply, found.route)

    async def commit(self, record: CallRecord) -> None:
        """See `Recorder`."""
        await self.own.commit(record)

    async def learn(self, model: str, switches: Switches) -> None:
        """See `Recorder`."""
        await self.own.learn(model, switches)


@dataclass(frozen=True)
class NoServer:
    """Stands for every model's server: a call is a failure, as it is recorded or because its reply is missing."""

    replies: RecordedReplies

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        """See `agent.Caller`."""
        key, known = place.key, self.replies.overflow(place, request.digest)
        if known is not None:
            await recorder.commit(known)
            return Called(CallFailure(OVERFLOW, known.status, known.attempt, known.message), 0.0, 0.0)
        message = (
            f"{key.market_id}, round {key.round_number}, seat {key.seat}: no reply of {entry.label} is recorded for"
            f" request {request.digest[:12]} (ask {place.ask}, turn {place.turn}); rules, prompts, tools or models file"
            " are not those of the recorded run, or it ended before this decision"
        )
        return Called(CallFailure(UNRECORDED, None, 0, message), 0.0, 0.0)


def _records(path: Path, market_id: str, round_number: int) -> dict[_Key, CallRecord]:
    journal = Journal(path, writable=False)
    try:
        stored = journal.replies(market_id, round_number, OVERFLOW)
    finally:
        journal.close()
    calls = [read_call(row.row) for row in stored]
    records = [CallRecord(**{**call, "tokens": Tokens(**call["tokens"])}) for call in calls]
    return {(record.seat, record.ask, record.turn, record.digest): record for record in records}
