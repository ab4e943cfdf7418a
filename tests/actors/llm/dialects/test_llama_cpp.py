"""llama.cpp: connections that close, 500 for a history that is no JSON, counts in its context error."""

import json
from collections.abc import Sequence
from typing import Any

from actors.llm.calls import InfraFailure
from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Given, Posted, Provider, play

KNOWN = COMMON | {"seed", "cache_prompt", "top_k", "min_p"}


def check(posted: Posted) -> str | None:
    if posted.headers.get("Connection") != "close":
        return "the connection would be closed without a word"
    return broken_rule(posted, KNOWN)


def timed(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "timings": {"prompt_n": 1200, "predicted_n": 40, "predicted_per_second": 30.1}}


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    return timed(completion({"content": "", "tool_calls": rows(wanted)}, "tool_calls"))


def text(said: str, finish: str) -> dict[str, Any]:
    return timed(completion({"content": said}, finish, system_fingerprint="b9999"))


def error(code: int, message: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "type": kind, **more}}


TOO_LONG = error(
    400,
    "the request exceeds the available context size, try increasing it",
    "exceed_context_size_error",
    n_prompt_tokens=9000,
    n_ctx=8192,
)

LLAMA_CPP = Provider(
    dialect="llama.cpp",
    root="/v1",
    check=check,
    refused=lambda words: error(400, words, "invalid_request_error"),
    calls=calls,
    text=text,
    errors=(
        Error(400, TOO_LONG, "context_overflow"),
        Error(500, error(500, "Context size has been exceeded.", "server_error"), "context_overflow"),
        Error(500, error(500, "[json.exception.parse_error.101] parse error at line 1", "server_error"), "server"),
        Error(503, error(503, "Loading model", "unavailable_error"), "overloaded"),
        Error(401, error(401, "Invalid API Key", "authentication_error"), "auth"),
        Error(501, error(501, "This server does not support metrics", "not_supported_error"), "server"),
    ),
)


async def test_broken_arguments_are_answered_and_never_go_back() -> None:
    broken = calls([Call("a", "get_demand")])
    broken["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = '{"skus": ["NUT-500"'
    played = await play(LLAMA_CPP, broken, text(GOOD, "stop"))
    assert played.complaints == []
    assert played.codes[0] == "tool_error:bad_arguments"
    *_, assistant, answer = played.posted[1].body["messages"]
    assert assistant["tool_calls"][0]["function"]["arguments"] == "{}"
    assert "no JSON" in json.loads(answer["content"])["error"]


async def test_a_conversation_that_is_too_long_is_shortened_once_and_goes_on() -> None:
    asked = calls([Call("a", "get_demand"), Call("b", "get_raw_materials")])
    played = await play(LLAMA_CPP, asked, Given(TOO_LONG, 400), text(GOOD, "stop"))
    assert played.complaints == []
    assert "context_compacted:tool_answers" in played.codes
    sizes = [len(json.dumps(posted.body)) for posted in played.posted]
    assert sizes[2] < sizes[1]
    assert all("left out" in message["content"] for message in played.posted[2].body["messages"][-2:])


async def test_a_conversation_that_is_still_too_long_is_infrastructure() -> None:
    played = await play(LLAMA_CPP, calls([Call("a", "get_demand")]), *[Given(TOO_LONG, 400)] * 5)
    assert isinstance(played.outcome, InfraFailure)
    assert played.outcome.failure.error_class == "context_overflow"
    assert len(played.posted) == 3


async def test_call_markup_that_leaks_where_tools_are_forbidden_is_answered_as_a_user_and_seen() -> None:
    leak = text('<tool_call>\n{"name": "get_demand", "arguments": {}}\n</tool_call>', "stop")
    played = await play(LLAMA_CPP, leak, leak, text(GOOD, "stop"), tool_turns=1)
    assert played.complaints == []
    assert played.codes[:3] == ["parse_recovered:call_markup", "parse_recovered:call_markup", "reask:tool_budget"]
    assert [message["role"] for message in played.posted[1].body["messages"]] == ["system", "user", "assistant", "user"]
    assert played.proposal.status == "reasked"
