"""vLLM: finish_reason "stop" beside calls, empty lists and nulls in every message, errors in three shapes."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Given, Posted, Provider, bearer, play

KNOWN = COMMON | {"seed", "max_completion_tokens", "chat_template_kwargs", "top_k", "min_p"}
NULLS = {"refusal": None, "annotations": None, "audio": None, "function_call": None, "reasoning": None}


def check(posted: Posted) -> str | None:
    return bearer(posted) or broken_rule(posted, KNOWN)


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    return completion({**NULLS, "content": None, "tool_calls": rows(wanted)}, "stop", prompt_logprobs=None)


def text(said: str, finish: str) -> dict[str, Any]:
    return completion({**NULLS, "content": said, "tool_calls": []}, finish)


def error(message: str, kind: str = "BadRequestError", code: int = 400) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def field_error(place: str, words: str) -> dict[str, Any]:
    return {"detail": [{"type": "extra_forbidden", "loc": ["body", place], "msg": words, "input": 1}]}


VLLM = Provider(
    dialect="vllm",
    root="/v1",
    check=check,
    refused=error,
    calls=calls,
    text=text,
    changes={"response_format": "json_schema"},
    errors=(
        Error(401, {"error": "Unauthorized"}, "auth"),
        Error(404, error("The model `m-1` does not exist.", "NotFoundError", 404), "model_not_found"),
        Error(404, {"object": "error", "message": "The model `m-1` does not exist.", "code": 404}, "model_not_found"),
        Error(404, {"detail": "Not Found"}, "model_not_found"),
        Error(400, error("This model's maximum context length is 4096 tokens."), "context_overflow"),
        Error(400, error('"auto" tool choice requires --enable-auto-tool-choice'), "bad_request"),
        Error(422, field_error("messages", "Field required"), "bad_request"),
        Error(500, {"detail": "Internal Server Error"}, "server"),
        Error(503, error("Server is shutting down", "ServiceUnavailable", 503), "overloaded"),
    ),
)


async def test_calls_decide_and_not_the_finish_reason() -> None:
    played = await play(VLLM, calls([Call("chatcmpl-tool-1", "get_finance")]), text(GOOD, "stop"))
    assert played.posted[1].body["messages"][3]["role"] == "tool"


async def test_an_empty_list_of_calls_does_not_go_back() -> None:
    played = await play(VLLM, text("No.", "stop"), text(GOOD, "stop"))
    assert played.complaints == []
    assert "tool_calls" not in played.posted[1].body["messages"][2]


@pytest.mark.parametrize("name", ["seed", "top_k"])
async def test_a_field_error_names_the_parameter_that_is_left_out(name: str) -> None:
    refused = Given(field_error(name, "Extra inputs are not permitted"), 400)
    sent: dict[str, Any] = {"sampling": {"seed": 1}} if name == "seed" else {"extra": {"top_k": 5}}
    played = await play(VLLM, refused, text(GOOD, "stop"), **sent)
    assert [name in posted.body for posted in played.posted] == [True, False]


async def test_the_schema_is_asked_for_on_the_last_turn_and_its_reply_is_still_read_without_trust() -> None:
    played = await play(
        VLLM, calls([Call("a", "get_finance")]), text("prose", "stop"), text(GOOD, "stop"), tool_turns=1
    )
    assert ["response_format" in posted.body for posted in played.posted] == [False, True, True]
    assert played.proposal.status == "reasked"


async def test_a_schema_that_is_refused_steps_down_and_the_decision_goes_on() -> None:
    refused = Given(error("Invalid json_schema: guided decoding does not support this"), 400)
    played = await play(VLLM, refused, refused, text(GOOD, "stop"), tool_turns=0)
    kinds = [posted.body.get("response_format", {}).get("type") for posted in played.posted]
    assert kinds == ["json_schema", "json_object", None]
    assert played.proposal.status == "clean"
