from typing import Any

import pytest

from erpsim.layout import TOKEN_LIMIT
from erpsim.lexical import Found, Wanted, find_object
from erpsim.reading import Failure


def wanted(value: Any) -> bool:
    return isinstance(value, dict) and "prices" in value


def find(text: str, complete: bool = True) -> Found | Failure:
    return find_object(text, Wanted(wanted, lambda _: True), complete)


def found(text: str, *codes: str) -> Any:
    result = find(text)
    assert isinstance(result, Found), result
    assert result.codes == codes
    return result.value


def cause(text: str, complete: bool = True) -> str:
    result = find(text, complete)
    assert isinstance(result, Failure), result
    return result.cause


def test_strict_json_needs_no_rung() -> None:
    assert found('\ufeff {"prices": 1} ') == {"prices": 1}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('```json\n{"prices": 1}\n```', ("fence",)),
        ('Here:\n```\n{"prices": 1}\n```\nDone.', ("fence",)),
        ('Here: {"prices": 1}', ("prose",)),
        ('[{"prices": 1}]', ("prose",)),
        ('<think>x</think>{"prices": 1}', ("reasoning",)),
        ('<think>x</think>Here: {"prices": 1}', ("reasoning", "prose")),
        ('x</think>```json\n{"prices": 1}```', ("reasoning", "fence")),
        ('{"prices": 0} {"prices": 1}', ("prose", "several_objects")),
        ('{"prices": 0} {"prices": 0} {"prices": 1}', ("prose", "several_objects")),
        ('{"a": 0} {"prices": 1} {"b": 0} {c}', ("prose",)),
        ('{"prices": 1,}', ("trailing_comma",)),
        ("{“prices”： １}", ("typographic",)),
        ('"{\\"prices\\": 1}"', ("json_text",)),
        ("{'prices': 1}", ("lexical_repair",)),
        ("{prices: 1 /* so */}", ("lexical_repair",)),
        ('{"prices": 1', ("unclosed",)),
    ],
)
def test_each_rung_is_told(text: str, codes: tuple[str, ...]) -> None:
    if codes == ("unclosed",):
        assert cause(text) == "truncated"
    else:
        assert found(text, *codes) == {"prices": 1}


def test_what_stands_in_strings_stays_when_slips_around_them_are_mended() -> None:
    value = found('{"prices": [1,\n], "note": "cut {S03,} and [S04,] “so”：１",}', "trailing_comma")
    assert value == {"prices": [1], "note": "cut {S03,} and [S04,] “so”：１"}


def test_raw_line_breaks_in_strings_are_escaped() -> None:
    assert found('{"prices": 1, "note": "a\n\tb"}', "raw_line_break") == {"prices": 1, "note": "a\n\tb"}


def test_a_damaged_object_yields_to_a_sound_one() -> None:
    assert found('{"prices": 1} I used {"prices": ...}', "prose") == {"prices": 1}


def test_the_last_damaged_object_that_is_wanted_is_repaired() -> None:
    assert found("{prices: 0} or {prices: 1} {never mind}", "prose", "lexical_repair") == {"prices": 1}


def test_missing_closing_brackets_are_added_only_after_a_bracket_or_a_quote() -> None:
    assert found('so {"prices": [{"a": 1}', "unclosed") == {"prices": [{"a": 1}]}
    assert found('```{"prices": [1], "b": "}"\n```', "unclosed") == {"prices": [1], "b": "}"}
    assert found('{"prices": [1,], "b": {"c": [2]', "unclosed", "trailing_comma") == {"prices": [1], "b": {"c": [2]}}
    for text in ('{"prices": 4.', '{"prices": {"a": "b', '{"prices": {"a"', '{"a": {"b": 1}'):
        assert cause(text) == "truncated"


