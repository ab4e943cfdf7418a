"""Requests to a policy over HTTP and its answers, without a server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from actors.llm.calls import Reply, Tokens
from actors.llm.failures import Fault
from actors.llm.observed import REQUEST_FORMAT, asking_message, encode, read_reply
from actors.llm.switches import Switches
from actors.llm.wire import Setting, build_request
from tests.actors.llm.peers import entry

DECISION = '{"prices": {"NUT-500": 4.2}}'


def sent(extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """What is posted for an observation."""
    setting = Setting("mine", {}, (), extra=extra or {})
    request = build_request(setting, [asking_message("mine", {"round": 1}, 1, "no JSON")], 0, with_tools=False)
    return encode(request, entry("http://127.0.0.1:1/decide"), Switches(left_out=("observation",)))


def reply(body: str) -> Reply:
    """A body read as a reply."""
    read = read_reply(body, 0)
    assert isinstance(read, Reply), read
    return read


def fault(body: str) -> Fault:
    """A body read as a failure."""
    read = read_reply(body, 0)
    assert isinstance(read, Fault), read
    return read


def test_a_request_holds_the_observation_and_the_error_of_the_answer_before() -> None:
    assert sent() == {
        "format": REQUEST_FORMAT,
        "model": "mine",
        "ask": 1,
        "error": "no JSON",
        "observation": {"round": 1},
    }


def test_extra_keys_go_with_the_request_and_replace_none_of_its_own() -> None:
    posted = sent({"player": "blue", "ask": 7})
    assert (posted["player"], posted["ask"]) == ("blue", 1)


def test_a_decision_may_be_the_whole_answer() -> None:
    read = reply(DECISION)
    assert (read.text, read.body, read.tokens, read.route) == (DECISION, DECISION, Tokens(), "||")


def test_a_decision_may_come_with_usage_and_version() -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 20}
    read = reply(json.dumps({"decision": json.loads(DECISION), "usage": usage, "version": "v|2"}))
    assert (read.text, read.tokens, read.route) == (DECISION, Tokens(prompt=900, completion=20), "v/2||")


def test_the_provider_of_a_router_stands_in_the_route() -> None:
    read = read_reply('{"decision": {}, "version": 7}', 0, "east")
    assert isinstance(read, Reply)
    assert read.route == "||east"


def test_the_decisions_text_is_cut_out_as_it_stands() -> None:
    inner = '{"prices": {"NUT-500": NaN, "NUT-500": 1e999},\n "rationale": "a \\" and a }"}'
    assert reply(f'\ufeff {{"version": "v1" ,\n"decision" : {inner}, "usage": null}}\n').text == inner


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        "null",
        "[1, 2]",
        '{"decision": {"prices"',
        '{"decision": "hold"}',
        '{"decision": null, "error": "none found"}',
        '{"error": "too dear", "prices": {"NUT-500": 4.2}}',
        '{"error": null}',
        "```json\n" + DECISION + "\n```",
        "[" * 100_000,
    ],
)
def test_any_other_text_is_left_to_the_ladder_whole(body: str) -> None:
    assert (reply(body).text, reply(body).body) == (body, body)


@pytest.mark.parametrize(
    ("body", "error_class"),
    [
        ('{"error": "out of memory"}', "server"),
        ('{"error": {"message": "invalid api key"}}', "auth"),
        ("<html><body>Bad gateway</body></html>", "html_body"),
    ],
)
def test_an_error_or_a_page_in_a_good_answer_is_the_servers_failure(body: str, error_class: str) -> None:
    assert fault(body).error_class == error_class


def test_a_content_filter_answers_for_the_policy() -> None:
    read = reply('{"error": {"code": "content_filter"}}')
    assert (read.finish_reason, read.text) == ("content_filter", "")
