from typing import Any

import pytest

from erpsim.field_reading import ITEM_LIMIT
from erpsim.item_reading import ItemShape, read_items
from erpsim.reading import Notes

SHAPE = ItemShape(("material", "quantity", "day"))
OATS = {"material": "oats", "quantity": 5}


def items(value: Any) -> tuple[Any, list[tuple[str, str]]]:
    notes = Notes()
    read = read_items(notes, "x", value, SHAPE)
    fields = [item.fields for item in read.items]
    return (fields, read.asked), [(event.code, event.field) for event in notes.events]


@pytest.mark.parametrize(
    ("value", "read", "told"),
    [
        ([{"material": "oats"}, 3], ([{"material": "oats"}], 2), [("wrong_type", "x[1]")]),
        ([], ([], 0), []),
        ({}, ([], 0), []),
        ({"material": "oats", "quantity": 5}, ([OATS], 1), [("object_for_list", "x")]),
        ({"oats": 5, "nuts": None}, ([OATS], 1), [("object_for_list", "x"), ("null_not_given", "x[1]")]),
        ({"oats": {"quantity": 5}}, ([OATS], 1), [("object_for_list", "x")]),
        ({"first": OATS}, ([OATS], 1), [("object_for_list", "x"), ("duplicate_key", "x.first.material")]),
        ({"nuts": {"Material": "oats", "quantity": 5}}, ([OATS], 1), [
            ("object_for_list", "x"), ("duplicate_key", "x[0].material"),
        ]),
        ('[{"day": 1}]', ([{"day": 1}], 1), [("json_text", "x")]),
        ([None, OATS], ([OATS], 1), [("null_not_given", "x[0]")]),
        (["oats: 5"], ([], 1), [("wrong_type", "x[0]")]),
        ("none", ([], 1), [("wrong_type", "x")]),
        (5, ([], 1), [("wrong_type", "x")]),
    ],
)  # fmt: skip
def test_items_come_as_a_list_or_what_can_be_read_as_one(value: Any, read: Any, told: list[tuple[str, str]]) -> None:
    assert items(value) == (read, told)


def test_a_section_has_an_end() -> None:
    read, told = items([{"day": 1}] * (ITEM_LIMIT + 3))
    assert (len(read[0]), read[1]) == (ITEM_LIMIT, ITEM_LIMIT)
    assert told == [("too_many", "x")]
