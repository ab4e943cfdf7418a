"""A whole run folder made in this process: plain actors, and stand-in models that answer without a server."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from pathlib import Path

from actors import run_file, store
from actors.assignment import Assignment
from actors.audit import Audit
from actors.deciders import PolicyDecider
from actors.firm import Decider, Firm
from actors.journal_link import JournalRecorder
from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import Called, CallFailure, Place, Recorder, Reply, Tokens
from actors.llm.chat import encode, read_reply
from actors.llm.conversation import SHORTENED
from actors.llm.standin_reply import complete
from actors.llm.switches import Switches
from actors.llm.wire import Request, canonical
from actors.market import Market
from actors.planning import RunRequest, make_plan, work_of
from actors.run_file import RunFile, RunSettings
from actors.sources import read_sources
from benchmarks.reliability.local_play import record_of
from ecologies.model_entry import ModelEntry
from ecologies.models import standin_models
from ecologies.policy import PolicySpec
from ecologies.rules import rule_policy


@dataclass(frozen=True)
class Standins:
    """Stands for the stand-in server and the client before it; a narrow one wants every conversation shortened once."""

    narrow: bool = False

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        body = encode(request, entry, Switches())
        told = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        if self.narrow and told and SHORTENED not in told:
            failure = CallFailure("context_overflow", 400, 1, "the prompt is too long")
            record = record_of(entry, request, place, Reply("", {}, "", (), None, None, Tokens(), ""))
            await recorder.commit(
                replace(record, status=400, error_class=failure.error_class, message=failure.message, cost_usd=None)
            )
            return Called(failure, 0.0, 0.0)
        reply = read_reply(json.dumps(complete(body, canonical(body), 0)), place.turn)
        assert isinstance(reply, Reply)
        await recorder.commit(record_of(entry, request, place, reply))
        return Called(reply, 0.0, 0.0)


def make_run(folder: Path, request: RunRequest, panel: Path | None = None, standins: Standins | None = None) -> RunFile:
    """Play a run with the stand-in panel, and write its records."""
    settings = RunSettings(panel_path=None if panel is None else str(panel))
    run = run_file.create(folder, make_plan(request, settings), settings)
    units = work_of(run.plan, read_sources(settings)).units
    assignment = Assignment(run.run_id, units, run.plan.infra_fallback)
    entries = {entry.label: entry for entry in standin_models("http://127.0.0.1:9/v1").entries}

    def decider(spec: PolicySpec, recorder: JournalRecorder) -> Decider:
        if spec.kind == "rule":
            return PolicyDecider(rule_policy(spec.label))
        options = AgentOptions(run.plan.tool_turns, run.plan.reasks)
        return ModelAgent(entries[spec.label], standins or Standins(), recorder, options)

    async def play() -> None:
        audit = Audit(folder, assignment)
        firms = {host: Firm(host, assignment, audit, decider) for host in assignment.hosts}
        market = Market(assignment, audit, firms)
        ends = await asyncio.gather(*(market.play(unit.market.market_id, True) for unit in units))
        assert {end.status for end in ends} == {"done"}
        await audit.close()

    asyncio.run(play())
    store.export(folder, run.run_id, len(run.plan.models))
    return run
