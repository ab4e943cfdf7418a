"""Anthropic's Messages API: blocks, strict alternation, results right after their calls, thinking unaltered."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from actors.llm.messages import CACHE_MARK
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Given, Played, Posted, Provider, play
from tests.actors.llm.peers import CANARY

KNOWN = {"model", "max_tokens", "system", "messages", "tools", "tool_choice", "temperature", "top_p", "thinking"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
THINKING = {"type": "thinking", "thinking": "Stocks are low.", "signature": "EqQBCgIYAhIM+/=="}
REDACTED = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"}
SIGNATURES = {THINKING["signature"], REDACTED["data"]}


def check(posted: Posted) -> str | None:
    body = posted.body
    if posted.path != "/messages":
        return f"no such path: {posted.path}"
    if posted.headers.get("x-api-key") != CANARY or "Authorization" in posted.headers:
        return "x-api-key header is required"
    if posted.headers.get("anthropic-version") != "2023-06-01":
        return "anthropic-version: header is required"
    if not isinstance(body.get("max_tokens"), int):
        return "max_tokens: Field required"
    unknown = sorted(set(body) - KNOWN)
    if unknown:
        return f"{unknown[0]}: Extra inputs are not permitted"
    return _system(body) or next(_turns(body), None) or _caches(body) or _tools(body)


def _system(body: dict[str, Any]) -> str | None:
    if any(message["role"] not in ("user", "assistant") for message in body["messages"]):
        return 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter.'
    texts = [block["text"] for block in body["system"] if block["type"] == "text"]
    return None if texts and all(texts) else "system: text content blocks must be non-empty"


def _turns(body: dict[str, Any]) -> Iterator[str]:
    messages = body["messages"]
    if messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        yield "messages: first and last message must be the user's"
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        if index and messages[index - 1]["role"] == message["role"]:
            yield f"messages.{index}: roles must alternate between user and assistant"
        blocks = message["content"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(results) != sorted(open_calls):
            yield f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after"
        if any(block["type"] != "tool_result" for block in blocks[: len(results)]):
            yield f"messages.{index}: tool_result blocks must come first"
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        yield from (f"messages.{index}: {fault}" for fault in _content(message["role"], blocks))


def _content(role: str, blocks: list[dict[str, Any]]) -> Iterator[str]:
    if not blocks:
        yield "content must be non-empty"
    if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
        yield "text content blocks must contain non-whitespace text"
    fault = _assistant(blocks) if role == "assistant" and blocks else None
    if fault is not None:
        yield fault


def _assistant(blocks: list[dict[str, Any]]) -> str | None:
    if blocks[-1]["type"] in ("thinking", "redacted_thinking"):
        return "The final block in an assistant message cannot be `thinking`."
    for block in blocks:
        if block["type"] == "thinking" and (set(block) != set(THINKING) or block["signature"] not in SIGNATURES):
            return "Invalid `signature` in `thinking` block"
        if block["type"] == "tool_use" and not (isinstance(block["input"], dict) and NAME.fullmatch(block["name"])):
            return "tool_use.input: Input should be a valid dictionary"
    return None


def _caches(body: dict[str, Any]) -> str | None:
    blocks = [
        *body["system"],
        *body.get("tools", []),
        *(block for turn in body["messages"] for block in turn["content"]),
    ]
    marked = [block for block in blocks if "cache_control" in block]
    if any(block["cache_control"] != CACHE_MARK or "thinking" in block.get("type", "") for block in marked):
        return "cache_control cannot be set for this block"
    return "A maximum of 4 blocks with cache_control may be provided." if len(marked) > 4 else None


def _tools(body: dict[str, Any]) -> str | None:
    uses = any(block["type"] in ("tool_use", "tool_result") for turn in body["messages"] for block in turn["content"])
    if uses and not body.get("tools"):
        return "Requests which include `tool_use` or `tool_result` blocks must define tools"
    for index, tool in enumerate(body.get("tools", [])):
        if set(tool) - {"cache_control"} != {"name", "description", "input_schema"}:
            return f"tools.{index}: Extra inputs are not permitted"
        if tool["input_schema"]["type"] != "object" or not NAME.fullmatch(tool["name"]):
            return f"tools.{index}.input_schema.type: Field required"
    return None


def answer(blocks: list[dict[str, Any]], stop_reason: str) -> dict[str, Any]:
    return {
        "id": "msg_01X",
        "type": "message",
        "role": "assistant",
        "model": "served-model",
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 150,
            "cache_creation_input_tokens": 50,
            "cache_read_input_tokens": 1000,
            "output_tokens": 40,
            "service_tier": "standard",
        },
    }


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    uses = [{"type": "tool_use", "id": call.call_id, "name": call.name, "input": call.arguments} for call in wanted]
    return answer([THINKING, {"type": "text", "text": "I look first."}, *uses], "tool_use")


def text(said: str, finish: str) -> dict[str, Any]:
    blocks = [{"type": "text", "text": said}] if said else []
    return answer([THINKING, REDACTED, *blocks], {"stop": "end_turn"}.get(finish, finish))


def error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"}


ANTHROPIC = Provider(
    dialect="anthropic",
    root="/v1",
    check=check,
    refused=lambda words: error("invalid_request_error", words),
    calls=calls,
    text=text,
    truncated="max_tokens",
    errors=(
        Error(
            400,
            error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
            "context_overflow",
        ),
        Error(
            400,
            error("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
            "quota",
        ),
        Error(
            400,
            error("invalid_request_error", "You have reached your specified API usage limits."),
            "quota",
        ),
        Error(400, error("invalid_request_error", "Output blocked by content filtering policy"), "content_filter"),
        Error(
            400,
            error("invalid_request_error", "max_tokens: 64000 > 32000, which is the maximum allowed"),
            "bad_request",
        ),
        Error(401, error("authentication_error", "invalid x-api-key"), "auth"),
        Error(403, error("permission_error", "Your API key does not have permission"), "auth"),
        Error(404, error("not_found_error", "model: m-1"), "model_not_found"),
        Error(413, error("request_too_large", "Request exceeds the maximum size"), "context_overflow"),
        Error(
            429,
            error(
                "rate_limit_error", "This request would exceed your organization's rate limit of 40,000 input tokens."
            ),
            "rate",
        ),
        Error(500, error("api_error", "Internal server error"), "server"),
        Error(504, error("timeout_error", "Request timed out"), "server"),
        Error(529, error("overloaded_error", "Overloaded"), "overloaded"),
        Error(200, error("overloaded_error", "Overloaded"), "overloaded"),
    ),
)


def assistants(played: Played, index: int) -> list[Any]:
    return [turn["content"] for turn in played.posted[index].body["messages"] if turn["role"] == "assistant"]


async def test_thinking_goes_back_block_by_block_as_it_came() -> None:
    reply = calls([Call("toolu_1", "get_finance")])
    played = await play(
        ANTHROPIC, reply, text(GOOD, "stop"), extra={"thinking": {"type": "enabled", "budget_tokens": 4000}}
    )
    assert played.complaints == []
    assert assistants(played, 1) == [reply["content"]]


async def test_reasoning_echo_drop_leaves_the_thinking_out_and_nothing_else() -> None:
    reply = calls([Call("toolu_1", "get_finance")])
    played = await play(ANTHROPIC, reply, text(GOOD, "stop"), reasoning_echo="drop")
    assert played.complaints == []
    assert assistants(played, 1) == [reply["content"][1:]]


async def test_tokens_read_from_and_written_to_a_cache_are_part_of_the_prompt_and_priced_apart() -> None:
    prices = {"input": 3.0, "cached": 0.3, "cache_write": 3.75, "output": 15.0}
    played = await play(ANTHROPIC, text(GOOD, "stop"), prices=prices)
    (record,) = played.journal.records
    assert (record.tokens.prompt, record.tokens.cached, record.tokens.written) == (1200, 1000, 50)
    assert record.cost_usd == (150 * 3.0 + 1000 * 0.3 + 50 * 3.75 + 40 * 15.0) / 1e6


async def test_a_refusal_is_told_by_the_stop_reason() -> None:
    played = await play(ANTHROPIC, answer([], "refusal"), answer([{"type": "text", "text": GOOD}], "refusal"))
    assert played.complaints == []
    assert played.codes == ["reask:refusal", "fallback_decision:refusal"]


async def test_thinking_that_used_the_whole_limit_is_truncated_and_does_not_go_back_alone() -> None:
    played = await play(ANTHROPIC, answer([THINKING], "max_tokens"), text(GOOD, "stop"))
    assert played.complaints == []
    assert played.codes[0] == "reask:truncated"
    assert assistants(played, 1) == []
    assert [block["type"] for block in played.posted[1].body["messages"][0]["content"]] == ["text", "text"]


async def test_a_submission_whose_input_was_cut_is_never_a_decision() -> None:
    cut = calls([Call("toolu_1", "submit_decision", {"production": []})]) | {"stop_reason": "max_tokens"}
    played = await play(ANTHROPIC, cut, text(GOOD, "stop"))
    assert played.complaints == []
    assert played.codes[0] == "reask:truncated"


async def test_calls_without_ids_or_with_an_input_that_is_no_object_go_back_sound() -> None:
    uses: list[dict[str, Any]] = [
        {"type": "tool_use", "id": None, "name": "get_finance", "input": None},
        {"type": "tool_use", "id": "same", "name": "get_carbon", "input": ""},
        {"type": "tool_use", "id": "same", "name": "get_demand", "input": "no object"},
    ]
    played = await play(ANTHROPIC, answer(uses, "tool_use"), text(GOOD, "stop"))
    assert played.complaints == []
    ids = [block["id"] for block in assistants(played, 1)[0]]
    assert ids == ["call_0_0", "same", "call_0_2"]


async def test_blocks_of_an_unknown_kind_go_back_and_a_blank_text_does_not() -> None:
    blank, said = ({"type": "text", "text": words} for words in ("  \n", "No."))
    blocks: list[dict[str, Any]] = [blank, {"type": "server_note", "data": [1]}, said]
    played = await play(ANTHROPIC, answer(blocks, "end_turn"), text(GOOD, "stop"))
    assert played.complaints == []
    assert assistants(played, 1) == [blocks[1:]]


async def test_an_answer_without_content_is_infrastructure() -> None:
    hollow = {"type": "message", "role": "assistant", "content": None, "usage": {"input_tokens": 5}}
    played = await play(ANTHROPIC, hollow, text(GOOD, "stop"))
    assert played.classes == ["empty_choices", ""]
    assert played.journal.records[0].tokens.prompt == 5


async def test_a_temperature_that_thinking_forbids_is_left_out_from_then_on() -> None:
    words = "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."
    refused = Given(error("invalid_request_error", words), 400)
    played = await play(ANTHROPIC, refused, text(GOOD, "stop"), sampling={"temperature": 0.2})
    assert ["temperature" in posted.body for posted in played.posted] == [True, False]
    assert json.loads(played.journal.records[1].switches) == {"left_out": ["temperature"]}


async def test_a_field_of_a_block_that_is_refused_by_name_does_not_go_back_again() -> None:
    reply = calls([Call("toolu_1", "get_finance")])
    reply["content"][-1]["caller"] = {"type": "direct"}
    words = "messages.1.content.2.tool_use.caller: Extra inputs are not permitted"
    refused = Given(error("invalid_request_error", words), 400)
    played = await play(ANTHROPIC, reply, refused, text(GOOD, "stop"))
    assert ["caller" in assistants(played, index)[0][-1] for index in (1, 2)] == [True, False]
    assert assistants(played, 2)[0][:-1] == reply["content"][:-1]
    assert played.proposal.status == "clean"
