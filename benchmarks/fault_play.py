"""Decisions of the real agent and client against the stand-in server, over real HTTP in one process.

The client's clock, and the server's with it, runs `FASTER` times as fast as the wall's, so that a Retry-After of whole
seconds, as HTTP wants it, is waited out in full and yet soon over.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import aiohttp
from aiohttp import web

from actors.llm.agent import ModelAgent
from actors.llm.calls import CallRecord, DecisionKey, InfraFailure, Place, StoredBody
from actors.llm.client import ModelClient, Surroundings
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.prompts.render import round_prompt
from actors.llm.standin import HOST, StandinOptions, create_app
from actors.llm.standin_faults import read_faults
from actors.llm.switches import Switches
from benchmarks.fault_cases import Case, Result
from ecologies.local import play_rounds
from ecologies.model_entry import ModelEntry
from ecologies.models import standin_models
from ecologies.panel import generate
from ecologies.policy import Policy
from ecologies.rules import rule_policy
from erpsim.observation import Observation
from erpsim.proposal import Proposal
from erpsim.reading import ABSENT_PRICE

FASTER: Final = 50.0
PATIENCE_S: Final = 8.0
"""Timeout of a call to a server that hangs."""
_PANEL_SEED: Final = 4
_RULES: Final = ("balanced", "growth")


@dataclass
class Records:
    """A journal in memory."""

    kept: list[CallRecord] = field(default_factory=list)

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """Nothing was asked before."""
        del place, digest
        return None

    async def commit(self, record: CallRecord) -> None:
        """Keep an attempt."""
        self.kept.append(record)

    async def learn(self, model: str, switches: Switches) -> None:
        """The client itself remembers for as long as it lives."""
        del model, switches


async def observations(count: int) -> tuple[Observation, ...]:
    """So many different positions out of games that rules play, over problems, seats and rounds."""
    found: dict[str, Observation] = {}
    for index, problem in enumerate(generate(_PANEL_SEED, 100)):
        watched = [_Watched(rule_policy(_RULES[(index + seat) % len(_RULES)])) for seat in range(6)]
        async for _ in play_rounds(problem, watched):
            pass
        for seen in (one for each in watched for one in each.seen):
            found.setdefault(round_prompt(seen), seen)
        if len(found) >= count:
            break
    return tuple(found.values())[:count]


def panel_size() -> int:
    """How many stand-in models play."""
    return len(standin_models("http://localhost/v1").entries)


async def play(case: Case, seen: Sequence[Observation], patience_s: float = PATIENCE_S) -> Result:
    """Decide once for each observation, with the case's faults on.

    Where a fault meets each model once, first decisions are made alone, so that what they learn is known to the others.
    """
    records = Records()
    faults, asked_s = read_faults(case.faults), case.retry_after_s
    options = StandinOptions(delay_s=0.0, faults=faults, defects=False, retry_after_s=asked_s, clock=_clock)
    async with _serving(options) as url, _client() as client:
        entries = [_entry(entry, case, patience_s) for entry in standin_models(f"{url}/v1").entries]
        agents = [ModelAgent(entry, client, records, case.options) for entry in entries]
        jobs = [(agents[number % len(agents)], observation, number) for number, observation in enumerate(seen)]
        alone = len(agents) if case.per == "model" else 0
        decided = [await _decide(*job) for job in jobs[:alone]]
        gate = asyncio.Semaphore(case.at_once)
        decided += await asyncio.gather(*(_gated(gate, *job) for job in jobs[alone:]))
        stats = await _stats(url)
    failed = [record for record in records.kept if record.error_class]
    spoilt = {int(record.market_id) for record in failed}
    split = case.meets != 0
    return Result(
        outcomes=Counter(_outcome(one, split and number in spoilt) for number, one in enumerate(decided)),
        failed=Counter(record.error_class for record in failed),
        events=Counter(name for one in decided for name in _events(one)),
        faults=Counter(stats["faults"]),
        requests=stats["requests"],
        attempts=len(records.kept),
        early=stats["early"],
    )


def _clock() -> float:
    return time.monotonic() * FASTER


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds / FASTER)


@dataclass
class _Watched:
    """A policy that remembers what it saw."""

    policy: Policy
    seen: list[Observation] = field(default_factory=list)

    async def decide(self, observation: Observation) -> Proposal:
        self.seen.append(observation)
        return await self.policy.decide(observation)


def _entry(entry: ModelEntry, case: Case, patience_s: float) -> ModelEntry:
    timeouts = {"read": patience_s, "total": patience_s} if "hang" in read_faults(case.faults) else {}
    changes = {"response_format": "none", "timeouts": timeouts, **case.changes}
    return ModelEntry.model_validate(entry.model_dump() | changes)


@asynccontextmanager
async def _serving(options: StandinOptions) -> AsyncIterator[str]:
    runner = web.AppRunner(create_app(options), access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        yield f"http://{HOST}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _client() -> AsyncIterator[ModelClient]:
    around = Surroundings(clock=_clock, sleep=_sleep, draw=Random(1).random)  # noqa: S311 - jitter
    client = ModelClient(Keys({}), LocalGovernor({}, _clock, _sleep), around)
    try:
        yield client
    finally:
        await client.close()


async def _stats(url: str) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/stats") as answer:
        stats: dict[str, Any] = await answer.json()
        return stats


async def _gated(gate: asyncio.Semaphore, agent: ModelAgent, seen: Observation, number: int) -> Proposal | InfraFailure:
    async with gate:
        return await _decide(agent, seen, number)


async def _decide(agent: ModelAgent, seen: Observation, number: int) -> Proposal | InfraFailure:
    return await agent.decide(seen, DecisionKey(str(number), 0, seen.round_number))


def _outcome(decided: Proposal | InfraFailure, spoilt: bool) -> str:
    if isinstance(decided, InfraFailure):
        return f"infra:{decided.failure.error_class}"
    if decided.status == "fallback":
        return f"fallback:{decided.events[-1].code}"
    return "retried" if spoilt and decided.status == "clean" else decided.status


def _events(decided: Proposal | InfraFailure) -> Iterator[str]:
    if isinstance(decided, Proposal):
        names = {f"{event.category}:{event.code}" for event in decided.events if event.code != ABSENT_PRICE}
        yield from sorted(names)
