"""The client as a server that nobody here wrote grades it: `llmock` breaks on request and says what its client did.

Each kind of verdict is first seen to fall on a careless client, so that a clean one means something.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from actors.llm.calls import InfraFailure
from actors.llm.toolbox import SUBMIT
from erpsim.events import ToolError
from tests.actors.llm.real.chaos import PATHS, Chaos, careless, chaos, decide
from tests.actors.llm.real.packages import missing
from tests.actors.llm.worlds import DECISION

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing("chaos")), reason=missing("chaos"))]

GOOD = {"type": "reply", "tool_calls": [{"name": SUBMIT, "arguments": DECISION.model_dump(mode="json")}]}
TEXT = DECISION.model_dump_json()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chaos]:
    with chaos(tmp_path_factory.mktemp("chaos")) as running:
        yield running


def fail(status: int, **more: Any) -> dict[str, Any]:
    return {"type": "fail", "status": status, **more}


def findings(server: Chaos) -> list[str]:
    return [finding["code"] for finding in server.verdict()["findings"]]


@pytest.mark.parametrize(
    ("behaviours", "stream", "found"),
    [
        ([fail(429, retry_after=1)], False, "retry_after_ignored"),
        ([fail(400)], False, "retried_non_retryable"),
        ([fail(503, times=None, retry_after=0)], False, "retry_storm"),
        ([{"type": "stream_fault", "kind": "truncate"}], True, "truncated_stream_accepted"),
    ],
)
def test_a_careless_client_is_found_out(
    server: Chaos, behaviours: list[dict[str, Any]], stream: bool, found: str
) -> None:
    server.will(*behaviours)
    careless(server, 12 if found == "retry_storm" else 1 if stream else 2, stream)
    assert findings(server) == [found]
    assert not server.verdict()["passed"]


@pytest.mark.parametrize("dialect", PATHS)
async def test_429_is_tried_again_after_what_retry_after_asks_for(server: Chaos, dialect: str) -> None:
    server.will(fail(429, retry_after=1.0), fail(429, retry_after=2.0), GOOD)
    decided = await decide(server, dialect)
    assert (decided.proposal.decision, decided.classes) == (DECISION, ["rate", "rate", ""])
    verdict = server.verdict()
    assert (verdict["passed"], verdict["calls"], verdict["attempts"]) == (True, 1, 3)
    assert verdict["findings"] == []


@pytest.mark.parametrize("dialect", PATHS)
@pytest.mark.parametrize(
    ("status", "error_class"),
    [(400, "bad_request"), (401, "auth"), (403, "auth"), (404, "model_not_found"), (422, "bad_request")],
)
async def test_a_refusal_is_never_sent_again(server: Chaos, dialect: str, status: int, error_class: str) -> None:
    server.will(fail(status, times=None))
    decided = await decide(server, dialect)
    assert isinstance(decided.outcome, InfraFailure)
    assert (decided.outcome.failure.error_class, decided.outcome.failure.attempts) == (error_class, 1)
    verdict = server.verdict()
    assert (verdict["attempts"], verdict["findings"]) == (1, [])


@pytest.mark.parametrize("dialect", PATHS)
async def test_what_may_pass_is_tried_again(server: Chaos, dialect: str) -> None:
    statuses = (408, 409, 500, 502, 503, 504, 529)
    server.will(*(fail(status, retry_after=0) for status in statuses), GOOD)
    decided = await decide(server, dialect)
    assert (decided.proposal.decision, len(decided.classes)) == (DECISION, 8)
    verdict = server.verdict()
    assert (verdict["calls"], verdict["attempts"], verdict["findings"]) == (1, 8, [])


async def test_an_outage_ends_the_call_before_it_is_a_storm(server: Chaos) -> None:
    server.will(fail(503, times=None, retry_after=0))
    decided = await decide(server)
    assert isinstance(decided.outcome, InfraFailure)
    assert decided.outcome.failure.error_class == "overloaded"
    assert findings(server) == []


@pytest.mark.parametrize("dialect", PATHS)
async def test_a_reply_cut_at_its_length_is_asked_for_again_and_never_used(server: Chaos, dialect: str) -> None:
    server.will({"type": "reply", "text": TEXT[: len(TEXT) // 2], "finish_reason": "length"}, GOOD)
    decided = await decide(server, dialect)
    assert (decided.proposal.decision, decided.proposal.status) == (DECISION, "reasked")
    assert "reask:truncated" in decided.codes
    assert findings(server) == []


@pytest.mark.parametrize("dialect", PATHS)
async def test_half_a_decision_in_a_tool_call_is_asked_for_again_and_never_used(server: Chaos, dialect: str) -> None:
    server.will(GOOD, {"type": "tool_fault", "kind": "malformed_arguments"}, GOOD)
    decided = await decide(server, dialect)
    assert (decided.proposal.decision, decided.proposal.status) == (DECISION, "reasked")
    assert findings(server) == []


async def test_no_stream_is_asked_for_so_none_can_be_cut(server: Chaos) -> None:
    faults = [{"type": "stream_fault", "kind": kind} for kind in ("truncate", "disconnect", "malformed")]
    server.will(*faults, GOOD)
    decided = await decide(server)
    assert (decided.proposal.decision, decided.classes) == (DECISION, [""])
    assert [request["stream"] for request in server.requests()] == [False]


async def test_arguments_that_are_no_json_get_an_error_text_and_never_go_back(server: Chaos) -> None:
    wanted = {"name": "get_demand", "arguments": {"rounds": 2, "skus": ["NUT-500"]}}
    broken = {"type": "tool_fault", "kind": "malformed_arguments"}  # by Anthropic's protocol they cannot be broken
    server.will({"type": "reply", "tool_calls": [wanted]}, broken, GOOD)
    decided = await decide(server)
    assert decided.proposal.decision == DECISION
    assert [event.field for event in decided.proposal.events if isinstance(event, ToolError)] == ["get_demand"]
    calls, answers = history(server.requests()[-1]["body"], "openai")
    assert [(call["name"], call["arguments"]) for call in calls] == [("get_demand", {})]
    assert [answer["id"] for answer in answers] == [call["id"] for call in calls]
    assert "error" in answers[0]["text"]
    assert findings(server) == []


@pytest.mark.parametrize("dialect", PATHS)
async def test_an_unknown_tool_is_answered_under_its_id_with_the_names_of_ours(server: Chaos, dialect: str) -> None:
    server.will({"type": "tool_fault", "kind": "unknown_tool"})
    decided = await decide(server, dialect)
    assert "tool_error:unknown_tool" in decided.codes
    calls, answers = history(server.requests()[1]["body"], dialect)
    assert [call["name"] for call in calls] == ["llmock_unknown_tool"]
    assert [answer["id"] for answer in answers] == [call["id"] for call in calls]
    assert "get_finance" in answers[0]["text"]
    assert findings(server) == []


@pytest.mark.parametrize("dialect", PATHS)
async def test_left_to_itself_it_calls_one_tool_talks_twice_and_the_firm_falls_back(
    server: Chaos, dialect: str
) -> None:
    server.will({"type": "delay", "seconds": 0.0})
    decided = await decide(server, dialect)
    assert (decided.proposal.decision, decided.proposal.status) == (None, "fallback")
    assert "fallback_decision:no_json" in decided.codes
    assert set(decided.classes) == {""}
    assert findings(server) == []


def history(body: dict[str, Any], dialect: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Tool calls and their answers that a request repeats, in one form for both protocols; arguments must be JSON."""
    if dialect == "openai":
        sent = [call for message in body["messages"] for call in message.get("tool_calls") or []]
        calls = [
            {"id": call["id"], "name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
            for call in sent
        ]
        tools = [message for message in body["messages"] if message["role"] == "tool"]
        return calls, [{"id": tool["tool_call_id"], "text": tool["content"]} for tool in tools]
    blocks = [
        block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]
    ]
    calls = [
        {"id": block["id"], "name": block["name"], "arguments": block["input"]}
        for block in blocks
        if block["type"] == "tool_use"
    ]
    results = [block for block in blocks if block["type"] == "tool_result"]
    return calls, [{"id": block["tool_use_id"], "text": json.dumps(block["content"])} for block in results]
