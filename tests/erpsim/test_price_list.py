from typing import Any

import pytest

from erpsim.field_reading import ITEM_LIMIT
from erpsim.price_list import as_table
from erpsim.reading import Notes


def table(value: Any) -> tuple[Any, list[tuple[str, str]]]:
    notes = Notes()
    return as_table(notes, value), [(event.code, event.field) for event in notes.events]


READ = ("list_for_object", "prices")


@pytest.mark.parametrize(
    ("rows", "read", "told"),
    [
        ([{"sku": "NUT-500", "price": 4.1}], {"NUT-500": 4.1}, []),
        (
            [{"sku": "NUT-500", "channel": "grocery", "price": 4}, {"SKU": "NUT-500", "Channel": "kiosk", "Price": 5}],
            {"NUT-500": {"grocery": 4, "kiosk": 5}},
            [],
        ),
        ([{"sku": "NUT-500", "Grocery": 4, "independent": 5}], {"NUT-500": {"grocery": 4, "independent": 5}}, []),
        (
            [
                {"sku": "NUT-500", "channel": "grocery", "price": 4},
                {"sku": "NUT-500", "channel": "independent", "price": 5},
                {"sku": "NUT-500", "channel": "grocery", "price": 6},
            ],
            {"NUT-500": {"grocery": 6, "independent": 5}},
            [("duplicate_key", "prices.NUT-500")],
        ),
        (
            [{"sku": "NUT-500", "price": 4}, {"sku": "NUT-500", "price": 5}],
            {"NUT-500": 5},
            [("duplicate_key", "prices.NUT-500")],
        ),
        (
            [{"sku": "NUT-500", "price": 4}, {"sku": "NUT-500", "channel": "grocery", "price": 5}],
            {"NUT-500": {"grocery": 5}},
            [("duplicate_key", "prices.NUT-500")],
        ),
        ([{"sku": "NUT-500", "channel": None, "price": 4}], {"NUT-500": 4}, []),
    ],
)
def test_rows_are_read_as_the_table_that_is_meant(rows: Any, read: Any, told: list[tuple[str, str]]) -> None:
    assert table(rows) == (read, [READ, *told])


@pytest.mark.parametrize(
    "value",
    [
        {"NUT-500": 4},
        5,
        [],
        [4.1],
        [{"NUT-500": 4}],
        [{"price": 4}],
        [{"sku": 5, "price": 4}],
        [{"sku": "NUT-500"}],
        [{"sku": "NUT-500", "SKU": "MIXED-500", "price": 4}],
        [{"sku": "NUT-500", "price": 4, "grocery": 5}],
        [{"sku": "NUT-500", "channel": "grocery"}],
        [{"sku": "NUT-500", "channel": "grocery", "independent": 5}],
        [{"sku": "NUT-500", "channel": 5, "price": 4}],
        [{"sku": "NUT-500", "price": 4, "note": "x"}],
        [{"sku": "NUT-500", "price": 4}, {"sku": "MIXED-500"}],
        [{"sku": "NUT-500", "price": 4}] * (ITEM_LIMIT + 1),
    ],
)
def test_anything_else_stays_as_it_is(value: Any) -> None:
    assert table(value) == (value, [])
