import json

import pytest

from actors.message_parts import Message, Part, read_body, read_message


def test_a_chat_message_gives_reasoning_text_calls_and_what_is_unknown_in_order() -> None:
    call = {"id": "c", "function": {"name": "get_finance", "arguments": ""}}
    message = {
        "role": "assistant",
        "tool_calls": [call, "odd"],
        "content": "text",
        "reasoning": "why",
        "reasoning_content": "why",
        "refusal": "no",
        "audio": None,
        "annotations": [],
        "extra": {"é": 1},
    }
    assert read_message(message) == Message(
        "assistant",
        (
            Part("reasoning", "why"),
            Part("text", "text"),
            Part("refusal", "no"),
            Part("tool_call", "", "get_finance", "c"),
            Part("other", "odd", "tool_calls"),
            Part("other", '{"é": 1}', "extra"),
        ),
    )


def test_a_tool_message_answers_the_call_of_its_id_even_with_nothing() -> None:
    assert read_message({"role": "tool", "tool_call_id": "c", "content": ""}).parts == (
        Part("tool_answer", "", call_id="c"),
    )


def test_arguments_that_are_no_text_are_shown_as_json() -> None:
    message = {"role": "assistant", "tool_calls": [{"function": {"name": None, "arguments": {"a": 1}}}]}
    assert read_message(message).parts == (Part("tool_call", '{"a": 1}', "null"),)


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "a"}, Part("text", "a")),
        ({"type": "output_text", "text": "a"}, Part("text", "a")),
        ({"type": "text", "text": None}, Part("other", '{"type": "text", "text": null}', "text")),
        ({"type": "thinking", "thinking": "a", "signature": "s"}, Part("reasoning", "a")),
        ({"type": "sealed", "data": "s"}, Part("other", '{"type": "sealed", "data": "s"}', "sealed")),
        ({"type": "tool_use", "id": "t", "name": "n", "input": {}}, Part("tool_call", "{}", "n", "t")),
        ({"type": "tool_result", "tool_use_id": "t", "content": [1]}, Part("tool_answer", "[1]", call_id="t")),
        ("bare", Part("text", "bare")),
        (7, Part("text", "7")),
    ],
)  # fmt: skip
def test_blocks_are_read_and_unknown_ones_are_shown_whole(block: object, part: Part) -> None:
    assert read_message({"role": "assistant", "content": [block]}).parts == (part,)


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ({"choices": [{"message": {"content": "a"}}]}, (Part("text", "a"),)),
        ([{"choices": [{"message": {"content": "a"}}]}], (Part("text", "a"),)),
        ({"id": "x", "usage": {"a": 1}, "content": [{"type": "text", "text": "a"}]}, (Part("text", "a"),)),
        ({"choices": [{"message": {"content": ""}}]}, ()),
    ],
)
def test_the_message_of_a_body_is_found(answer: object, parts: tuple[Part, ...]) -> None:
    assert read_body(json.dumps(answer)) == Message("assistant", parts)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        "[]",
        "7",
        '{"choices":[]}',
        '{"choices":[7]}',
        '{"error":{"message":"x"}}',
        "[" * 20_000,
        '{"prices":{},"reasoning":"x"}',
    ],
)
def test_a_body_without_a_message_gives_none(body: str) -> None:
    assert read_body(body) is None


@pytest.mark.parametrize("message", [None, "text", 7, {}, {"role": 7}])
def test_what_is_no_message_has_an_unknown_role(message: object) -> None:
    assert read_message(message).role == "unknown"
