"""DeepSeek: with thinking, reasoning_content has to come back within a tool loop; earlier releases refused it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, openai_error, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Posted, Provider, bearer, play

KNOWN = COMMON | {"thinking", "frequency_penalty"}
WANTED = "The `reasoning_content` in the thinking mode must be passed back to the API."
UNWANTED = "The reasoning_content is for display only. Please remove the reasoning_content from your message."
USAGE = {
    "prompt_tokens": 1200,
    "completion_tokens": 40,
    "total_tokens": 1240,
    "prompt_cache_hit_tokens": 1024,
    "prompt_cache_miss_tokens": 176,
    "completion_tokens_details": {"reasoning_tokens": 25},
}


def _reasoning_in_calls(posted: Posted) -> list[bool]:
    """Of each message with calls: whether it brings its reasoning."""
    return ["reasoning_content" in message for message in posted.body["messages"] if message.get("tool_calls")]


def check(posted: Posted) -> str | None:
    fault = bearer(posted) or broken_rule(posted, KNOWN)
    if fault is None and not all(_reasoning_in_calls(posted)):
        return WANTED
    if posted.body.get("response_format", {}).get("type") == "json_schema":
        return "This response_format type is unavailable now"
    return fault


def earlier(posted: Posted) -> str | None:
    return UNWANTED if any(_reasoning_in_calls(posted)) else bearer(posted) or broken_rule(posted, KNOWN)


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    indexed = [{"index": index, **row} for index, row in enumerate(rows(wanted))]
    message = {"content": "", "reasoning_content": "Stocks are low.", "tool_calls": indexed}
    return completion(message, "tool_calls", USAGE, system_fingerprint="fp_ds")


def text(said: str, finish: str) -> dict[str, Any]:
    return completion({"content": said, "reasoning_content": "I decide."}, finish, USAGE)


DEEPSEEK = Provider(
    dialect="deepseek",
    root="/v1",
    check=check,
    refused=lambda words: openai_error(words, code="invalid_request_error"),
    calls=calls,
    text=text,
    changes={"response_format": "json_object"},
    errors=(
        Error(400, openai_error("Content Exists Risk"), "content_filter"),
        Error(
            400,
            openai_error("This model's maximum context length is 131072 tokens. However, you requested 140000 tokens"),
            "context_overflow",
        ),
        Error(400, openai_error("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"), "bad_request"),
        Error(400, openai_error("Model Not Exist"), "model_not_found"),
        Error(401, openai_error("Authentication Fails (no such user)", "authentication_error"), "auth"),
        Error(402, openai_error("Insufficient Balance", "unknown_error"), "quota"),
        Error(422, openai_error("Failed to deserialize the JSON body"), "bad_request"),
        Error(429, openai_error("You are sending requests too quickly.", "rate_limit_reached"), "rate"),
        Error(500, openai_error("Internal error", "server_error"), "server"),
        Error(503, openai_error("Service is too busy", "service_unavailable_error"), "overloaded"),
    ),
)
LOOP = (calls([Call("call_a", "get_finance")]), calls([Call("call_b", "get_carbon")]), text(GOOD, "stop"))


async def test_reasoning_comes_back_in_a_tool_loop_without_a_refusal() -> None:
    played = await play(DEEPSEEK, *LOOP)
    assert played.complaints == []
    assert _reasoning_in_calls(played.posted[2]) == [True, True]


async def test_an_earlier_release_is_found_out_once_and_gets_no_reasoning_from_then_on() -> None:
    played = await play(replace(DEEPSEEK, check=earlier), *LOOP)
    assert played.complaints == [UNWANTED]
    assert _reasoning_in_calls(played.posted[-1]) == [False, False]
    assert [switches.reasoning for switches in played.journal.switches.values()] == ["drop"]
    assert played.proposal.status == "clean"
    assert played.journal.records[1].error_class == "bad_request"


@pytest.mark.parametrize(("echo", "asked"), [("auto", 0), ("echo", 0), ("drop", 1)])
async def test_the_models_file_may_start_otherwise_and_is_put_right(echo: str, asked: int) -> None:
    played = await play(DEEPSEEK, *LOOP, reasoning_echo=echo)
    assert played.complaints == [WANTED] * asked
    assert played.proposal.status == "clean"


@pytest.mark.parametrize("check_one", [lambda posted: WANTED, lambda posted: UNWANTED])
async def test_a_server_that_is_never_content_is_a_bad_request_after_at_most_one_switch(
    check_one: Callable[[Posted], str | None],
) -> None:
    played = await play(replace(DEEPSEEK, check=check_one), *LOOP)
    assert len(played.posted) <= 2
    assert played.classes[-1] == "bad_request"


async def test_a_reply_that_the_server_broke_off_is_asked_for_again_and_not_booked_to_the_model() -> None:
    played = await play(DEEPSEEK, text(GOOD[:200], "insufficient_system_resource"), text(GOOD, "stop"))
    assert played.classes == ["overloaded", ""]
    assert played.proposal.status == "clean"
