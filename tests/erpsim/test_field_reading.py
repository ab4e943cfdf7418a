from typing import Any

import pytest

from erpsim.catalogue import MATERIALS, VENDORS
from erpsim.field_reading import ITEM_LIMIT, read_amount, read_fields, read_name, read_whole, unwrapped
from erpsim.json_text import NonFinite
from erpsim.number_text import NumberKind
from erpsim.reading import Notes

NAMES = ("material", "quantity", "day")


def amount(value: Any, kind: NumberKind = "amount") -> tuple[float | None, list[str]]:
    notes = Notes()
    return read_amount(notes, "x", value, kind), [event.code for event in notes.events]


def whole(value: Any) -> tuple[int | None, list[str]]:
    notes = Notes()
    return read_whole(notes, "x", value), [event.code for event in notes.events]


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (4, (4.0, [])),
        (4.5, (4.5, [])),
        (0, (0.0, [])),
        ("4,5", (4.5, ["number_text"])),
        (None, (None, ["null_not_given"])),
        (True, (None, ["wrong_type"])),
        ([4], (None, ["wrong_type"])),
        ("soon", (None, ["not_a_number"])),
        ("NaN", (None, ["non_finite"])),
        (NonFinite("1e999"), (None, ["non_finite"])),
        (float("nan"), (None, ["non_finite"])),
        (float("-inf"), (None, ["non_finite"])),
        (10**400, (None, ["non_finite"])),
        (-1, (None, ["out_of_range"])),
        ("-1", (None, ["number_text", "out_of_range"])),
        (1e300, (1e300, [])),
    ],
)
def test_an_amount_is_a_finite_number_from_0_up(value: Any, read: tuple[float | None, list[str]]) -> None:
    assert amount(value) == read


def test_a_price_of_any_sign_is_read_for_repair_to_put_into_its_band() -> None:
    assert amount(0, "price") == (0.0, [])
    assert amount(-4, "price") == (-4.0, [])


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (48_000, (48_000, [])),
        (48_000.0, (48_000, ["whole_number"])),
        (48_000.7, (48_000, ["fraction_cut"])),
        ("48,000", (48_000, ["number_text"])),
        ("48'000.5", (48_000, ["number_text", "fraction_cut"])),
        (10**15, (None, ["out_of_range"])),
        (10**299, (None, ["out_of_range"])),
        (-5_000, (None, ["out_of_range"])),
        (None, (None, ["null_not_given"])),
    ],
)
def test_a_whole_number_has_no_fraction_and_an_end(value: Any, read: tuple[int | None, list[str]]) -> None:
    assert whole(value) == read
    assert not isinstance(whole(value)[0], float)


def test_a_name_is_matched_told_and_dropped() -> None:
    notes = Notes()
    names = [read_name(notes, "x", value, VENDORS) for value in ("A", "b", "C", 1, None)]
    assert names == ["A", "B", None, None, None]
    assert [event.code for event in notes.events] == ["alias", "unknown_vendor", "unknown_vendor", "null_not_given"]
    assert notes.events[1].limit == "A, B"


def test_fields_are_sorted_by_our_names() -> None:
    notes = Notes()
    fields = read_fields(notes, "x", {"Material": "oats", "colour": 1, "day": 1, "DAY": 2}, NAMES)
    assert fields == {"material": "oats", "day": 2}
    assert [(event.code, event.field) for event in notes.events] == [
        ("alias", "x.material"),
        ("unknown_field", "x.colour"),
        ("duplicate_key", "x.day"),
    ]


def test_only_json_text_of_a_list_or_an_object_is_unwrapped() -> None:
    notes = Notes()
    assert [unwrapped(notes, "x", value) for value in (5, "oats", "42", "[1]")] == [5, "oats", "42", [1]]
    assert [event.code for event in notes.events] == ["json_text"]


def test_an_unknown_material_is_dropped_with_the_valid_ones() -> None:
    notes = Notes()
    assert read_name(notes, "x", "corn", MATERIALS) is None
    assert notes.events[0].limit == ", ".join(MATERIALS)


def test_an_object_has_an_end() -> None:
    notes = Notes()
    assert read_fields(notes, "x", {**dict.fromkeys(map(str, range(ITEM_LIMIT)), 0), "day": 1}, NAMES) == {}
    assert (notes.events[0].code, notes.events[0].asked) == ("too_many", ITEM_LIMIT + 1)
