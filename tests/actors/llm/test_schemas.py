import json
from collections.abc import Iterator
from typing import Any

import pytest

from actors.llm.schemas import plain_format, plain_schema, plain_tool
from actors.llm.toolbox import SUBMIT, standard_toolbox
from erpsim.catalogue import CHANNELS, SKUS
from erpsim.decision import decision_schema

PLAIN = {"type", "description", "enum", "minimum", "maximum", "required", "properties", "items", "anyOf"}
TOOLS = {tool["function"]["name"]: tool for tool in standard_toolbox().offered()}


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for part in [*inner, schema["items"]] if "items" in schema else inner:
        yield from parts(part)


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_written_in_the_small_vocabulary(name: str) -> None:
    function = plain_tool(TOOLS[name])["function"]
    for part in parts(function.get("parameters", {"type": "object", "properties": {"x": {}}})):
        assert set(part) <= PLAIN
        assert part.get("type") != "object" or part["properties"]
        assert part.get("type") != "array" or "items" in part
    assert (function["name"], function["description"]) == (name, TOOLS[name]["function"]["description"])


def test_a_tool_without_parameters_has_none() -> None:
    assert "parameters" not in plain_tool(TOOLS["get_carbon"])["function"]


def test_maps_name_their_keys() -> None:
    properties = plain_tool(TOOLS[SUBMIT])["function"]["parameters"]["properties"]
    assert tuple(properties["prices"]["properties"]) == SKUS
    number, by_channel = properties["prices"]["properties"][SKUS[0]]["anyOf"]
    assert number == {"type": "number"}
    assert tuple(by_channel["properties"]) == CHANNELS
    assert tuple(properties["production"]["items"]["properties"]["distribution"]["properties"]) == CHANNELS
    plan = plain_tool(TOOLS["get_raw_materials"])["function"]["parameters"]["properties"]["plan"]
    assert tuple(plan["properties"]) == SKUS
    assert plan["properties"][SKUS[0]] == {"type": "integer", "minimum": 0, "maximum": 10_000_000}


def test_references_are_put_in_place_and_null_is_a_property_left_out() -> None:
    plain = plain_schema(decision_schema())
    item = plain["properties"]["marketing"]["items"]
    assert item["properties"]["sku"] == {
        "type": "string",
        "description": "SKU id; null: equally over the channel's SKUs",
    }
    assert item["required"] == ["channel", "amount"]
    assert "investments" in plain["properties"]["finance"]["properties"]
    assert "$ref" not in json.dumps(plain)


def test_an_answer_format_keeps_its_name() -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "decision", "schema": decision_schema()}}
    plain = plain_format(wanted)
    assert plain["json_schema"]["name"] == "decision"
    assert plain["json_schema"]["schema"] == plain_schema(decision_schema())
    assert plain_format({"type": "json_object"}) == {"type": "json_object"}
