import json
from typing import Any

import pytest

from actors.llm.calls import Reply, StoredBody, Tokens
from actors.llm.chat import read_reply
from actors.llm.failures import Fault
from actors.llm.protocols import PROTOCOLS
from actors.llm.wire import Setting, build_request, canonical, tool_message, tool_schema
from tests.actors.llm.peers import called, completion, said


def read(body: str, turn: int = 3) -> Reply:
    reply = read_reply(body, turn)
    assert isinstance(reply, Reply), reply
    return reply


def fault(body: str) -> Fault:
    found = read_reply(body, 0)
    assert isinstance(found, Fault), found
    return found


def test_equal_requests_have_equal_digests_and_show_only_what_is_new() -> None:
    setting = Setting("m", {"temperature": 0.5}, (tool_schema("t", "what", {"type": "object"}),))
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    first = build_request(setting, messages, 0, with_tools=True)
    later = build_request(setting, [*messages, tool_message("a", "x")], 2, with_tools=True)
    assert build_request(setting, messages, 0, with_tools=True) == first
    assert later.digest != first.digest
    assert json.loads(later.body)["messages"][:2] == messages
    assert json.loads(later.shown)["messages"] == [{"role": "tool", "tool_call_id": "a", "content": "x"}]
    assert json.loads(later.shown)["messages_before"] == 2


def test_a_request_without_tools_asks_for_the_answer_format_instead() -> None:
    setting = Setting("m", {}, (tool_schema("t", "what", {"type": "object"}),), {"type": "json_object"})
    body = json.loads(build_request(setting, [], 0, with_tools=False).body)
    assert "tools" not in body
    assert body["response_format"] == {"type": "json_object"}
    assert "response_format" not in json.loads(build_request(setting, [], 0, with_tools=True).body)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("x", "x"),
        ([{"type": "text", "text": "a"}, {"type": "image"}, "b", 7, {"type": "text", "text": "c"}], "abc"),
        (7, ""),
    ],
)
def test_content_is_null_text_or_parts(content: Any, text: str) -> None:
    assert read(said(content).body).text == text


def test_g1_43_missing_null_empty_and_equal_ids_are_made_fresh_and_history_agrees() -> None:
    reply = read(called((None, "a"), ("", "b"), (..., "c"), ("same", "d"), ("same", "e")).body, turn=3)
    ids = [call.call_id for call in reply.tool_calls]
    assert ids == ["call_3_0", "call_3_1", "call_3_2", "same", "call_3_4"]
    assert [call["id"] for call in reply.message["tool_calls"]] == ids
    assert [call["type"] for call in reply.message["tool_calls"]] == ["function"] * 5


@pytest.mark.parametrize(
    ("arguments", "kept", "sent"),
    [
        ("", "", "{}"),
        (None, None, "{}"),
        ("  ", "  ", "{}"),
        ('{"a": 1}', '{"a": 1}', '{"a": 1}'),
        ('{"a": ', '{"a": ', "{}"),
        ("[1]", "[1]", "{}"),
        ({"a": 1}, {"a": 1}, {"a": 1}),
        (7, "7", "{}"),
    ],
)
def test_arguments_that_are_no_object_are_never_sent_back(arguments: Any, kept: Any, sent: Any) -> None:
    reply = read(called(("x", ("t", arguments))).body)
    assert reply.tool_calls[0].arguments == kept
    assert reply.message["tool_calls"][0]["function"]["arguments"] == sent


def test_unknown_fields_of_the_assistant_message_are_sent_back() -> None:
    call = {
        "id": "x",
        "type": "function",
        "function": {"name": "t", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "abc"}},
    }
    message = {"role": "assistant", "content": None, "reasoning_content": "why", "tool_calls": [call]}
    assert read(completion(message, "tool_calls")).message == message


def test_tool_calls_of_any_shape_are_read_without_an_error() -> None:
    message = {"content": "x", "tool_calls": [None, 7, {"function": None}, {"function": {"name": 3}}]}
    reply = read(completion(message, None))
    assert [call.name for call in reply.tool_calls] == ["", "", "", ""]
    assert read(completion({"content": "x", "tool_calls": "no list"}, None)).tool_calls == ()


def test_tokens_are_unknown_when_usage_is_null_missing_or_no_count() -> None:
    message = {"role": "assistant", "content": "x"}
    assert read(completion(message, "stop", usage=None)).tokens == Tokens()
    no_counts = {"prompt_tokens": "many", "completion_tokens": True}
    assert read(completion(message, "stop", usage=no_counts)).tokens == Tokens()
    details = {
        "prompt_tokens": 9,
        "completion_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 5},
        "completion_tokens_details": {"reasoning_tokens": 6},
    }
    assert read(completion(message, "stop", usage=details)).tokens == Tokens(
        prompt=9, cached=5, completion=8, reasoning=6
    )


