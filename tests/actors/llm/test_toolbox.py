import json
from typing import Any

from actors.llm.calls import Reply
from actors.llm.chat import read_reply
from actors.llm.toolbox import CALLS_MOST, SUBMIT, Toolbox, answer_calls, refuse_calls, standard_toolbox
from erpsim.observation import Observation
from erpsim.tools import TOOLS, ToolAnswer, call_tool
from tests.actors.llm.peers import called
from tests.actors.llm.worlds import DECISION, opening_observation


def reply(*calls: tuple[Any, Any], **message: Any) -> Reply:
    found = read_reply(called(*calls, **message).body, 0)
    assert isinstance(found, Reply)
    return found


def texts(*calls: tuple[Any, Any]) -> list[str]:
    answered = answer_calls(standard_toolbox(), reply(*calls), opening_observation())
    return [message["content"] for message in answered.messages]


def test_the_six_tools_and_the_submission_are_offered() -> None:
    offered = [tool["function"]["name"] for tool in standard_toolbox().offered()]
    assert offered == [*(tool.name for tool in TOOLS), SUBMIT]
    assert len(offered) == 7


def test_g1_35_empty_null_and_blank_arguments_are_none() -> None:
    plain = call_tool("get_finance", {}, opening_observation()).text
    blank: tuple[Any, ...] = ("", None, "   ", "{}", {})
    calls = [(str(number), ("get_finance", raw)) for number, raw in enumerate(blank)]
    answered = answer_calls(standard_toolbox(), reply(*calls), opening_observation())
    assert [message["content"] for message in answered.messages] == [plain] * 5
    assert answered.events == ()


def test_g1_39_an_unknown_tool_gets_the_list_of_valid_ones_and_is_counted() -> None:
    calls = (("a", "get_market_price"), ("b", "get_finance"))
    answered = answer_calls(standard_toolbox(), reply(*calls), opening_observation())
    assert "get_market_prices" in json.loads(answered.messages[0]["content"])["error"]
    assert "error" not in json.loads(answered.messages[1]["content"])
    assert [(event.category, event.code, event.field) for event in answered.events] == [
        ("tool_error", "unknown_tool", "get_market_price")
    ]


def test_bad_arguments_get_an_error_text_that_lists_what_is_valid() -> None:
    first, second, third = texts(
        ("a", ("get_demand", '{"skus": ["CORN-500"]}')),
        ("b", ("get_demand", '{"skus": ')),
        ("c", ("get_demand", "[1]")),
    )
    assert "NUT-500" in json.loads(first)["error"]
    assert "JSON" in json.loads(second)["error"]
    assert "object" in json.loads(third)["error"]


def test_g1_41_every_id_is_answered_once_and_in_order_when_a_tool_raises() -> None:
    def call(name: str, arguments: dict[str, Any], observation: Observation) -> ToolAnswer:
        if name == "get_demand":
            raise KeyError("b raises inside the tool")
        return call_tool(name, arguments, observation)

    standard = standard_toolbox()
    broken = Toolbox(standard.schemas, standard.descriptions, call)
    calls = (("a", "get_finance"), ("b", "get_demand"), ("c", "get_carbon"))
    answered = answer_calls(broken, reply(*calls), opening_observation())
    assert [message["tool_call_id"] for message in answered.messages] == ["a", "b", "c"]
    assert ["error" in json.loads(message["content"]) for message in answered.messages] == [False, True, False]
    assert [event.code for event in answered.events] == ["tool_failed"]


def test_a_submission_among_other_calls_is_the_decision() -> None:
    calls = (("a", "get_finance"), ("b", (SUBMIT, DECISION.model_dump_json())))
    answered = answer_calls(standard_toolbox(), reply(*calls), opening_observation())
    assert answered.reading is not None
    assert answered.reading.decision == DECISION
    assert [message["tool_call_id"] for message in answered.messages] == ["a", "b"]
    assert answered.messages[1]["content"] == "accepted"


def test_a_submission_may_be_an_object_and_a_bad_one_is_told_why() -> None:
    good = answer_calls(standard_toolbox(), reply(("a", (SUBMIT, DECISION.model_dump()))), opening_observation())
    assert good.reading is not None
    assert good.reading.decision == DECISION
    bad = answer_calls(standard_toolbox(), reply(("a", (SUBMIT, "{}"))), opening_observation())
    assert bad.reading is not None
    assert bad.reading.failure is not None
    assert bad.reading.failure.message in json.loads(bad.messages[0]["content"])["error"]


def test_calls_without_an_offer_are_refused_one_by_one() -> None:
    answered = refuse_calls(reply(("a", "get_finance"), ("b", "get_demand")))
    assert [message["tool_call_id"] for message in answered.messages] == ["a", "b"]
    assert answered.reading is None


def test_calls_without_end_are_all_answered_and_the_first_ones_run() -> None:
    calls = [(str(number), "get_carbon") for number in range(CALLS_MOST + 3)]
    answered = answer_calls(standard_toolbox(), reply(*calls), opening_observation())
    assert [message["tool_call_id"] for message in answered.messages] == [call_id for call_id, _ in calls]
    assert [event.code for event in answered.events] == ["too_many_calls"] * 3
    assert answered.messages[CALLS_MOST - 1]["content"] == answered.messages[0]["content"]


def test_g1_05_of_two_decisions_handed_in_at_once_the_last_counts_and_the_record_says_so() -> None:
    pair = (("a", (SUBMIT, '{"prices": {"NUT-500": 4.2}}')), ("b", (SUBMIT, '{"prices": {"NUT-500": 9.9}}')))
    for answered in (
        answer_calls(standard_toolbox(), reply(*pair), opening_observation()),
        refuse_calls(reply(*pair)),
    ):
        assert answered.reading is not None
        assert answered.reading.decision is not None
        assert answered.reading.decision.prices == {"NUT-500": 9.9}
        assert [(event.category, event.code) for event in answered.events] == [("parse_recovered", "several_objects")]
    assert answer_calls(standard_toolbox(), reply(pair[0]), opening_observation()).events == ()
