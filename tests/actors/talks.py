"""A journal with conversations: one Arena market played in this process, and calls written by hand."""

import json
from pathlib import Path
from typing import Any

from actors.entries import (
    FirmRecords,
    Spent,
    Writer,
    call_entry,
    commit_entry,
    failure_entry,
    firm_entries,
    timing_entry,
)
from actors.journal import Entry, Journal
from actors.llm.calls import CallRecord, Tokens
from actors.run_file import JOURNAL_NAME
from ecologies.arena import arena_market
from ecologies.local import MarketRecords, play_market
from ecologies.solo import solo_market
from ecologies.work import WorkUnit
from erpsim.records import FailureRow
from tests.actors.samples import call_record
from tests.actors.scripts import MODELS, RUN_ID, Script, short_problems

ARENA = "arena/P001"
SOLO = "solo/P001/mb"
ODD = "solo/P001/odd"
ESCAPE = "\x1b[31mred\x1b[0m"
LONG = "word " * 2_000


async def play(folder: Path) -> Path:
    """Journal two rounds of an Arena (the second not committed), and calls of four decisions; give the folder."""
    (problem,) = short_problems(1, horizon=2)
    market = arena_market("P001", MODELS)
    records = await play_market(market, problem, [Script() for _ in market.seats], RUN_ID)
    journal = Journal(folder / JOURNAL_NAME, writable=True)
    journal.write(_round_entries(records))
    journal.write([commit_entry(ARENA, 1, last=False)])
    unit = WorkUnit(solo_market("P001", MODELS[1], 1), problem)
    solo = await play_market(unit.market, problem, [Script() for _ in unit.market.seats], RUN_ID)
    journal.write([*_round_entries(solo), commit_entry(SOLO, 1, last=False), commit_entry(SOLO, 2, last=True)])
    calls = [*chat_calls(), *block_calls(), *under_way(), *changed_prompts(), *without_messages()]
    journal.write(call_entry(record, Writer("life", number)) for number, record in enumerate(calls))
    failure = FailureRow(ARENA, "arena", "P001", None, 2, "overloaded", 4, "the server is busy")
    journal.write([failure_entry(failure, Writer("life", 0))])
    journal.close()
    return folder


def chat_calls() -> list[CallRecord]:
    """Round 1 of seat 0: a refused attempt, tools, a text that is no decision, and a re-ask."""
    opening = [{"role": "system", "content": "the rules"}, {"role": "user", "content": f"ROUND 1 of 2.\n{LONG}end"}]
    call = {"id": "c1", "type": "function", "function": {"name": "get_finance", "arguments": '{"parts":["limits"]}'}}
    first = {"role": "assistant", "content": None, "reasoning_content": f"let me {ESCAPE} look", "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": '{"cash":1}'}
    asked_again = {"role": "user", "content": "Your last answer could not be used: no JSON"}
    fields = {"market_id": ARENA, "seat": 0, "model": "ma", "tokens": Tokens(prompt=10, completion=5)}
    return [
        call_record(
            **fields | {"tokens": Tokens()}, attempt=1, status=429, error_class="rate", final=False, wait_s=1.5,
            cost_usd=None, route="||", reply="", message="slow down\nplease",
            request=_request(opening, temperature=0.5),
        ),
        call_record(
            **fields | {"tokens": Tokens(prompt=1_200, completion=30, reasoning=20)}, attempt=2,
            request=_request(opening, temperature=0.5), reply=_chat(first), route="m-1|fp|",
        ),
        call_record(**fields, turn=1, digest="e", request=_request([answer], 3), reply=_chat({"content": "no JSON"})),
        call_record(
            **fields, ask=1, turn=2, digest="f", request=_request([asked_again], 5, tools_offered=False),
            reply=_chat({"content": '{"prices": {}}', "annotation": {"odd": 1}}), cost_usd=None,
        ),
    ]  # fmt: skip


def block_calls() -> list[CallRecord]:
    """Round 1 of seat 1: the Messages form, whose content is a list of blocks, one of them unknown."""
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "text": "I look"},
        {"type": "tool_use", "id": "t1", "name": "get_carbon", "input": {"a": 1}},
        {"type": "novelty", "value": 7},
    ]
    body = json.dumps({"id": "m", "type": "message", "role": "assistant", "content": blocks, "usage": {"x": 1}})
    answered = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "{}"}]}
    fields = {"market_id": ARENA, "seat": 1, "model": "mb"}
    return [
        call_record(**fields, request=_request([{"role": "user", "content": "ROUND 1"}]), reply=body),
        call_record(**fields, turn=1, digest="e", request=_request([answered], 2), reply="<html>"),
    ]


def under_way() -> list[CallRecord]:
    """Round 3 of seat 0, which is being played: one attempt that met no server."""
    failed: dict[str, Any] = {"status": None, "error_class": "network", "tokens": Tokens(), "cost_usd": None}
    failed |= {"reply": "", "route": "||", "message": "refused", "final": False}
    opening = _request([{"role": "user", "content": "ROUND 3"}])
    return [call_record(market_id=ARENA, seat=0, model="ma", round_number=3, request=opening, **failed)]


def changed_prompts() -> list[CallRecord]:
    """Round 2 of seat 0, asked twice with other prompts: the last reply is the one used."""
    return [
        call_record(
            market_id=ARENA, seat=0, model="ma", round_number=2, digest=digest,
            request=_request([{"role": "user", "content": f"prompt {digest}"}]), reply=_chat({"content": digest}),
        )
        for digest in ("old", "new")
    ]  # fmt: skip


def without_messages() -> list[CallRecord]:
    """Requests in no form that is known."""
    texts = ("", "[]", '{"messages":7}')
    return [call_record(market_id=ODD, model="ma", request=text, turn=turn) for turn, text in enumerate(texts)]


def _round_entries(records: MarketRecords) -> list[Entry]:
    entries: list[Entry] = []
    for row in records.rounds:
        place = (row.round, row.seat)
        cells = [cell for cell in records.cells if (cell.round, cell.seat) == place]
        events = [event for event in records.events if (event.round, event.seat) == place]
        entries += firm_entries(FirmRecords(row, cells, events))
        entries.append(timing_entry(row.market_id, *place, Spent(queue_s=0.5, model_s=2.0)))
    return entries


def _request(messages: list[dict[str, Any]], before: int = 0, *, tools_offered: bool = True, **settings: Any) -> str:
    head = {"model": "m-1", **settings, "tools_offered": tools_offered, "messages_before": before}
    return json.dumps({**head, "messages": messages})


def _chat(message: dict[str, Any]) -> str:
    return json.dumps({"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}]})
