"""The protocol of policies over HTTP: the observation goes out as JSON, and the decision comes back as JSON.

Request: `format`, `model` (the models file's name for the policy), `ask` (0, and 1 when it is asked again), `error`
(what was wrong with the answer before, null on the first ask), `observation`; keys of `extra` go beside them. Answer:
the decision, or an object with `decision` and, if the server likes, `usage` (as chat completions have it) and
`version`. An answer of status 200 whose `error` is set, with no decision, is a failure of the server.
"""

from __future__ import annotations

import json
from typing import Any, Final

import orjson

from actors.llm.calls import Reply, Tokens
from actors.llm.chat import filtered_reply, read_tokens
from actors.llm.failures import MESSAGE_CHARACTERS, Fault, is_html, read_error
from actors.llm.json_members import members
from actors.llm.switches import Switches
from actors.llm.wire import Message, Request, canonical
from ecologies.model_entry import ModelEntry
from erpsim.decision import SECTIONS
from erpsim.reading import presentable

REQUEST_FORMAT: Final = "erpbench-request/1"
"""Name and version of the request's layout; the observation inside has its own."""


def asking_message(model: str, observation: dict[str, Any], ask: int, error: str | None) -> Message:
    """The one message of a request in neutral form: its content is the JSON text that is posted."""
    posted = {"format": REQUEST_FORMAT, "model": model, "ask": ask, "error": error, "observation": observation}
    return {"role": "user", "content": canonical(posted).decode()}


def encode(request: Request, entry: ModelEntry, switches: Switches) -> dict[str, Any]:
    """The body that is posted."""
    del entry, switches
    posted: dict[str, Any] = orjson.loads(request.messages[-1]["content"])
    return {**request.setting.extra, **posted}


def read_reply(body: str, turn: int, provider: str = "") -> Reply | Fault:
    """Read an answer that came with status 200; what its text means is told by the ladder that reads every decision.

    Args:
        body: its text.
        turn: not used; a policy calls no tools.
        provider: name of the provider that a router's header gives, if any.
    """
    del turn
    if is_html(body):
        return Fault("html_body", body[:MESSAGE_CHARACTERS])
    parts = members(body)
    if parts.get("decision", "").startswith("{"):
        answer = json.loads(body.removeprefix("\ufeff"))
        return _reply(body, parts["decision"], read_tokens(answer), f"{_version(answer)}||{provider}")
    if parts.get("error", "null") != "null" and not parts.keys() & {*SECTIONS, "decision"}:
        fault = read_error(200, body)
        return filtered_reply(body) if fault.error_class == "content_filter" else fault
    return _reply(body, body, Tokens(), f"||{provider}")


def _reply(body: str, text: str, tokens: Tokens, route: str) -> Reply:
    message: Message = {"role": "assistant", "content": text}
    return Reply(body, message, text, (), None, None, tokens, route)


def _version(answer: dict[str, Any]) -> str:
    given = answer.get("version")
    return presentable(given).replace("|", "/") if isinstance(given, str) else ""
