"""OpenAI: newer models refuse max_tokens and a temperature; a refusal is a field of its own."""

from collections.abc import Sequence
from typing import Any

from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, openai_error, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Posted, Provider, bearer, play

KNOWN = COMMON | {"max_completion_tokens", "seed", "reasoning_effort", "service_tier"}
USAGE = {
    "prompt_tokens": 1200,
    "completion_tokens": 40,
    "total_tokens": 1240,
    "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 24, "accepted_prediction_tokens": 0},
}


def check(posted: Posted) -> str | None:
    if "max_tokens" in posted.body:
        return (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
    if posted.body.get("temperature", 1) != 1:
        return (
            "Unsupported value: 'temperature' does not support 0.3 with this model. "
            "Only the default (1) value is supported."
        )
    return bearer(posted) or broken_rule(posted, KNOWN)


def answer(message: dict[str, Any], finish: str) -> dict[str, Any]:
    whole = {"content": None, "refusal": None, "annotations": [], **message}
    return completion(whole, finish, USAGE, service_tier="default", system_fingerprint="fp_0a1b")


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    return answer({"tool_calls": rows(wanted)}, "tool_calls")


def text(said: str, finish: str) -> dict[str, Any]:
    return answer({"content": said}, finish)


OPENAI = Provider(
    dialect="openai",
    root="/v1",
    check=check,
    refused=lambda words: openai_error(words, code="unsupported_parameter"),
    calls=calls,
    text=text,
    errors=(
        Error(401, openai_error("Incorrect API key provided: sk-x.", code="invalid_api_key"), "auth"),
        Error(403, openai_error("Country, region, or territory not supported", "request_forbidden"), "auth"),
        Error(404, openai_error("The model `m-1` does not exist", code="model_not_found"), "model_not_found"),
        Error(
            429,
            openai_error(
                "Rate limit reached for m-1 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, "
                "Requested 2000. Please try again in 2s.",
                "tokens",
                code="rate_limit_exceeded",
            ),
            "rate",
        ),
        Error(
            429,
            openai_error(
                "You exceeded your current quota, please check your plan and billing details.",
                "insufficient_quota",
                code="insufficient_quota",
            ),
            "quota",
        ),
        Error(
            400,
            openai_error(
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
                code="context_length_exceeded",
                param="messages",
            ),
            "context_overflow",
        ),
        Error(400, openai_error("max_tokens is too large: 99999.", param="max_tokens"), "bad_request"),
        Error(500, openai_error("The server had an error while processing your request.", "server_error"), "server"),
        Error(503, openai_error("The engine is currently overloaded, please try again later"), "overloaded"),
    ),
)


async def test_a_limit_and_a_temperature_that_are_refused_are_switched_once_and_recorded() -> None:
    sampling = {"max_tokens": 900, "temperature": 0.3}
    played = await play(OPENAI, calls([Call("call_a", "get_finance")]), text(GOOD, "stop"), sampling=sampling)
    assert len(played.complaints) == 2
    assert played.proposal.status == "clean"
    assert played.posted[-1].body["max_completion_tokens"] == 900
    assert {"max_tokens", "temperature"}.isdisjoint(played.posted[-1].body)
    (learnt,) = played.journal.switches.values()
    assert (learnt.token_parameter, learnt.left_out) == ("max_completion_tokens", ("temperature",))
    assert played.journal.records[0].switches == ""
    assert played.journal.records[-1].switches == learnt.text()


async def test_a_refusal_field_is_a_refusal_and_goes_back_as_it_came() -> None:
    refused = answer({"refusal": "I cannot help with that."}, "stop")
    played = await play(OPENAI, refused, text(GOOD, "stop"))
    assert played.complaints == []
    assert played.codes[0] == "reask:refusal"
    assert played.posted[1].body["messages"][2]["refusal"] == "I cannot help with that."


async def test_cached_and_reasoning_tokens_are_kinds_of_prompt_and_completion() -> None:
    played = await play(
        OPENAI, text(GOOD, "stop"), prices={"input": 2.0, "cached": 0.5, "output": 8.0, "reasoning": 8.0}
    )
    (record,) = played.journal.records
    assert (record.tokens.cached, record.tokens.reasoning) == (1024, 24)
    assert record.cost_usd == (176 * 2.0 + 1024 * 0.5 + 40 * 8.0) / 1e6
