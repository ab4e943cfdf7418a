"""A run in this process: the plain actor classes, and stand-in models that answer without a server, in any order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from actors import store
from actors.assignment import Assignment
from actors.audit import Audit
from actors.firm import Decider, Firm
from actors.journal_link import JournalRecorder
from actors.llm.agent import ModelAgent
from actors.llm.calls import Called, CallRecord, Place, Recorder, Reply
from actors.llm.chat import encode, read_reply
from actors.llm.pricing import cost_usd
from actors.llm.standin_network import PROVIDER
from actors.llm.standin_reply import complete
from actors.llm.switches import Switches
from actors.llm.wire import Request, canonical
from actors.market import Market
from actors.messages import FirmFace
from actors.run_file import run_id_of
from benchmarks.reliability.setting import Setting
from ecologies.model_entry import ModelEntry
from ecologies.models import choose
from ecologies.policy import PolicySpec

STEP_SECONDS: Final = 0.002
"""Time between two replies of a round."""
_PROVIDER: Final = "".join(PROVIDER.values())
"""As the server names it, so that the records are those of a play over HTTP."""


@dataclass(frozen=True)
class Answers:
    """Stands for server and client; when a reply comes is drawn by order, place and nothing else."""

    order: int

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        """See `agent.Caller`."""
        key = place.key
        drawn = Random(f"{self.order} {key.market_id} {key.seat} {key.round_number} {place.turn}")  # noqa: S311 - order
        await asyncio.sleep(drawn.randrange(8) * STEP_SECONDS)
        body = encode(request, entry, Switches())
        reply = read_reply(json.dumps(complete(body, canonical(body), 0)), place.turn, _PROVIDER)
        assert isinstance(reply, Reply)
        await recorder.commit(record_of(entry, request, place, reply))
        return Called(reply, 0.0, 0.0)


def play(setting: Setting, folder: Path, order: int) -> None:
    """Play the run once: when replies come, in which order firms are listed and markets begun, follows from `order`."""
    folder.mkdir()
    asyncio.run(_play(setting, folder, order))
    store.export(folder, run_id_of(setting.plan), len(setting.plan.models))


async def _play(setting: Setting, folder: Path, order: int) -> None:
    entries = {entry.label: entry for entry in choose(setting.sources.models, setting.plan.models).entries}
    assignment = Assignment(run_id_of(setting.plan), setting.units)

    def decider(spec: PolicySpec, recorder: JournalRecorder) -> Decider:
        return ModelAgent(entries[spec.label], Answers(order), recorder)

    rng = Random(order)  # noqa: S311 - order
    audit = Audit(folder, assignment)
    hosts = _shuffled(rng, assignment.hosts)
    firms: dict[str, FirmFace] = {host: Firm(host, assignment, audit, decider) for host in hosts}
    markets = [Market(assignment, audit, firms) for _ in range(1 + order % 3)]
    units = _shuffled(rng, [unit.market.market_id for unit in setting.units])
    plays = [markets[rng.randrange(len(markets))].play(market_id, True) for market_id in units]
    ends = await asyncio.gather(*plays)
    await audit.close()
    assert {end.status for end in ends} == {"done"}, [end.message for end in ends]


def _shuffled(rng: Random, items: Sequence[str]) -> list[str]:
    return rng.sample(list(items), len(items))


def record_of(entry: ModelEntry, request: Request, place: Place, reply: Reply) -> CallRecord:
    """The record of a call that was answered at once."""
    key = place.key
    return CallRecord(
        market_id=key.market_id,
        seat=key.seat,
        model=entry.label,
        round_number=key.round_number,
        ask=place.ask,
        turn=place.turn,
        attempt=1,
        digest=request.digest,
        status=200,
        error_class="",
        final=True,
        tokens=reply.tokens,
        latency_s=0.0,
        cost_usd=cost_usd(reply.tokens, entry.prices),
        route=reply.route,
        request=request.shown,
        reply=reply.body,
        message="",
    )
