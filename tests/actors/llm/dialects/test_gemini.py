"""Gemini at its OpenAI-compatible address: signatures come back, schemas are a subset of OpenAPI's."""

from collections.abc import Sequence
from typing import Any

from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Given, Posted, Provider, bearer, play

KNOWN = COMMON | {"reasoning_effort", "seed", "extra_body"}
SCHEMA = {"type", "description", "enum", "properties", "required", "items", "anyOf", "minimum", "maximum", "nullable"}
SIGNED = {"extra_content": {"google": {"thought_signature": "AY89a18IwQsQ8in/+w=="}}}


def check(posted: Posted) -> str | None:
    for index, tool in enumerate(posted.body.get("tools", [])):
        fault = _schema(tool["function"].get("parameters"), f"tools[{index}].function_declarations[0].parameters")
        if fault is not None:
            return fault
    answer_format = posted.body.get("response_format", {})
    if "json_schema" in answer_format:
        fault = _schema(answer_format["json_schema"]["schema"], "generation_config.response_schema")
    return bearer(posted) or broken_rule(posted, KNOWN) or _signed(posted)


def _schema(schema: Any, place: str) -> str | None:
    if schema is None:
        return None
    unknown = sorted(set(schema) - SCHEMA)
    if unknown:
        return f"Invalid JSON payload received. Unknown name \"{unknown[0]}\" at '{place}': Cannot find field."
    if schema.get("type") == "object" and not schema.get("properties"):
        return f"{place}.properties: should be non-empty for OBJECT type"
    if schema.get("type") == "array" and "items" not in schema:
        return f"{place}.items: missing field."
    parts = [*schema.get("properties", {}).items(), ("items", schema.get("items"))]
    parts += [(f"any_of[{index}]", option) for index, option in enumerate(schema.get("anyOf", []))]
    faults = (_schema(part, f"{place}.{name}") for name, part in parts)
    return next((fault for fault in faults if fault is not None), None)


def _signed(posted: Posted) -> str | None:
    for position, message in enumerate(posted.body["messages"]):
        if message.get("tool_calls") and message["tool_calls"][0].get("extra_content") != SIGNED["extra_content"]:
            return f"Function call is missing a thought_signature in functionCall parts, position {position}."
    return None


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    first, *others = wanted
    return completion({"tool_calls": [*rows([first], **SIGNED), *rows(others)]}, "tool_calls", USAGE)


def text(said: str, finish: str) -> dict[str, Any]:
    return completion({"content": said, **SIGNED} if said else {}, finish, USAGE)


USAGE = {"prompt_tokens": 1200, "completion_tokens": 10, "total_tokens": 1240}
"""Thoughts are in the total only."""


def error(code: int, message: str, status: str, *details: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"error": {"code": code, "message": message, "status": status, "details": list(details)}}]


def quota(quota_id: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]}


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
SPENT = "You exceeded your current quota, please check your plan and billing details."

GEMINI = Provider(
    dialect="gemini",
    root="/v1beta/openai",
    check=check,
    refused=lambda words: error(400, words, "INVALID_ARGUMENT"),
    calls=calls,
    text=text,
    changes={"response_format": "json_schema"},
    errors=(
        Error(400, error(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"), "auth"),
        Error(403, error(403, "Permission denied on resource project p.", "PERMISSION_DENIED"), "auth"),
        Error(404, error(404, "models/m-1 is not found for API version v1main", "NOT_FOUND"), "model_not_found"),
        Error(429, error(429, SPENT, "RESOURCE_EXHAUSTED", quota("InputTokensPerMinutePerModel"), RETRY), "rate"),
        Error(429, error(429, SPENT, "RESOURCE_EXHAUSTED", quota("RequestsPerDayPerProject"), RETRY), "quota"),
        Error(429, error(429, SPENT, "RESOURCE_EXHAUSTED"), "quota"),
        Error(429, error(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED"), "rate"),
        Error(
            400,
            error(
                400, "The input token count (1200000) exceeds the maximum number of tokens allowed", "INVALID_ARGUMENT"
            ),
            "context_overflow",
        ),
        Error(500, error(500, "An internal error has occurred.", "INTERNAL"), "server"),
        Error(503, error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"), "overloaded"),
        Error(504, error(504, "Deadline expired before operation could complete.", "DEADLINE_EXCEEDED"), "server"),
    ),
)


async def test_thought_signatures_of_calls_and_messages_go_back_as_they_came() -> None:
    script = [
        calls([Call("call_a", "get_finance"), Call("call_b", "get_carbon")]),
        text("No.", "stop"),
        text(GOOD, "stop"),
    ]
    played = await play(GEMINI, *script)
    assert played.complaints == []
    *_, assistant, first, second, said, _ = played.posted[2].body["messages"]
    assert assistant["tool_calls"][0]["extra_content"] == SIGNED["extra_content"]
    assert "extra_content" not in assistant["tool_calls"][1]
    assert (first["tool_call_id"], second["tool_call_id"]) == ("call_a", "call_b")
    assert said["extra_content"] == SIGNED["extra_content"]


async def test_thoughts_that_only_the_total_holds_are_counted_as_completion() -> None:
    played = await play(GEMINI, text(GOOD, "stop"))
    (record,) = played.journal.records
    assert (record.tokens.completion, record.tokens.reasoning) == (40, 30)


async def test_the_wait_that_the_body_asks_for_is_kept() -> None:
    played = await play(GEMINI, Given(GEMINI.errors[3].body, 429), text(GOOD, "stop"))
    assert sum(played.slept) == 34.5


async def test_a_choice_without_a_message_is_the_filters_the_limits_or_the_servers() -> None:
    def hollow(reason: str) -> dict[str, Any]:
        return {"model": "served-model", "choices": [{"index": 0, "finish_reason": reason}], "usage": USAGE}

    filtered = await play(GEMINI, hollow("content_filter"))
    assert filtered.codes == ["fallback_decision:content_filter"]
    cut = await play(GEMINI, hollow("length"), text(GOOD, "stop"))
    assert cut.codes[0] == "reask:truncated"
    malformed = await play(GEMINI, hollow("function_call_filter: MALFORMED_FUNCTION_CALL"), text(GOOD, "stop"))
    assert malformed.classes == ["empty_choices", ""]
    assert malformed.proposal.status == "clean"
