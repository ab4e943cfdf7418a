import json

import json_repair
import pytest

from erpsim.repairing import DEPTH, LENGTH, MISPLACED, SEPARATORS, depth, misplaced, repair


def value(text: str) -> object:
    repaired = repair(text)
    assert repaired is not None
    return repaired.value


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("{'a': 1, b: None}", {"a": 1, "b": None}),
        ('{"a": 1 /* one */, "b": [2 "c"]}', {"a": 1, "b": [2, "c"]}),
        ('{"a": "he said "go" and left", "b": -2.5e3}', {"a": 'he said "go" and left', "b": -2500.0}),
        ('{"a": {"b": 1,} "c": [{"d": 1} {"d": 2}]}', {"a": {"b": 1}, "c": [{"d": 1}, {"d": 2}]}),
        ('{"a": 12,000}', {"a": "12,000"}),
    ],
)
def test_what_json_repair_is_sure_of_is_taken(text: str, repaired: object) -> None:
    assert value(text) == repaired


@pytest.mark.parametrize(
    "text",
    [
        "{'a': 12 000}",
        "{'a': 12'000}",
        "{'a': 16*1000}",
        "{'a': 4 20, 'b': 1}",
        "{'a': $4.20}",
        "{'a': 4.}",
        '{"a": 4 // was 5, "b": 6}',
        '{"a: 4, "b": 5}',
        "{'a': [1, ...]}",
        "{'a': 1, …}",
        "{'a': ...}",
        '{"a": 1, "b" 16000}',
        '{"a": 1, "b" 16000,, :}',
    ],
)
def test_a_guess_is_not_taken(text: str) -> None:
    assert repair(text) is None


def test_that_a_key_was_given_twice_is_told() -> None:
    assert repair("{'a': 1, 'b': {'a': 2}}") == ({"a": 1, "b": {"a": 2}}, False)
    assert repair("{'a': 1, 'b': {'c': 3, 'c': 4}}") == ({"a": 1, "b": {"c": 4}}, True)


def test_depth_counts_as_a_careless_reader_does() -> None:
    assert [depth(text) for text in ("", "{}", '{"[": (1]}', "{]{", "[[]][[[]]]")] == [0, 1, 3, 2, 3]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"a": "", "b": [1, {"c": "d"}], "e": []}', 0),
        ('{"a": "x \\" y"}', 0),
        ('{"a": 1 "b": 2}', 1),
        ('{"a": "1" "b": 2}', 2),
        ('{"a": {} "b": 2}', 2),
        ('{"a": "he said "go" now"}', 2),
        ('{":":":"}', 4),
        ("1[1]1", 2),
    ],
)
def test_marks_out_of_place_are_counted(text: str, count: int) -> None:
    assert misplaced(text) == count


@pytest.mark.parametrize(
    "text",
    [
        "{a: 1" + " " * LENGTH + "}",
        "{a: ]" + "[" * DEPTH + "]" * DEPTH + "}",
        "{a: " + "(" * DEPTH + "}",
        "{a: [" + '"b" ' * (MISPLACED // 2 + 1) + "]}",
        "{" + "a: 1," * (SEPARATORS // 2 + 1) + "}",
        "{a: [" + "[1]" * (MISPLACED // 2 + 2) + "]}",
    ],
)
def test_an_object_that_is_too_long_too_deep_or_too_damaged_is_not_given_to_it(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_repair, "loads", None)
    assert repair(text) is None


UNITS = [
    *('"', '"a', 'a"', '\\"', "'", "'a", "“", ",", ":", '":', '",', ':"', ',"', "a:", "/", "//", "/*", "#", '\n"', "1"),
    *('"1', '"a":1', '"a":1,', '"a" 1', '"a":"b"', '"a":"b"c', 'a: "b"c",', '{"a":1}', "[1]", "{}", "()", '"```"'),
    *("true", '"]', '"}', '"[', ']"', '}"', ',"', ':"', '"a":"', '"a":"b', "\\", "\\u", 'é"', '"",', '"":"",', "x: "),
]


@pytest.mark.parametrize("start", ["{a: ", '{"a": "', '{"a": [', '{"a": x, ', "{'a': {"])
def test_what_json_repair_is_given_has_few_marks_out_of_place(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is length times damage: minutes for 16,000 characters of damage, a fraction of that for 48 marks."""
    given: list[str] = []

    def taken(text: str, **_: object) -> object:
        given.append(text)
        return {}

    monkeypatch.setattr(json_repair, "loads", taken)
    for unit in UNITS:
        repair((start + unit * (LENGTH // len(unit)))[: LENGTH - 4] + "}")
    assert given
    assert all(misplaced(text) <= MISPLACED and len(text) <= LENGTH and depth(text) <= DEPTH for text in given)


@pytest.mark.parametrize("error", [RecursionError, ValueError, IndexError])
def test_a_repair_that_gives_up_is_none(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def deep(*_: object, **__: object) -> object:
        raise error

    monkeypatch.setattr(json_repair, "loads", deep)
    assert repair("{a: 1}") is None


def test_a_whole_decision_with_a_slip_in_it_is_within_the_bounds() -> None:
    rows = {f"S{index}": {"c1": 4.1, "c2": 4.2} for index in range(12)}
    text = json.dumps({"prices": rows, "runs": [{"sku": name, "quantity": 16_000} for name in rows]}, indent=4)
    assert value(text.replace('"', "'")) == json.loads(text)
    assert value(text.replace(',\n        "', '\n        "')) == json.loads(text)
