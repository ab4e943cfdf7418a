"""A provider on loopback: it checks each request as its public API description asks, and answers from a script."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import CallClass
from ecologies.model_entry import ModelEntry
from tests.actors.llm.peers import CANARY, FakeTime, calling, entry, running
from tests.actors.llm.worlds import DECISION, KEY, Decided, MemoryJournal, opening_observation

GOOD = DECISION.model_dump_json()


@dataclass(frozen=True)
class Posted:
    """One request as the provider got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Given:
    """One scripted answer."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A tool call as a model makes it."""

    call_id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Error:
    """An error as the provider words it, and the class that it belongs to."""

    status: int
    body: Any
    error_class: CallClass


@dataclass(frozen=True)
class Provider:
    """What is known of one provider.

    Attributes:
        root: path of its base URL.
        check: what it would refuse in a request, in its own words; None when nothing.
        refused: its error body for such a request.
        calls: an answer with tool calls.
        text: an answer with a text and the reason of its end.
        errors: its errors.
        changes: further keys of the models file.
        tokens: prompt and completion tokens of each scripted answer.
    """

    dialect: str
    root: str
    check: Callable[[Posted], str | None]
    refused: Callable[[str], Any]
    calls: Callable[[Sequence[Call]], Any]
    text: Callable[[str, str], Any]
    errors: tuple[Error, ...]
    truncated: str = "length"
    changes: dict[str, Any] = field(default_factory=dict)
    tokens: tuple[int, int] = (1200, 40)


@dataclass(frozen=True)
class Played(Decided):
    """One decision against a provider, with what was posted, what was refused, and the waits."""

    posted: list[Posted]
    complaints: list[str]
    slept: list[float]


@dataclass
class _Peer:
    posted: list[Posted] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@asynccontextmanager
async def _serving(provider: Provider, answers: Sequence[Given], peer: _Peer) -> AsyncIterator[str]:
    given = iter(answers)

    async def handle(request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        posted = Posted(request.path.removeprefix(provider.root), dict(request.headers), body)
        peer.posted.append(posted)
        complaint = provider.check(posted)
        if complaint is not None:
            peer.complaints.append(complaint)
            return web.json_response(provider.refused(complaint), status=400)
        answer = next(given, Given({"error": {"message": "the script is at its end"}}, 404))
        return web.json_response(answer.body, status=answer.status, headers=answer.headers)

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    async with running(app) as url:
        yield url.removesuffix("/v1") + provider.root


async def play(
    provider: Provider,
    *answers: Given | Any,
    journal: MemoryJournal | None = None,
    tool_turns: int = 6,
    **changes: Any,
) -> Played:
    """Play one decision; an answer that is no `Given` is the body of a good one."""
    journal, peer, time = journal or MemoryJournal(), _Peer(), FakeTime()
    script = [answer if isinstance(answer, Given) else Given(answer) for answer in answers]
    async with _serving(provider, script, peer) as url, calling(time) as client:
        model = served(provider, url, **changes)
        agent = ModelAgent(model, client, journal, AgentOptions(tool_turns=tool_turns))
        outcome = await agent.decide(opening_observation(), KEY)
    return Played(outcome, journal, peer.posted, peer.complaints, time.slept)


def served(provider: Provider, url: str, **changes: Any) -> ModelEntry:
    """A model of this provider's, served at an address."""
    return entry(url, **{"dialect": provider.dialect, **provider.changes, **changes})


def bearer(posted: Posted) -> str | None:
    """What is wrong with the key of most providers."""
    return None if posted.headers.get("Authorization") == f"Bearer {CANARY}" else "no key in Authorization"
