"""Ollama: errors as plain text in a frame, no key, calls numbered in each reply."""

from collections.abc import Sequence
from typing import Any

from actors.llm.calls import InfraFailure
from tests.actors.llm.dialects.chat_rules import COMMON, broken_rule, completion, openai_error, rows
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Given, Posted, Provider, play

KNOWN = COMMON | {"seed", "reasoning_effort", "stop"}


def check(posted: Posted) -> str | None:
    return "a key was sent" if "Authorization" in posted.headers else broken_rule(posted, KNOWN)


def calls(wanted: Sequence[Call]) -> dict[str, Any]:
    indexed = [{**row, "index": index} for index, row in enumerate(rows(wanted))]
    return completion({"content": "", "tool_calls": indexed}, "tool_calls", system_fingerprint="fp_ollama")


def text(said: str, finish: str) -> dict[str, Any]:
    return completion({"content": said, "reasoning": "Short thought."}, finish, system_fingerprint="fp_ollama")


OLLAMA = Provider(
    dialect="ollama",
    root="/v1",
    check=check,
    refused=lambda words: openai_error(words, "invalid_request_error"),
    calls=calls,
    text=text,
    changes={"api_key_env": None},
    errors=(
        Error(404, openai_error('model "m-1" not found, try pulling it first', "not_found_error"), "model_not_found"),
        Error(404, {"error": "model 'm-1' not found"}, "model_not_found"),
        Error(400, {"error": "m-1 does not support tools"}, "bad_request"),
        Error(400, {"error": "the input length exceeds the context length"}, "context_overflow"),
        Error(500, {"error": "model requires more system memory (9 GiB) than is available (4 GiB)"}, "server"),
        Error(500, openai_error("llama runner process has terminated", "api_error"), "server"),
        Error(503, {"error": "server busy, please try again. maximum pending requests exceeded"}, "overloaded"),
    ),
)


async def test_a_model_without_tools_is_told_and_never_sent_the_same_again() -> None:
    played = await play(OLLAMA, Given({"error": "m-1 does not support tools"}, 400), text(GOOD, "stop"))
    assert isinstance(played.outcome, InfraFailure)
    assert "does not support tools" in played.outcome.failure.message
    assert len(played.posted) == 1


async def test_no_key_is_sent_and_none_is_asked_for() -> None:
    played = await play(OLLAMA, calls([Call("call_0", "get_finance")]), text(GOOD, "stop"))
    assert played.complaints == []
    assert played.proposal.status == "clean"
