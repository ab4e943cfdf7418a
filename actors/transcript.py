"""One decision as the journal holds it: every call with its attempts, the conversation, the reading, what was executed.

Only the journal is read, so a run that is being played, was moved, or whose models file is gone can be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from actors.entries import read_call, read_events, read_round, read_row, read_timings
from actors.journal import REPLIED, Journal
from actors.message_parts import Message, Part, read_body, read_message
from erpsim.catalogue import firm_name
from erpsim.cuts import Cut, cuts
from erpsim.decision import Decision

TOKEN_KINDS: Final = ("prompt", "cached", "written", "completion", "reasoning")


@dataclass(frozen=True)
class Place:
    """One decision of a run, and who made it."""

    market_id: str
    round: int
    seat: int
    firm: str
    policy: str  # label of the model, or name of the rule
    kind: str  # model, rule, …


@dataclass(frozen=True)
class Attempt:
    """One request that was sent, and what came of it.

    Attributes:
        number: counts the attempts of one call from 1.
        status: HTTP status; None when no answer came.
        error_class: "" for a reply.
        wait_s: pause before the next attempt; None when none followed.
        tokens: by kind (`TOKEN_KINDS`), None where the server did not say.
        cost_usd: None when the price is unknown.
        used: whether the decision rests on its reply.
        switches: JSON text of parameters that were sent otherwise than the models file says; "" for none.
        reply: the body as it came.
    """

    number: int
    status: int | None
    error_class: str
    message: str
    latency_s: float
    wait_s: float | None
    tokens: Mapping[str, int | None]
    cost_usd: float | None
    route: str
    used: bool
    switches: str
    reply: str


@dataclass(frozen=True)
class Exchange:
    """One call of the decision: what it added to the conversation, its attempts, and the message that came back.

    Attributes:
        ask: counts re-asks from 0.
        turn: counts the requests of the whole decision from 0.
        settings: what was asked for beside the messages, such as the sampling.
        messages: those that this call added.
        reply: message of the last attempt that brought one; None when none did.
        request: the record of the request as it is kept, JSON text.
    """

    ask: int
    turn: int
    digest: str
    settings: Mapping[str, Any]
    messages: tuple[Message, ...]
    attempts: tuple[Attempt, ...]
    reply: Message | None
    request: str


@dataclass(frozen=True)
class Executed:
    """What was done in the round; `asked` is None when the fallback was executed. Both decisions are JSON text."""

    status: str
    asked: str | None
    decision: str
    cuts: tuple[Cut, ...]
    committed: bool
    row: Mapping[str, Any]  # the firm's row of `rounds`


@dataclass(frozen=True)
class Transcript:
    """Everything that the journal says of one decision; `executed` is None while the round is being played."""

    place: Place
    exchanges: tuple[Exchange, ...]
    events: tuple[Mapping[str, Any], ...]
    executed: Executed | None
    seconds: Mapping[str, float]
    failures: tuple[Mapping[str, Any], ...]  # tries of the market that ended in this round


def read_places(journal: Journal, market_id: str) -> tuple[Place, ...]:
    """Every decision of a market that the journal knows of, by round and seat.

    Raises:
        RunError: the journal cannot be read.
    """
    found = journal.firm_rounds(market_id)
    first = {seat: number for number, seat in reversed(found)}
    who = {seat: _firm(journal, market_id, number, seat) for seat, number in first.items()}
    return tuple(Place(market_id, number, seat, *who[seat]) for number, seat in found)


def read_transcript(journal: Journal, place: Place) -> Transcript:
    """Read one decision.

    Raises:
        RunError: the journal cannot be read.
    """
    key = (place.market_id, place.round, place.seat)
    committed = place.round <= journal.committed().get(place.market_id, 0)
    events = [event for stored in journal.of_firm_round("events", key) for event in read_events(stored)]
    rows = [read_round(stored.row) for stored in journal.of_firm_round("rounds", key)]
    timings = list(read_timings(iter(journal.of_firm_round("timings", key))))
    failures = (read_row(stored) for stored in journal.rows("failures") if stored.key[0] == place.market_id)
    return Transcript(
        place=place,
        exchanges=tuple(_exchanges([read_call(stored.row) for stored in journal.of_firm_round("calls", key)])),
        events=tuple(events),
        executed=_executed(rows[0], events, committed) if rows else None,
        seconds={name: value for row in timings for name, value in row.items() if name.endswith("_s")},
        failures=tuple(failure for failure in failures if failure.get("round") == place.round),
    )


def _firm(journal: Journal, market_id: str, number: int, seat: int) -> tuple[str, str, str]:
    """Name, policy and kind of a firm; one without a finished round is a model that has been asked."""
    rows = journal.of_firm_round("rounds", (market_id, number, seat))
    if rows:
        row = read_round(rows[0].row)
        return row["firm"], row["policy"], row["policy_kind"]
    call = read_call(journal.of_firm_round("calls", (market_id, number, seat))[0].row)
    return firm_name(seat), call["model"], "model"


def _exchanges(calls: Sequence[dict[str, Any]]) -> Iterator[Exchange]:
    """Calls in the order of the conversation; requests that differ at one place, since prompts changed, stand apart."""
    ordered = sorted(calls, key=lambda call: (call["ask"], call["turn"]))
    for _, group in groupby(ordered, key=lambda call: (call["ask"], call["turn"])):
        at_place = list(group)
        replies = [call for call in at_place if call["error_class"] in REPLIED]
        for digest in dict.fromkeys(call["digest"] for call in at_place):
            same = [call for call in at_place if call["digest"] == digest]
            yield _exchange(same, replies[-1] if replies else None)


def _exchange(calls: Sequence[dict[str, Any]], used: dict[str, Any] | None) -> Exchange:
    request = _object(calls[-1]["request"])
    messages = request.get("messages")
    replied = [call for call in calls if call["error_class"] in REPLIED]
    return Exchange(
        ask=calls[0]["ask"],
        turn=calls[0]["turn"],
        digest=calls[0]["digest"],
        settings={name: value for name, value in request.items() if name != "messages"},
        messages=tuple(map(read_message, messages if isinstance(messages, list) else ())),
        attempts=tuple(_attempt(call, call is used) for call in calls),
        reply=_reply(replied[-1]) if replied else None,
        request=calls[-1]["request"],
    )


def _attempt(call: Mapping[str, Any], used: bool) -> Attempt:
    tokens = call.get("tokens") or {}
    return Attempt(
        number=call["attempt"],
        status=call["status"],
        error_class=call["error_class"],
        message=call["message"],
        latency_s=call["latency_s"],
        wait_s=call.get("wait_s"),
        tokens={kind: tokens.get(kind) for kind in TOKEN_KINDS},
        cost_usd=call["cost_usd"],
        route=call["route"],
        used=used,
        switches=call.get("switches", ""),
        reply=call["reply"],
    )


def _reply(call: Mapping[str, Any]) -> Message:
    """The message in a reply's body; the whole body where none is found in it."""
    return read_body(call["reply"]) or Message("assistant", (Part("other", call["reply"], "body"),))


def _executed(row: Mapping[str, Any], events: Iterable[Mapping[str, Any]], committed: bool) -> Executed:
    asked, decision = row["proposal_json"], row["decision_json"]
    found: tuple[Cut, ...] = ()
    if asked is not None:
        causes = [(event["field"], event["cause"]) for event in events]
        found = cuts(Decision.model_validate_json(asked), Decision.model_validate_json(decision), causes)
    return Executed(row["decision_status"], asked, decision, found, committed, row)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
