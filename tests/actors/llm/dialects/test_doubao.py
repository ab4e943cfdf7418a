"""Doubao on Volcengine's Ark: codes with dots, and a seed that it does not know."""

from collections.abc import Sequence
from typing import Any

from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Posted, Provider, bearer, play

KNOWN = COMMON | {"thinking", "reasoning_effort", "service_tier"}
USAGE = {
    "prompt_tokens": 1200,
    "completion_tokens": 40,
    "total_tokens": 1240,
    "prompt_tokens_details": {"cached_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 12},
}


def check(posted: Posted) -> str | None:
    return bearer(posted) or broken_rule(posted, KNOWN)


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    message = {"content": "\n", "reasoning_content": "Look first.", "tool_calls": rows(wanted)}
    return completion(message, "tool_calls", USAGE, service_tier="default")


def text(said: str, finish: str) -> dict[str, Any]:
    return completion({"content": said, "reasoning_content": "Decide."}, finish, USAGE)


def error(code: str, message: str, kind: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": f"{message} Request id: 0217", "param": "", "type": kind}}


DOUBAO = Provider(
    dialect="doubao",
    root="/api/v3",
    check=check,
    refused=lambda words: error("InvalidParameter", words, "BadRequest"),
    calls=calls,
    text=text,
    errors=(
        Error(
            400,
            error("MissingParameter", "The request failed because it is missing parameters.", "BadRequest"),
            "bad_request",
        ),
        Error(
            400,
            error(
                "SensitiveContentDetected.Violence", "the input text may contain violence information.", "BadRequest"
            ),
            "content_filter",
        ),
        Error(
            400,
            error("OutputTextSensitiveContentDetected", "the output text may contain", "BadRequest"),
            "content_filter",
        ),
        Error(401, error("AuthenticationError", "The API key or AK/SK is missing or invalid.", "Unauthorized"), "auth"),
        Error(403, error("AccountOverdueError", "your account has an overdue balance.", "Forbidden"), "quota"),
        Error(403, error("AccessDenied", "you do not have access to the requested resource.", "Forbidden"), "auth"),
        Error(
            404,
            error("InvalidEndpointOrModel.NotFound", "The model m-1 does not exist.", "NotFound"),
            "model_not_found",
        ),
        Error(
            404, error("ModelNotOpen", "Your account has not activated the model m-1.", "NotFound"), "model_not_found"
        ),
        Error(
            429,
            error("RateLimitExceeded.EndpointTPMExceeded", "The TPM limit was exceeded.", "TooManyRequests"),
            "rate",
        ),
        Error(429, error("ModelAccountRpmRateLimitExceeded", "RPM of the model.", "TooManyRequests"), "rate"),
        Error(429, error("ServerOverloaded", "unable to handle additional requests.", "TooManyRequests"), "rate"),
        Error(429, error("QuotaExceeded", "Your account has exhausted its free quota.", "TooManyRequests"), "quota"),
        Error(
            429,
            error("SetLimitExceeded", "Your account has reached the set inference limit.", "TooManyRequests"),
            "quota",
        ),
        Error(
            500,
            error("InternalServiceError", "The service encountered an unexpected error.", "InternalServerError"),
            "server",
        ),
    ),
)


async def test_content_that_is_a_line_break_beside_calls_goes_back_as_it_came() -> None:
    played = await play(DOUBAO, calls([Call("call_a", "get_finance")]), text(GOOD, "stop"))
    assert played.posted[1].body["messages"][2]["content"] == "\n"
    assert played.posted[1].body["messages"][2]["reasoning_content"] == "Look first."
    assert played.proposal.status == "clean"
