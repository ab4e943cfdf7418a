"""Cases of bodies: half ones, pages, no choices, ignored features, usage of any shape, and no answer at all."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import Called, CallFailure, InfraFailure, Reply, Tokens
from actors.llm.wire import Setting, build_request
from erpsim.proposal import Proposal
from tests.actors.llm.peers import Answer, FakeTime, calling, completion, entry, said, serving
from tests.actors.llm.worlds import DECISION, KEY, PLACE, MemoryJournal, opening_observation

REQUEST = build_request(Setting("m-1", {}, ()), [{"role": "user", "content": "hello"}], 0, with_tools=False)
GOOD = DECISION.model_dump_json()
FINE = said("fine").body.encode()


async def call(url: str, journal: MemoryJournal, **changes: Any) -> Called:
    async with calling(FakeTime()) as client:
        return await client.call(entry(url, **changes), REQUEST, PLACE, journal)


async def classes(*answers: Answer, **changes: Any) -> list[str]:
    journal = MemoryJournal()
    async with serving(answers) as peer:
        await call(peer.url, journal, **changes)
    return [record.error_class for record in journal.records]


async def decide(*answers: Answer, **changes: Any) -> Proposal | InfraFailure:
    async with serving(answers) as peer, calling(FakeTime()) as client:
        agent = ModelAgent(entry(peer.url, **changes), client, MemoryJournal(), AgentOptions())
        return await agent.decide(opening_observation(), KEY)


@asynccontextmanager
async def raw(*answers: bytes) -> AsyncIterator[str]:
    """A server that writes bytes as they are and closes; the last answer is given again and again."""
    left = list(answers)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(int(length.split(b":")[1]))
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


def http(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", "Connection: close", *headers]
    if length is not None or not any(line.startswith("Transfer-Encoding") for line in headers):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


GOOD_HTTP = http(FINE)
DEFLATED = zlib.compress(FINE)


@pytest.mark.parametrize(
    "answer",
    [
        http(FINE[:12], length=500),
        http(FINE[:-1], length=len(FINE)),
        http(b"", length=500),
        http(b"1f\r\n" + FINE[:31] + b"\r\n", "Transfer-Encoding: chunked"),
        http(b"fff\r\n" + FINE[:31], "Transfer-Encoding: chunked"),
        http(gzip.compress(FINE)[:-12], "Content-Encoding: gzip", length=len(gzip.compress(FINE))),
        http(b"\x1f\x8b no gzip at all", "Content-Encoding: gzip"),
    ],
    ids=["length", "one-byte", "nothing", "chunks", "chunk", "gzip", "no-gzip"],
)
async def test_g2_07_a_body_that_breaks_off_is_tried_again_and_never_read(answer: bytes) -> None:
    journal = MemoryJournal()
    async with raw(answer, GOOD_HTTP) as url:
        called = await call(url, journal)
    assert isinstance(called.outcome, Reply)
    assert called.outcome.text == "fine"
    assert [record.error_class for record in journal.records] == ["broken_body", ""]
    assert journal.records[0].reply == ""


@pytest.mark.parametrize(
    "body",
    [
        said(GOOD).body[:-3],
        said(GOOD).body[: len(said(GOOD).body) // 2],
        '{"choices": [{"message": {"content": "{\\"production\\": []}"}}]',
        'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n\n',
        ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n",
        "",
        "\n\n\n\n",
        "null",
        "[]",
        '"text"',
        "upstream connect error or disconnect/reset before headers",
    ],
)
async def test_g2_07_a_body_that_is_no_whole_json_is_never_repaired_into_a_decision(body: str) -> None:
    assert await classes(Answer(body), said("fine")) == ["broken_body", ""]


async def test_g2_07_a_stream_that_was_not_asked_for_is_named() -> None:
    journal = MemoryJournal()
    async with serving([Answer("data: {}\n\ndata: [DONE]\n\n"), said("fine")]) as peer:
        await call(peer.url, journal)
    assert "a stream, which was not asked for" in journal.records[0].message


@pytest.mark.parametrize(
    "answer",
    [
        http(gzip.compress(FINE), "Content-Encoding: gzip"),
        http(DEFLATED, "Content-Encoding: deflate"),
        http(b"\xef\xbb\xbf" + FINE),
        http(b"\n\n   \n" + FINE + b"\n"),
        http(b"%x\r\n%s\r\n0\r\n\r\n" % (len(FINE), FINE), "Transfer-Encoding: chunked"),
    ],
    ids=["gzip", "deflate", "byte-order-mark", "blank-lines", "chunked"],
)
async def test_g2_07_a_whole_body_in_any_wrapping_is_read(answer: bytes) -> None:
    async with raw(answer) as url:
        called = await call(url, MemoryJournal())
    assert isinstance(called.outcome, Reply)
    assert called.outcome.text == "fine"


@pytest.mark.parametrize(
    "page",
    [
        "<html>busy</html>",
        "\ufeff<!DOCTYPE html><html></html>",
        "\r\n  <!-- gateway --><HTML>",
        "<h1>502 Bad Gateway</h1>",
        '<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>',
    ],
)
@pytest.mark.parametrize("status", [200, 500, 502, 504, 520, 403])
async def test_g2_09_a_page_is_retried_and_its_start_is_kept(page: str, status: int) -> None:
    journal = MemoryJournal()
    async with serving([Answer(page + "y" * 500, status, content_type="text/html"), said("fine")]) as peer:
        called = await call(peer.url, journal)
    assert isinstance(called.outcome, Reply)
    assert [record.error_class for record in journal.records] == ["html_body", ""]
    assert len(journal.records[0].message) <= 200
    assert journal.records[0].message.startswith("<")


@pytest.mark.parametrize(
    ("status", "error_class"),
    [(400, "bad_request"), (401, "auth"), (404, "model_not_found"), (413, "context_overflow"), (405, "bad_request")],
)
async def test_g2_09_a_page_that_refuses_is_final(status: int, error_class: str) -> None:
    assert await classes(Answer("<html>no</html>", status, content_type="text/html"), said("never")) == [error_class]


async def test_g2_09_pages_are_bounded_and_never_reach_the_model_or_its_record() -> None:
    page = Answer(f"<html>{GOOD}</html>", content_type="text/html")
    outcome = await decide(page, retries={"attempts": 3})
    assert isinstance(outcome, InfraFailure)
    assert (outcome.failure.error_class, outcome.failure.attempts) == ("html_body", 3)


async def test_g2_09_text_that_only_its_header_calls_a_page_is_one() -> None:
    assert await classes(Answer("busy", content_type="text/html"), said("fine")) == ["html_body", ""]


@pytest.mark.parametrize(
    ("body", "error_class"),
    [
        ('{"choices": [], "usage": {"prompt_tokens": 3870}}', "empty_choices"),
        ('{"choices": null, "error": null}', "empty_choices"),
        ('{"id": "x", "object": "chat.completion"}', "empty_choices"),
        ('{"choices": {}}', "empty_choices"),
        ('{"choices": [null]}', "empty_choices"),
        ('{"choices": [{"finish_reason": "stop", "index": 0}]}', "empty_choices"),
        ('{"choices": [{"delta": {"content": "x"}}]}', "empty_choices"),
        ('{"error": {"message": "Internal error", "type": "server_error"}}', "server"),
        ('{"error": {"code": 429, "message": "Rate limit exceeded"}}', "rate"),
        ('{"error": "no healthy upstream"}', "server"),
        ('{"detail": "upstream fell over"}', "server"),
        ('{"code": 500, "msg": "system busy", "success": false}', "server"),
        ('{"choices": [{"error": {"code": 502, "message": "gone"}, "message": {"content": "hal"}}]}', "server"),
        ('{"choices": [{"finish_reason": "error", "message": {"content": "hal"}}]}', "overloaded"),
    ],
)
async def test_g2_11_an_answer_without_a_reply_is_the_servers_and_is_tried_again(body: str, error_class: str) -> None:
    assert await classes(Answer(body), said("fine")) == [error_class, ""]


@pytest.mark.parametrize(
    ("body", "error_class"),
    [
        ('{"error": {"code": "invalid_api_key", "message": "Incorrect API key"}}', "auth"),
        ('[{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}]', "auth"),
        ('{"error": {"code": "insufficient_quota", "message": "billing"}}', "quota"),
        ('{"error": {"message": "model m-1 not found"}}', "model_not_found"),
    ],
)
async def test_g2_11_an_error_under_a_good_status_keeps_its_class(body: str, error_class: str) -> None:
    assert await classes(Answer(body), said("never")) == [error_class]


async def test_g2_11_the_tokens_are_booked_with_every_attempt_and_the_model_has_no_fallback() -> None:
    journal = MemoryJournal()
    empty = Answer('{"choices": [], "usage": {"prompt_tokens": 3870, "completion_tokens": 12}}')
    prices = {"input": 1.0, "output": 2.0}
    async with serving([empty]) as peer, calling(FakeTime()) as client:
        model = entry(peer.url, retries={"attempts": 2}, prices=prices)
        outcome = await ModelAgent(model, client, journal).decide(opening_observation(), KEY)
    assert isinstance(outcome, InfraFailure)
    assert outcome.failure.error_class == "empty_choices"
    assert [record.tokens for record in journal.records] == [Tokens(prompt=3870, completion=12)] * 2
    assert [record.cost_usd for record in journal.records] == [pytest.approx(0.003894)] * 2


@pytest.mark.parametrize("kind", ["json_schema", "json_object", "none"])
@pytest.mark.parametrize("prose", ["I would raise prices a little.", "", "[]", '{"answer": 4}', "<html>"])
async def test_g2_15_a_format_that_was_accepted_is_never_taken_as_kept(kind: str, prose: str) -> None:
    outcome = await decide(said(prose), said(GOOD), response_format=kind)
    assert isinstance(outcome, Proposal)
    assert (outcome.decision, outcome.status) == (DECISION, "reasked")


async def test_g2_15_values_that_a_schema_forbids_are_held_to_our_own_rules() -> None:
    wrong = json.dumps({"production": [{"sku": "NUT-500", "quantity": "a lot"}]})
    outcome = await decide(said(wrong), said(wrong), response_format="json_schema")
    assert isinstance(outcome, Proposal)
    assert outcome.status == "fallback"


USAGES: list[tuple[Any, Tokens]] = [
    (None, Tokens()),
    ({}, Tokens()),
    ([], Tokens()),
    ("12", Tokens()),
    ({"prompt_tokens": None, "completion_tokens": None}, Tokens()),
    ({"prompt_tokens": "100", "completion_tokens": "10"}, Tokens(prompt=100, completion=10)),
    ({"prompt_tokens": "many", "completion_tokens": "1e3"}, Tokens()),
    ({"prompt_tokens": -5, "completion_tokens": -1}, Tokens()),
    ({"prompt_tokens": 100.0, "completion_tokens": 10.5}, Tokens(prompt=100)),
    ({"prompt_tokens": True, "completion_tokens": False}, Tokens()),
    ({"prompt_tokens": 10**30, "completion_tokens": 1e300}, Tokens()),
    ({"prompt_tokens": {"n": 1}, "completion_tokens": [1]}, Tokens()),
    ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": None}, Tokens(prompt=9, completion=8)),
    ({"prompt_tokens": 9, "completion_tokens": 8, "completion_tokens_details": 7}, Tokens(prompt=9, completion=8)),
    (
        {"prompt_tokens": 9, "completion_tokens": 8, "completion_tokens_details": {"reasoning_tokens": 0}},
        Tokens(prompt=9, completion=8, reasoning=0),
    ),
    ({"prompt_tokens": 9, "completion_tokens": 8, "total_tokens": -1}, Tokens(prompt=9, completion=8)),
    ({"prompt_tokens": 9, "completion_tokens": 8, "total_tokens": 10**30}, Tokens(prompt=9, completion=8)),
    ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 31}, Tokens(prompt=9, completion=22, reasoning=20)),
    ({"prompt_tokens": 0, "completion_tokens": 0}, Tokens(prompt=0, completion=0)),
]


@pytest.mark.parametrize(("usage", "tokens"), USAGES)
async def test_g2_25_usage_of_any_shape_is_never_an_exception_and_what_it_does_not_say_is_unknown(
    usage: Any, tokens: Tokens
) -> None:
    journal = MemoryJournal()
    good = Answer(completion({"role": "assistant", "content": GOOD}, "stop", usage))
    async with serving([good]) as peer, calling(FakeTime()) as client:
        model = entry(peer.url, prices={"input": 1.0, "output": 1.0, "reasoning": 1.0})
        outcome = await ModelAgent(model, client, journal).decide(opening_observation(), KEY)
    assert isinstance(outcome, Proposal)
    assert outcome.decision == DECISION
    assert journal.records[0].tokens == tokens
    unknown = tokens.prompt is None or tokens.completion is None
    assert (journal.records[0].cost_usd is None) == unknown


async def test_g2_25_a_reply_without_a_usage_key_is_used() -> None:
    body = json.loads(completion({"role": "assistant", "content": GOOD}, "stop"))
    del body["usage"]
    outcome = await decide(Answer(json.dumps(body)))
    assert isinstance(outcome, Proposal)
    assert outcome.decision == DECISION
    assert outcome.usage.cost_usd is None


EATEN = {"prompt_tokens": 100, "completion_tokens": 64, "completion_tokens_details": {"reasoning_tokens": 64}}


@pytest.mark.parametrize(
    ("message", "finish", "cause"),
    [
        ({"content": ""}, "length", "truncated"),
        ({"content": None}, "length", "truncated"),
        ({"content": "", "reasoning_content": GOOD}, "length", "truncated"),
        ({"content": "", "reasoning_content": GOOD}, "stop", "empty"),
        ({"content": None}, "stop", "empty"),
        ({"content": []}, "stop", "empty"),
        ({"content": [{"type": "reasoning", "text": None}]}, None, "empty"),
        ({"content": "<think>still thinking"}, "length", "truncated"),
        ({}, "max_tokens", "truncated"),
    ],
)
async def test_g2_27_an_answer_that_reasoning_ate_is_no_success_and_is_booked_as_what_it_is(
    message: dict[str, Any], finish: str | None, cause: str
) -> None:
    eaten = Answer(completion({"role": "assistant", **message}, finish, EATEN))
    outcome = await decide(eaten)
    assert isinstance(outcome, Proposal)
    assert (outcome.decision, outcome.status) == (None, "fallback")
    assert outcome.events[-1].code == cause
    assert outcome.usage.tokens_out == 128


async def test_g2_27_the_same_task_with_room_to_answer_is_a_decision() -> None:
    eaten = Answer(completion({"role": "assistant", "content": ""}, "length", EATEN))
    outcome = await decide(eaten, said(GOOD))
    assert isinstance(outcome, Proposal)
    assert (outcome.decision, outcome.status) == (DECISION, "reasked")


async def test_a_body_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.llm.exchange.LONGEST_BODY", 10_000)
    called_classes = await classes(Answer(" " * 50_000 + said("x").body), said("fine"))
    assert called_classes == ["broken_body", ""]


async def test_an_answer_of_another_good_status_is_none() -> None:
    outcome = await classes(Answer(said("x").body, 202), said("fine"))
    assert outcome == ["broken_body", ""]


async def test_a_redirect_is_not_followed_and_names_where_it_leads() -> None:
    async with serving([Answer("", 308, {"Location": "http://127.0.0.1:9/other?token=secret"})]) as peer:
        called = await call(peer.url, MemoryJournal())
    assert isinstance(called.outcome, CallFailure)
    assert "redirects to http://127.0.0.1:9/other; set base_url" in called.outcome.message
    assert "secret" not in called.outcome.message
