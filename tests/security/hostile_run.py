"""A whole run in this process whose models are called, and write, whatever could steer a reader of their words."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from actors import run_file, store
from actors.assignment import Assignment
from actors.audit import Audit
from actors.deciders import PolicyDecider
from actors.entries import Writer, failure_entry
from actors.firm import Decider, Firm
from actors.journal import Journal
from actors.journal_link import JournalRecorder
from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import Called, Place, Recorder, Reply
from actors.llm.chat import encode, read_reply
from actors.llm.standin_reply import complete
from actors.llm.switches import Switches
from actors.llm.wire import Request, canonical
from actors.market import Market
from actors.planning import RunRequest, make_plan, work_of
from actors.run_file import JOURNAL_NAME, RunSettings
from actors.sources import read_sources
from benchmarks.reliability.local_play import record_of
from ecologies.model_entry import ModelEntry
from ecologies.panel_file import Panel
from ecologies.panel_file import encode as encode_panel
from ecologies.policy import PolicySpec
from ecologies.rules import rule_policy
from erpsim.records import FailureRow
from tests.actors.scripts import short_problems

NASTY: Final = (
    "=cmd|'/C calc'!A0<script>alert(1)</script><img src=x onerror=alert(2)>\"' [x](javascript:alert(3)) "
    "![x](http://127.0.0.1:1/x.png) \x1b]0;title\x07\x1b]8;;http://127.0.0.1:1\x1b\\\x1b[2J\x9b31m\u202e\u2066\u200b\x00"
    "\r\n# Not a headline\n\t@SUM(1)\n\\input{x}$x_1$ </style></svg></title><!-- {{7*7}} {% x %} ]]>"
)
"""What is an attack on a terminal, a page, Markdown, LaTeX, a spreadsheet or a template, in one text."""

LABELS: Final = (
    "=cmd|'/C!A0",
    "<script>alert(1)</script>",
    "../../../outside",
    "[x](javascript:alert(3))![x](y)",
    "constructor",
    "{{7-7}}$x_1$\\input{x}",
)
"""Names of models, such as a models file may give."""


class Nasty:
    """Stands for a server and the client before it: a stand-in's answers with an attack in every text of them."""

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        body = encode(request, entry, Switches())
        body["model"] = "standin/a"
        answer = complete(body, canonical(body), 0)
        silent = (place.key.seat, place.key.round_number) == (1, 2)
        text = json.dumps(_attacked(json.loads(json.dumps(answer)), silent))
        reply = read_reply(text, place.turn, NASTY)
        assert isinstance(reply, Reply), reply
        await recorder.commit(replace(record_of(entry, request, place, reply), cost_usd=None, message=NASTY))
        return Called(reply, 0.0, 0.0)


def make_nasty_run(folder: Path) -> Path:
    """Play one problem of two rounds in both ecologies, and give the run's folder inside of `folder`."""
    (folder / "models.toml").write_text("".join(map(_entry, LABELS)))
    (folder / "panel.json").write_bytes(encode_panel(Panel(1, NASTY, short_problems(1, horizon=2))))
    settings = RunSettings(panel_path=str(folder / "panel.json"), models_path=str(folder / "models.toml"))
    plan = make_plan(RunRequest(problems="all"), settings)
    run = run_file.create(folder / "run", plan, settings)
    units = work_of(run.plan, read_sources(settings)).units
    entries = {entry.label: entry for entry in read_sources(settings).models.entries}

    def decider(spec: PolicySpec, recorder: JournalRecorder) -> Decider:
        if spec.kind == "rule":
            return PolicyDecider(rule_policy(spec.label))
        return ModelAgent(entries[spec.label], Nasty(), recorder, AgentOptions(plan.tool_turns, plan.reasks))

    async def play() -> None:
        assignment = Assignment(run.run_id, units)
        audit = Audit(folder / "run", assignment)
        firms = {host: Firm(host, assignment, audit, decider) for host in assignment.hosts}
        market = Market(assignment, audit, firms)
        ends = await asyncio.gather(*(market.play(unit.market.market_id, True) for unit in units))
        assert {end.status for end in ends} == {"done"}, ends
        await audit.close()

    asyncio.run(play())
    journal = Journal(folder / "run" / JOURNAL_NAME, writable=True)
    failure = FailureRow("arena/P001", "arena", "P001", None, 1, "overloaded", 4, NASTY)
    journal.write([failure_entry(failure, Writer("life", 0))])
    journal.close()
    store.export(folder / "run", run.run_id, len(LABELS))
    return folder / "run"


def _entry(label: str) -> str:
    # A price makes the money of a model known.
    return f'[models.{json.dumps(label)}]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = {json.dumps(label)}\n'


def _attacked(answer: dict[str, Any], silent: bool) -> dict[str, Any]:
    """A completion with the attack in its model, its texts, and the names and arguments of a further call."""
    message = answer["choices"][0]["message"]
    message["reasoning_content"] = NASTY
    answer |= {"model": NASTY, "system_fingerprint": NASTY}
    if silent:
        message.pop("tool_calls", None)
        message["content"] = NASTY
    elif message.get("tool_calls"):
        unknown = {"name": NASTY, "arguments": json.dumps({NASTY: NASTY})}
        message["tool_calls"].append({"id": NASTY, "type": "function", "function": unknown})
    elif isinstance(message.get("content"), str):
        message["content"] = f"{NASTY}\n{message['content']}"
    return answer
