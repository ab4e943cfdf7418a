"""Siblings of the public cases G1-35 and G1-37: the arguments of a tool call as servers and models write them."""

import json
from typing import Any

import pytest

from erpsim.parsing import Failure, read_arguments
from erpsim.tool_arguments import Arguments, check_arguments

SCHEMA = {
    "type": "object",
    "properties": {
        "skus": {"type": "array"},
        "channel": {"type": "string"},
        "note": {"type": "string"},
        "rounds": {"type": "integer"},
        "plan": {"type": "object"},
    },
}


def refused(raw: Any) -> str:
    """The message to arguments that must be refused."""
    read = read_arguments(raw, SCHEMA)
    assert isinstance(read, Failure)
    assert read.cause == "invalid"
    return read.message


NOTHING: list[Any] = [
    "",
    " ",
    "\n\t ",
    None,
    "null",
    " null ",
    {},
    "{}",
    " { } ",
    '"{}"',
    '""',
    '" "',
    '"null"',
    "\r\n",
]


@pytest.mark.parametrize("raw", NOTHING)
def test_g1_35_siblings_nothing_however_written_is_no_arguments(raw: Any) -> None:
    assert read_arguments(raw, SCHEMA) == {}


@pytest.mark.parametrize("raw", ['{"note": "a"}', '"{\\"note\\": \\"a\\"}"', {"note": "a"}, ' {"note": "a"}\n'])
def test_g1_35_siblings_an_object_is_read_plain_or_encoded_twice(raw: Any) -> None:
    assert read_arguments(raw, SCHEMA) == {"note": "a"}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("[]", "the arguments must be a JSON object, not a list"),
        ([], "the arguments must be a JSON object, not a list"),
        ('[{"note": "a"}]', "the arguments must be a JSON object, not a list"),
        ("0", "the arguments must be a JSON object, not a number"),
        (7, "the arguments must be a JSON object, not a number"),
        (1.5, "the arguments must be a JSON object, not a number"),
        ("NaN", "the arguments must be a JSON object, not a number"),
        ("true", "the arguments must be a JSON object, not true or false"),
        (False, "the arguments must be a JSON object, not true or false"),
        (json.dumps(json.dumps(json.dumps({}))), "the arguments must be a JSON object, not a text"),
    ],
)
def test_g1_35_siblings_what_is_no_object_is_refused_by_its_name(raw: Any, message: str) -> None:
    assert refused(raw) == message


@pytest.mark.parametrize(
    "raw",
    [
        '{"note": "a"',
        "{'note': 'a'}",
        '{"note": "a",}',
        "note=a",
        "{note: 1}",
        '{"skus": ["a"',
        "{}{}",
        '"{"',
        "{" * 900,
    ],
)
def test_g1_35_siblings_damaged_arguments_are_told_with_their_place_and_never_repaired(raw: str) -> None:
    message = refused(raw)
    assert message.startswith("the arguments are no JSON object: ")
    assert len(message) < 200


@pytest.mark.parametrize(
    "raw", ['{"rounds": NaN}', '{"plan": {"a": [1e999]}}', {"rounds": float("inf")}, '{"rounds": -Infinity}']
)
def test_g1_35_siblings_a_number_without_an_end_is_refused(raw: Any) -> None:
    assert refused(raw) == "the arguments hold a number that is not finite"


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ('{"note": "a", "note": "b"}', "note"),
        ('{"note": "a", "note": "a"}', "note"),
        ('{"plan": {"NUT-500": 1, "NUT-500": 2}}', "plan.NUT-500"),
        ('{"skus": [{"a": 1, "a": 2}]}', "skus[0].a"),
        ('"{\\"note\\": 1, \\"note\\": 2}"', "note"),
    ],
)
def test_g1_29_siblings_an_argument_that_is_given_twice_is_refused(raw: str, path: str) -> None:
    assert refused(raw) == f"the argument {path} is given more than once; give it once"


def test_g1_29_siblings_two_spellings_of_one_argument_are_refused() -> None:
    allowed = ("skus", "plan")
    assert check_arguments({"skus": ["NUT-500"], "SKUs": ["MIXED-500"]}, allowed) == (
        "skus is given more than once; give it once"
    )
    assert check_arguments({"plan": {"NUT-500": 1, "nut 500": 2}}, allowed) == (
        "plan: NUT-500 is given more than once; give it once"
    )


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"skus": '["S01","S02"]'}, {"skus": ["S01", "S02"]}),
        ({"skus": "[]"}, {"skus": []}),
        ({"SKUs": ' ["S01"] '}, {"SKUs": ["S01"]}),
        ({"plan": '{"S01": 1}'}, {"plan": {"S01": 1}}),
    ],
)
def test_g1_37_siblings_json_text_is_unwrapped_where_the_schema_wants_it(given: Any, read: Any) -> None:
    assert read_arguments(json.dumps(given), SCHEMA) == read
    assert read_arguments(given, SCHEMA) == read


@pytest.mark.parametrize(
    "given",
    [
        {"note": "42"},
        {"note": '["S01"]'},
        {"channel": '{"a": 1}'},
        {"rounds": "3"},
        {"skus": "S01"},
        {"skus": "S01, S02"},
        {"skus": "null"},
        {"skus": '"S01"'},
        {"skus": '{"S01": 1}'},
        {"skus": "[S01]"},
        {"skus": '["S01"'},
        {"plan": '["S01"]'},
        {"plan": '{"S01": 1e999}'},
        {"other": "[1]"},
    ],
)
def test_g1_37_siblings_any_other_text_stays_text(given: dict[str, str]) -> None:
    assert read_arguments(json.dumps(given), SCHEMA) == given


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"skus": "nut 500"}, "skus", (0,)),
        ({"skus": ["MIXED-500", "nut_500", "NUT-500"]}, "skus", (0, 5)),
        ({"skus": None}, "skus", Arguments().skus),
        ({"rounds": "3"}, "rounds", 3),
        ({"rounds": 3.0}, "rounds", 3),
        ({"rounds": "３"}, "rounds", 3),
        ({"plan": {"NUT-500": "48,000"}}, "plan", {0: 48_000}),
    ],
)
def test_g1_37_siblings_arguments_are_coerced_by_the_rules_of_a_decision(given: Any, field: str, value: Any) -> None:
    checked = check_arguments(given, ("skus", "rounds", "plan"))
    assert isinstance(checked, Arguments), checked
    assert getattr(checked, field) == value


@pytest.mark.parametrize(
    "given",
    [
        {"rounds": 2.5},
        {"rounds": "2,5"},
        {"rounds": True},
        {"rounds": 0},
        {"rounds": "12.000"},
        {"rounds": [1]},
        {"skus": "NUT-500, MIXED-500"},
        {"skus": [1]},
        {"skus": {"NUT-500": 1}},
        {"plan": [1]},
        {"plan": {"NUT-500": -1}},
        {"plan": {"S13": 1}},
        {"colour": 1},
    ],
)
def test_g1_37_siblings_what_a_tool_cannot_use_is_told_with_what_is_valid(given: Any) -> None:
    message = check_arguments(given, ("skus", "rounds", "plan"))
    assert isinstance(message, str)
    assert next(iter(given)) in message
    assert any(word in message for word in ("valid", "must be", "such as"))
    assert len(message) < 400
