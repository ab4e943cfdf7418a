"""Each fault of a reply as the reading of replies meets it."""

import json
from typing import Any

import pytest

from actors.llm.standin_kinds import ALWAYS, ASKED_AGAIN, ONCE, REPLY
from actors.llm.standin_reply import Completed, Manner, answer
from actors.llm.standin_reply_faults import _CALLS, _DECISIONS, ENDLESS
from actors.llm.toolbox import standard_toolbox
from erpsim.parsing import Reading, read_decision
from tests.actors.llm.standin_talks import asked_again, looked_up, opening
from tests.actors.llm.worlds import opening_observation

TOOLS = list(standard_toolbox().offered())


def answered(kind: str | None, messages: list[dict[str, Any]], model: str = "standin/a", **more: Any) -> Completed:
    body = {"model": model, "messages": messages, "tools": TOOLS, **more}
    return answer(body, json.dumps(body).encode(), Manner(defects=False, forced=kind))


def message_of(completed: Completed) -> dict[str, Any]:
    found: dict[str, Any] = completed.completion["choices"][0]["message"]
    return found


def read(completed: Completed) -> Reading:
    choice = completed.completion["choices"][0]
    message = choice["message"]
    text = message["tool_calls"][0]["function"]["arguments"] if message.get("tool_calls") else message["content"]
    return read_decision(text, choice["finish_reason"], message.get("refusal"))


def test_every_kind_is_played_in_one_way() -> None:
    assert {*_DECISIONS, *_CALLS, ENDLESS} == {*ONCE, *ASKED_AGAIN}
    assert not set(_DECISIONS) & set(_CALLS)
    assert len(REPLY) == len(ONCE) + 2 * len(ASKED_AGAIN)


@pytest.mark.parametrize("model", ["standin/a", "standin/c"])
@pytest.mark.parametrize(
    ("kind", "category", "code"),
    [
        ("fence", "parse_recovered", "fence"),
        ("prose", "parse_recovered", "prose"),
        ("think", "parse_recovered", "reasoning"),
        ("two_objects", "parse_recovered", "several_objects"),
        ("trailing_comma", "parse_recovered", "trailing_comma"),
        ("typographic", "parse_recovered", "typographic"),
        ("number_text", "value_coerced", "number_text"),
        ("title_keys", "value_coerced", "alias"),
        ("unknown_ids", "item_dropped", "unknown_sku"),
    ],
)
def test_a_slip_of_writing_is_recovered_and_the_decision_is_the_same(
    kind: str, category: str, code: str, model: str
) -> None:
    messages = looked_up(opening_observation())
    completed, clean = answered(kind, messages, model), answered(None, messages, model)
    reading = read(completed)
    assert completed.fault == kind
    assert reading.failure is None
    assert reading.decision is not None
    assert (category, code) in {(event.category, event.code) for event in reading.events}
    meant = read(clean).decision
    assert meant is not None
    assert reading.decision.model_copy(update={"rationale": meant.rationale}) == meant


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("truncated", "truncated"),
        ("refusal", "refusal"),
        ("no_json", "no_json"),
        ("empty_content", "empty"),
        ("unknown_only", "invalid"),
        ("filter", "content_filter"),
    ],
)
def test_a_reply_that_cannot_be_used_has_its_cause(kind: str, cause: str) -> None:
    failure = read(answered(kind, looked_up(opening_observation()))).failure
    assert failure is not None
    assert failure.cause == cause


@pytest.mark.parametrize("kind", sorted(ASKED_AGAIN))
def test_the_second_answer_is_wrong_only_where_the_name_says_always(kind: str) -> None:
    again = asked_again(opening_observation())
    assert answered(kind, again).fault is None
    assert read(answered(kind, again)).failure is None
    assert answered(kind + ALWAYS, again).fault == kind + ALWAYS
    assert answered(kind + ALWAYS, looked_up(opening_observation())).fault == kind + ALWAYS


def test_a_fault_of_a_decision_waits_for_one() -> None:
    completed = answered("fence", opening(opening_observation()))
    assert completed.fault is None
    assert message_of(completed)["tool_calls"]


def test_calls_are_wrong_once_a_conversation_and_in_their_own_way() -> None:
    seen = opening_observation()
    unknown = message_of(answered("unknown_tool", opening(seen)))["tool_calls"]
    assert unknown[-1]["function"]["name"] not in {tool["function"]["name"] for tool in TOOLS}
    bad = message_of(answered("bad_arguments", opening(seen)))["tool_calls"]
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(bad[-1]["function"]["arguments"])
    assert len({call["id"] for call in message_of(answered("equal_ids", opening(seen)))["tool_calls"]}) == 1
    assert not any("id" in call for call in message_of(answered("no_ids", opening(seen)))["tool_calls"])
    markup = answered("markup", opening(seen))
    assert "tool_calls" not in message_of(markup)
    assert message_of(markup)["content"].count("<tool_call>") == len(unknown)
    assert markup.completion["choices"][0]["finish_reason"] == "stop"
    for kind in _CALLS:
        assert answered(kind, [*opening(seen), {"role": "assistant", "content": "Let me see."}]).fault is None


def test_tools_are_called_without_end_even_where_none_is_offered() -> None:
    for messages in (opening(opening_observation()), looked_up(opening_observation())):
        variants: list[dict[str, Any]] = [{}, {"tools": []}, {"tool_choice": "none"}]
        for more in variants:
            completed = answered("endless_tools", messages, **more)
            assert completed.fault == "endless_tools"
            assert message_of(completed)["tool_calls"]


def test_figures_that_were_left_out_of_a_conversation_are_asked_for_again() -> None:
    messages = looked_up(opening_observation())
    left_out = {"content": json.dumps({"note": "left out"})}
    shortened = [message | left_out if message["role"] == "tool" else message for message in messages]
    assert len(message_of(answered(None, shortened, model="standin/b"))["tool_calls"]) == 5
    assert "tool_calls" not in message_of(answered(None, messages, model="standin/b"))


def test_a_forced_fault_takes_the_place_of_the_styles_own_defects() -> None:
    body = {"model": "standin/f", "messages": looked_up(opening_observation()), "tools": TOOLS}
    for number in range(40):
        raw = f"{number}".encode()
        completed = answer(body, raw, Manner(forced="fence"))
        assert [event.code for event in read(completed).events if event.category == "parse_recovered"] == ["fence"]
        assert read(answer(body, raw, Manner(defects=False))).clean


def test_what_the_server_does_not_know_changes_nothing_and_no_call_is_made_where_none_may_be() -> None:
    seen = opening_observation()
    plain = message_of(answered(None, looked_up(seen)))
    more: dict[str, Any] = {
        "tool_choice": "auto",
        "response_format": {"type": "json_object"},
        "top_k": 4,
        "max_completion_tokens": 9999,
    }
    told = message_of(answered(None, looked_up(seen), **more))
    assert json.loads(told["content"]).keys() == json.loads(plain["content"]).keys()
    assert "tool_calls" not in message_of(answered(None, opening(seen), tool_choice="none"))
    cut = answered(None, looked_up(seen), max_completion_tokens=20).completion["choices"][0]
    assert (cut["finish_reason"], len(cut["message"]["content"])) == ("length", 80)
    parts = [
        {**message, "content": [{"type": "text", "text": message["content"]}]} if message["role"] == "user" else message
        for message in looked_up(seen)
    ]
    assert json.loads(message_of(answered(None, parts))["content"])["prices"]
