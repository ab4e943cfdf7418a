"""Qwen: a rate is told in the words of a quota, and errors stand with or without a frame."""

from collections.abc import Sequence
from typing import Any

from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, openai_error, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Given, Posted, Provider, bearer, play

KNOWN = COMMON | {"seed", "enable_thinking", "thinking_budget", "parallel_tool_calls"}
SPENT = "You exceeded your current quota, please check your plan and billing details."


def check(posted: Posted) -> str | None:
    return bearer(posted) or broken_rule(posted, KNOWN)


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    indexed = [{**row, "index": index} for index, row in enumerate(rows(wanted))]
    return completion({"content": "", "reasoning_content": "Hm.", "tool_calls": indexed}, "tool_calls")


def text(said: str, finish: str) -> dict[str, Any]:
    return completion({"content": said, "reasoning_content": ""}, finish, system_fingerprint=None)


def bare(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message, "request_id": "r-1"}


QWEN = Provider(
    dialect="qwen",
    root="/compatible-mode/v1",
    check=check,
    refused=lambda words: openai_error(words, code="invalid_parameter_error"),
    calls=calls,
    text=text,
    errors=(
        Error(401, openai_error("Incorrect API key provided.", code="invalid_api_key"), "auth"),
        Error(401, bare("InvalidApiKey", "Invalid API-key provided."), "auth"),
        Error(404, openai_error("The model `m-1` does not exist or you do not have access to it."), "model_not_found"),
        Error(403, openai_error("Model access denied.", code="Model.AccessDenied"), "model_not_found"),
        Error(429, openai_error(SPENT, "insufficient_quota", code="insufficient_quota"), "rate"),
        Error(429, openai_error("Allocated quota exceeded, please increase your quota limit."), "rate"),
        Error(429, bare("Throttling.RateQuota", "Requests rate limit exceeded, please try again later."), "rate"),
        Error(429, openai_error("Request rate increased too quickly.", code="limit_burst_rate"), "rate"),
        Error(
            400,
            openai_error(
                "Access denied, please make sure your account is in good standing.", "Arrearage", code="Arrearage"
            ),
            "quota",
        ),
        Error(
            403,
            openai_error("The free tier of the model has been exhausted.", code="AllocationQuota.FreeTierOnly"),
            "quota",
        ),
        Error(
            400,
            openai_error("Input data may contain inappropriate content.", code="data_inspection_failed"),
            "content_filter",
        ),
        Error(
            400,
            openai_error("Range of input length should be [1, 30720]", code="invalid_parameter_error"),
            "context_overflow",
        ),
        Error(
            400, openai_error("parameter.enable_thinking must be set to false for non-streaming calls"), "bad_request"
        ),
        Error(500, openai_error("An internal error has occured", code="internal_error"), "server"),
        Error(
            503, openai_error("Model is unavailable, please try again later.", code="ModelUnavailable"), "overloaded"
        ),
    ),
)


async def test_a_limit_of_tokens_told_as_a_spent_quota_does_not_stop_the_account() -> None:
    played = await play(
        QWEN, Given(QWEN.errors[4].body, 429), calls([Call("call_a", "get_finance")]), text(GOOD, "stop")
    )
    assert played.classes == ["rate", "", ""]
    assert played.proposal.status == "clean"


async def test_a_wish_of_the_models_file_goes_out_and_its_value_is_never_switched() -> None:
    refused = Given(QWEN.errors[12].body, 400)
    played = await play(QWEN, refused, extra={"enable_thinking": True})
    assert [posted.body["enable_thinking"] for posted in played.posted] == [True]
    assert played.journal.switches == {}