def test_the_route_is_model_fingerprint_and_provider() -> None:
    reply = read_reply(said("x").body, 0, "east")
    assert isinstance(reply, Reply)
    assert reply.route == "m-1-2026|fp|east"
    assert PROTOCOLS["chat"].stored(StoredBody(reply.body, reply.route), 0) == reply


def test_a_stored_body_that_is_no_reply_gives_none() -> None:
    assert PROTOCOLS["chat"].stored(StoredBody("<html>busy</html>", ""), 0) is None


@pytest.mark.parametrize(
    ("body", "error_class"),
    [
        ("<html>busy</html>", "html_body"),
        ("  <!DOCTYPE html><html>", "html_body"),
        ('{"choices": [{"mess', "broken_body"),
        ("", "broken_body"),
        ("7", "broken_body"),
        ('{"choices": []}', "empty_choices"),
        ('{"choices": null}', "empty_choices"),
        ("{}", "empty_choices"),
        ('{"choices": [{"message": null}]}', "empty_choices"),
        ('{"choices": [7]}', "empty_choices"),
        ('{"error": {"message": "upstream fell over"}}', "server"),
        ('[{"error": {"message": "Invalid API key", "code": "invalid_api_key"}}]', "auth"),
        ('{"error": {"message": "maximum context length is 4096 tokens"}}', "context_overflow"),
    ],
)
def test_a_good_status_without_a_reply_has_a_class(body: str, error_class: str) -> None:
    assert fault(body).error_class == error_class


def test_deep_nesting_is_a_broken_body_and_no_crash() -> None:
    assert fault("[" * 100_000).error_class == "broken_body"


def test_an_answer_without_choices_still_says_what_was_billed() -> None:
    assert fault('{"choices": [], "usage": {"prompt_tokens": 3870}}').tokens == Tokens(prompt=3870)


def test_a_content_filter_under_a_good_status_is_an_empty_reply() -> None:
    reply = read('{"error": {"code": "content_filter", "message": "flagged"}}')
    assert (reply.text, reply.finish_reason, reply.tool_calls) == ("", "content_filter", ())


def test_half_a_character_in_a_cut_reply_is_replaced_and_whole_ones_stay() -> None:
    body = completion(
        {"role": "assistant", "content": "cut \ud83d", "note": "whole \U0001f33e", "x\udc00": 1}, "length"
    )
    assert "\\ud83d" in body
    reply = read(body)
    assert reply.text == "cut \ufffd"
    assert reply.message["note"] == "whole \U0001f33e"
    assert canonical(reply.message)


def test_numbers_beyond_64_bits_are_sent_back_as_they_came() -> None:
    assert canonical({"created": 2**70}) == b'{"created":1180591620717411303424}'


@pytest.mark.parametrize("reason", [{"type": "stop"}, ["stop"], 7, True, None, ""])
def test_a_finish_reason_that_is_no_text_is_none(reason: Any) -> None:
    assert read(completion({"role": "assistant", "content": "x"}, reason)).finish_reason is None


def test_g1_33_a_refusal_that_comes_as_a_part_of_the_content_is_one() -> None:
    reply = read(said([{"type": "refusal", "refusal": "cannot "}, {"type": "refusal", "refusal": "help"}]).body)
    assert (reply.text, reply.refusal) == ("", "cannot help")
    assert read(said([{"type": "text", "text": "x"}]).body).refusal is None


@pytest.mark.parametrize("arguments", [[1], 7, True])
def test_g1_35_arguments_that_are_no_object_are_kept_to_be_refused(arguments: Any) -> None:
    reply = read(called(("x", ("get_demand", arguments))).body)
    assert reply.tool_calls[0].arguments == json.dumps(arguments)
    assert reply.message["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("reason", ["network_error", "insufficient_system_resource", "abort", "error"])
def test_g2_27_an_end_that_the_server_answers_for_is_no_reply_of_the_model(reason: str) -> None:
    assert fault(said("{", reason).body).error_class == "overloaded"


def test_g1_43_an_id_that_is_made_is_no_other_calls() -> None:
    reply = read(called(("call_3_1", "a"), (None, "b"), (7, "c"), (None, "d")).body, turn=3)
    ids = [call.call_id for call in reply.tool_calls]
    assert ids[0] == "call_3_1"
    assert len(set(ids)) == 4
    assert [call["id"] for call in reply.message["tool_calls"]] == ids


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"type": "text", "text": "x"}, "x"),
        ([{"type": "text", "text": {"value": "x"}}, "y"], "xy"),
        ({"prices": {"NUT-500": 4.2}}, '{"prices":{"NUT-500":4.2}}'),
    ],
)
def test_g1_31_a_content_that_is_an_object_is_read_and_not_empty(content: Any, text: str) -> None:
    assert read(said(content).body).text == text
