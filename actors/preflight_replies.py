"""The replies that a run's journal holds of an earlier preflight, so that none that was received is asked for again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from actors.entries import read_call
from actors.journal import Journal
from actors.llm.asking import Caller
from actors.llm.calls import Called, Place, Recorder, StoredBody
from actors.llm.protocols import protocol_of
from actors.llm.wire import Request
from ecologies.model_entry import ModelEntry

PREFLIGHT: Final = "preflight"
"""Market id of its calls."""


class Asked(NamedTuple):
    """One request of a preflight: two models may be sent the same, and each has its own reply."""

    model: str  # label in the models file
    ask: int
    turn: int
    digest: str


class Remembering:
    """A client that gives the replies of an earlier preflight, and asks for those that are not among them.

    It stands behind what looks at replies, so that what a reply shows of its server is told at every play.
    """

    def __init__(self, client: Caller, replies: Mapping[Asked, StoredBody]) -> None:
        """Pass on what is not known to a client."""
        self._client = client
        self._replies = replies

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        """See `asking.Caller`."""
        stored = self._replies.get(Asked(entry.label, place.ask, place.turn, request.digest))
        known = protocol_of(entry).stored(stored, place.turn) if stored is not None else None
        if known is not None:
            return Called(known, 0.0, 0.0)
        return await self._client.call(entry, request, place, recorder)


def replies_of_preflights(journal: Journal) -> dict[Asked, StoredBody]:
    """Answers that earlier preflights of a run were given, the last one where there are several."""
    return dict(_replies(journal))


def _replies(journal: Journal) -> Iterator[tuple[Asked, StoredBody]]:
    for (_, ask, turn, digest), row in journal.replies(PREFLIGHT, 1):
        call = read_call(row)
        yield Asked(call["model"], int(ask), int(turn), str(digest)), StoredBody(call["reply"], call["route"])
