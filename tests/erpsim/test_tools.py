import json
from typing import Any

import jsonschema
import pytest

from erpsim.tools import TOOLS, call_tool
from tests.erpsim.histories import past_round, seen

NAMES = tuple(tool.name for tool in TOOLS)
FULL: dict[str, dict[str, Any]] = {
    "get_finance": {"parts": ["position", "cash_due"]},
    "get_inventory": {"skus": ["NUT-500"], "channels": ["grocery"]},
    "get_market_prices": {"skus": ["NUT-500"], "channels": ["grocery"]},
    "get_demand": {"skus": ["NUT-500"], "channels": ["grocery"], "rounds": 2},
    "get_raw_materials": {"materials": ["oats"], "skus": ["NUT-500"], "plan": {"NUT-500": 48_000}},
    "get_carbon": {},
}


def test_there_are_six_tools() -> None:
    assert NAMES == (
        "get_finance", "get_inventory", "get_market_prices", "get_demand", "get_raw_materials", "get_carbon"
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_answers_compact_json_the_same_every_time(name: str) -> None:
    for arguments in ({}, FULL[name]):
        answer = call_tool(name, arguments, seen(past_round(1), past_round(2)))
        assert answer.ok
        value = json.loads(answer.text)
        assert json.dumps(value, separators=(",", ":"), ensure_ascii=False) == answer.text
        assert answer == call_tool(name, arguments, seen(past_round(1), past_round(2)))


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_answers_before_the_first_round_too(name: str) -> None:
    answer = call_tool(name, FULL[name], seen())
    assert answer.ok
    assert json.loads(answer.text)["round"] == 1


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_valid_and_admit_what_the_tool_takes(tool: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(tool.parameters)
    jsonschema.validate(FULL[tool.name], tool.parameters)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"nonsense": 1}, tool.parameters)


def test_g1_39_an_unknown_tool_is_answered_with_the_valid_ones() -> None:
    answer = call_tool("get_market_price", {}, seen())
    assert not answer.ok
    assert json.loads(answer.text)["error"] == f"unknown tool 'get_market_price'; valid tools: {', '.join(NAMES)}"


def test_a_bad_argument_is_answered_with_what_is_valid() -> None:
    answer = call_tool("get_demand", {"channels": ["kiosk"]}, seen())
    assert not answer.ok
    told = "get_demand: channels: unknown name 'kiosk'; valid: hypermarket, grocery, independent"
    assert json.loads(answer.text) == {"error": told}


def test_no_answer_names_an_ecology_a_policy_or_a_model() -> None:
    observation = seen(past_round(1))
    answers = " ".join(call_tool(name, {}, observation).text for name in NAMES).lower()
    assert not [word for word in ("solo", "arena", "ecology", "policy", "model", "rule", "gpt") if word in answers]
