from typing import Any

import pytest

from erpsim.json_text import DEPTH, PATH, NonFinite, decode, duplicates, join, too_deep


def test_plain_json_is_read_as_it_is() -> None:
    assert decode('{"a": [1, 2.5, null, true, "x"]}') == {"a": [1, 2.5, None, True, "x"]}


@pytest.mark.parametrize(
    ("text", "mark"), [("NaN", "NaN"), ("-Infinity", "-Infinity"), ("1e999", "1e999"), ("9" * 301, "9" * 40)]
)
def test_numbers_that_are_not_finite_are_marked(text: str, mark: str) -> None:
    assert decode(f'{{"a": {text}}}') == {"a": NonFinite(mark)}


def test_the_last_of_two_equal_keys_holds_and_both_are_remembered() -> None:
    value = decode('{"a": {"b": 1, "c": 2, "b": 3}, "d": [{"e": 1, "e": 2}], "a": {"f": 0, "f": 1}}')
    assert value == {"a": {"f": 1}, "d": [{"e": 2}]}
    assert list(duplicates(value)) == ["a", "a.f", "d[0].e"]


def test_a_part_of_a_text_tells_its_own_duplicates_only() -> None:
    value = decode('{"a": {"b": 1}, "c": {"d": 1, "d": 2}}')
    assert [list(duplicates(value[name])) for name in "ac"] == [[], ["d"]]


def test_a_value_made_elsewhere_has_no_duplicates() -> None:
    assert list(duplicates({"a": [1, {"b": 2}]})) == []


@pytest.mark.parametrize("text", ["", "{", '{"a": 1,}', "[1] 2", "'a'"])
def test_anything_else_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(text)


def test_nesting_is_refused_before_any_parser_sees_it() -> None:
    assert decode("[" * DEPTH + "]" * DEPTH)
    with pytest.raises(ValueError, match="nested deeper than 64 levels"):
        decode("[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("[]" * 200, False),
        ('["' + "[" * 200 + '"]', False),
        ('["\\"' + "[" * 200 + '"]', False),
        ('{"a":' * 65, True),
        ('["' + "[" * 200, False),
    ],
)
def test_brackets_in_strings_do_not_nest(text: str, deep: bool) -> None:
    assert too_deep(text, DEPTH) is deep


def test_paths_are_joined_with_dots() -> None:
    names: list[Any] = [join("", "a"), join("a", "b")]
    assert names == ["a", "a.b"]


def test_a_path_is_cut_to_what_anyone_reads() -> None:
    long = "k" * 10_000
    value = decode('{"' + long + '": {"a": 1, "a": 2, "b": [{"c": 1, "c": 2}]}}')
    assert list(duplicates(value)) == [long[:PATH]] * 2
    assert join("a", long) == ("a." + long)[:PATH]
