import json

import pytest

from erpsim.events import ItemDropped, ParseRecovered, ValueCoerced
from erpsim.json_text import NonFinite
from erpsim.reading import ASKED_CHARACTERS, EVENT_LIMIT, Failure, Notes, Reading, brief, excerpt, fault, scalar


def test_a_reading_is_clean_when_nothing_but_absent_prices_was_noted() -> None:
    notes = Notes()
    notes.absent_prices(["NUT-500", "MIXED-500"])
    assert Reading(None, notes.events, None).clean
    assert notes.events[0].n == 2
    assert not Reading(None, notes.events, Failure("invalid", "")).clean
    notes.not_given("finance")
    assert not Reading(None, notes.events, None).clean


def test_notes_keep_their_order_and_their_kind() -> None:
    notes = Notes()
    notes.recovered("fence", "so")
    notes.coerced("number_text", "prices.NUT-500", ("4,2", 4.2), "so")
    notes.dropped("unknown_sku", "prices.X", 3, "so", "NUT-500")
    assert notes.events == (
        ParseRecovered("fence", cause="so"),
        ValueCoerced("number_text", "prices.NUT-500", "4,2", 4.2, cause="so"),
        ItemDropped("unknown_sku", "prices.X", 3, limit="NUT-500", cause="so"),
    )


def test_beyond_the_limit_events_are_counted_by_kind_and_code() -> None:
    notes = Notes()
    for index in range(EVENT_LIMIT + 7):
        notes.dropped("unknown_sku", f"prices.{index}", index, "so")
    notes.not_given("finance")
    assert len(notes.events) == EVENT_LIMIT + 2
    assert [(event.category, event.code, event.n) for event in notes.events[-2:]] == [
        ("item_dropped", "unknown_sku", 7),
        ("value_coerced", "null_not_given", 1),
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (5, 5),
        (10**15, "over 1e15"),
        (-(10**400), "over 1e15"),
        (2.5, 2.5),
        (float("nan"), "nan"),
        (NonFinite("1e999"), "1e999"),
        ("x" * 300, "x" * 200),
        ("\ud800x", "?x"),
        ({"a": [NonFinite("NaN")]}, '{"a":["NaN"]}'),
    ],
)
def test_what_an_event_holds_is_short_finite_and_sound(value: object, shown: object) -> None:
    assert scalar(value) == shown
    json.dumps(scalar(value), allow_nan=False).encode()


def test_the_beginning_of_a_value_is_written_without_the_rest() -> None:
    assert brief({"a": [1, None, "x"], "b": NonFinite("1e999")}) == '{"a":[1,null,"x"],"b":"1e999"}'
    shown = brief(list(range(10**6)))
    assert shown.startswith("[0,1,2,")
    assert ASKED_CHARACTERS < len(shown) < ASKED_CHARACTERS + 10


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", ""),
        ('{"a" 1}', "Expecting ':' delimiter near `{\"a\" ⟨here⟩1}`"),
        ("[" * 65, "nested deeper than 64 levels"),
        (
            '{"a": 1, \n b: "' + "x" * 90,
            f'Expecting property name enclosed in double quotes near `{{"a": 1, ⟨here⟩b: "{"x" * 16}…`',
        ),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, told: str) -> None:
    assert fault(text) == told


def test_an_excerpt_is_one_short_sound_line() -> None:
    shown = excerpt("a\n\ud800" * 1_000, 1_500)
    assert len(shown) < 70
    assert "⟨here⟩" in shown
    assert "\n" not in shown
    assert shown.startswith("`…")
    assert shown.endswith("…`")
    shown.encode()
