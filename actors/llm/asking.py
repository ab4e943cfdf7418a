"""Asking for one decision: replies of an earlier life first, an unusable one asked for again, the fallback at last."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from actors.llm.calls import Called, InfraFailure, Place, Recorder
from actors.llm.conversation import Conversation
from actors.llm.protocols import protocol_of
from actors.llm.wire import Request
from ecologies.model_entry import ModelEntry
from erpsim.events import Event, FallbackDecision, ItemDropped, ParseRecovered, Reask, ValueCoerced
from erpsim.parsing import Failure, Reading
from erpsim.proposal import DecisionStatus, Proposal
from erpsim.reading import ABSENT_PRICE

Asked = Callable[[int, Failure | None], Awaitable[Reading | InfraFailure]]
"""Asks once and reads what comes: the ask's number, from 0, and what was wrong with the one before."""


class Caller(Protocol):
    """Sends one request to a model; `client.ModelClient` is one."""

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        """Send a request, retries included, and commit every attempt before returning."""
        ...


async def replied(entry: ModelEntry, client: Caller, recorder: Recorder, request: Request, place: Place) -> Called:
    """The reply that the journal holds for a request, or else what a call of it comes to."""
    stored = await recorder.lookup(place, request.digest)
    known = protocol_of(entry).stored(stored, place.turn) if stored is not None else None
    if known is not None:
        return Called(known, 0.0, 0.0)
    return await client.call(entry, request, place, recorder)


async def propose(talk: Conversation, reasks: int, ask: Asked) -> Proposal | InfraFailure:
    """Ask until a decision can be used, or has been asked for again `reasks` times.

    Returns:
        A proposal; its decision is None on fallback. An InfraFailure as soon as an ask meets one.
    """
    partial: Reading | None = None
    failure: Failure | None = None
    for number in range(reasks + 1):
        if failure is not None:
            talk.events.append(Reask(failure.cause, cause=failure.message))
        reading = await ask(number, failure)
        if isinstance(reading, InfraFailure):
            return reading
        if reading.failure is None:
            return _proposal(talk, reading)
        failure = reading.failure
        partial = reading if reading.decision is not None else partial
        if failure.cause == "content_filter":
            break  # the filter has read the conversation, and would read it again
    return _proposal(talk, partial) if partial is not None else _fallen_back(talk, failure)


def _proposal(talk: Conversation, reading: Reading) -> Proposal:
    events = (*talk.events, *reading.events)
    return Proposal(reading.decision, _status(events), events, talk.usage())


def _fallen_back(talk: Conversation, failure: Failure | None) -> Proposal:
    assert failure is not None, "there is at least one ask"
    event = FallbackDecision(failure.cause, cause=failure.message)
    return Proposal(None, "fallback", (*talk.events, event), talk.usage())


def _status(events: tuple[Event, ...]) -> DecisionStatus:
    """Worst rung; that prices left out stay as they were is the form of a decision, and no recovery."""
    if any(isinstance(event, Reask) for event in events):
        return "reasked"
    read = [event for event in events if isinstance(event, ParseRecovered | ValueCoerced | ItemDropped)]
    return "recovered" if any(event.code != ABSENT_PRICE for event in read) else "clean"