def test_missing_brackets_are_not_added_when_nobody_says_that_the_text_is_complete() -> None:
    assert cause('{"prices": [1]', complete=False) == "truncated"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I would rather not.", "no_json"),
        ("[1, 2]", "no_json"),
        ("7", "no_json"),
        ('"no"', "no_json"),
        ("```json\n```", "no_json"),
        ("{not, a, decision}", "no_json"),
        ("<think>only this</think>", "empty"),
        ("{}", "invalid"),
        ('so {"a": 1}', "invalid"),
        ('{"a": {"prices": 1}}', "invalid"),
    ],
)
def test_what_is_no_decision_does_not_become_one(text: str, told: str) -> None:
    assert cause(text) == told


def test_damage_is_told_with_its_place() -> None:
    result = find('{"a" 1}')
    assert isinstance(result, Failure)
    assert "Expecting ':' delimiter near `{\"a\" ⟨here⟩1}`" in result.message


def test_a_text_of_too_many_marks_is_not_searched() -> None:
    result = find("so " + "{}" * (TOKEN_LIMIT // 2 + 1))
    assert isinstance(result, Failure)
    assert "too many brackets and quotes" in result.message


def test_a_long_text_of_few_marks_is_searched() -> None:
    assert found("x" * 3_000_000 + '{"prices": 1}', "prose") == {"prices": 1}


def test_only_the_last_objects_of_a_text_are_read() -> None:
    assert found('{"prices": 0}' + "{}" * 99, "prose") == {"prices": 0}
    assert cause('{"prices": 0}' + "{}" * 100) == "invalid"


def test_a_draft_does_not_stand_in_for_an_object_that_breaks_off() -> None:
    assert cause('{"prices": 0} no: {"prices": 4.') == "truncated"
    assert cause('{"prices": 0} no: {"prices": {"a": 1}', complete=False) == "truncated"
    assert found('{"prices": 0} no: {"prices": {"a": 1}', "unclosed", "several_objects") == {"prices": {"a": 1}}


def test_that_a_damaged_object_follows_the_one_that_is_used_is_told() -> None:
    assert found('{"prices": 0} no: {prices: 1}', "prose", "several_objects") == {"prices": 0}


@pytest.mark.parametrize(
    "text",
    [
        '{"prices": 1}, "more": [{"a": 1}]}',
        '{"prices": 1}, "more": 2}',
        "{'prices': 1, 'note': 'a } b', 'more': 2}",
        'so {"prices": 1}} , “more”: {} }',
        '{"prices": 1},\n], "more": [2]',
    ],
)
def test_an_object_that_goes_on_after_its_last_bracket_is_not_used(text: str) -> None:
    result = find(text)
    assert isinstance(result, Failure)
    assert result.message.startswith("the object is closed too early, by a bracket too many, near `")


def test_damage_that_reaches_beyond_an_object_is_not_repaired() -> None:
    assert cause("{prices: 1}: {a") == "no_json"
    assert cause("{prices: 1}, and so on") == "no_json"
    assert found("{prices: 1}, {prices: 2}]", "prose", "lexical_repair") == {"prices": 2}


def test_a_bracket_too_many_that_cuts_nothing_off_is_overlooked() -> None:
    assert found('{"prices": 1}}', "prose") == {"prices": 1}
    assert found('{"prices": 1} } {"a": "x"}', "prose") == {"prices": 1}
    assert found('} {"prices": 1} } {"a": "b": 1}', "prose") == {"prices": 1}


def test_an_object_whose_guessed_brackets_put_its_parts_out_of_order_is_not_used() -> None:
    ordered = Wanted(wanted, lambda value: "late" not in value["prices"])
    for text in ('{"prices": {"a": 1, "late": 2}', "{'prices': {'a': 1, 'late': 2}}"):
        assert isinstance(find_object(text, ordered, complete=True), Failure)
    for text in ('{"prices": {"a": 1}', "{'prices': {'a': 1}}"):
        assert isinstance(find_object(text, ordered, complete=True), Found)
