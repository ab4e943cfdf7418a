from typing import Any

import pytest

from erpsim.reading import Notes
from erpsim.sections import READERS, read_rationale


def read(section: str, value: Any) -> tuple[Any, bool, list[tuple[str, str]]]:
    """The section's value, whether it is unusable, and codes and fields of its events, absent prices left out."""
    notes = Notes()
    part = READERS[section].read(notes, value)
    told = [(event.code, event.field) for event in notes.events if event.code != "absent_price"]
    return part.value, part.unusable, told


@pytest.mark.parametrize(
    ("value", "prices", "told"),
    [
        ({"NUT-500": 4.1}, {"NUT-500": 4.1}, []),
        ({"NUT-500": {"grocery": 4, "independent": 5}}, {"NUT-500": {"grocery": 4.0, "independent": 5.0}}, []),
        ({}, {}, []),
        ({"NUT-500": None}, {}, [("null_not_given", "prices.NUT-500")]),
        ({"NUT-500": {"grocery": None}}, {}, [("null_not_given", "prices.NUT-500.grocery")]),
        (
            {"NUT-500": {"hypermarket": 4, "grocery": 4}},
            {"NUT-500": {"grocery": 4.0}},
            [("inactive_cell", "prices.NUT-500.hypermarket")],
        ),
        (
            {"NUT-500": {"kiosk": 4, "Grocery": 4, "grocery": 5}},
            {"NUT-500": {"grocery": 5.0}},
            [
                ("unknown_channel", "prices.NUT-500.kiosk"),
                ("alias", "prices.NUT-500.Grocery"),
                ("duplicate_key", "prices.NUT-500.grocery"),
            ],
        ),
        (
            {"NUT-500": 4, "nut-500": 5},
            {"NUT-500": 5.0},
            [("alias", "prices.nut-500"), ("duplicate_key", "prices.NUT-500")],
        ),
        ({"NUT-500": 4, "MIXED-500": 0}, {"NUT-500": 4.0, "MIXED-500": 0.0}, []),
        (
            '{"NUT-500": "{\\"grocery\\": 4}"}',
            {"NUT-500": {"grocery": 4.0}},
            [("json_text", "prices"), ("json_text", "prices.NUT-500")],
        ),
    ],
)
def test_prices_keep_what_is_good(value: Any, prices: Any, told: list[tuple[str, str]]) -> None:
    assert read("prices", value) == (prices, False, told)


def test_the_last_of_two_rows_for_a_product_holds_even_when_it_is_bad() -> None:
    assert read("prices", {"NUT-500": 4, "nut-500": "x", "MIXED-500": 4})[0] == {"MIXED-500": 4.0}


@pytest.mark.parametrize(
    "value", [5, "high", {"S13": 4}, {"NUT-500": "x"}, {"NUT-500": {"hypermarket": 4}}, {"NUT-500": {"kiosk": 4}}]
)
def test_a_price_table_without_a_usable_price_is_unusable(value: Any) -> None:
    assert read("prices", value)[1]


def test_products_without_a_price_are_counted_in_one_event() -> None:
    notes = Notes()
    READERS["prices"].read(notes, {"NUT-500": 4, "MIXED-500": None})
    event = notes.events[-1]
    assert (event.code, event.field, event.n) == ("absent_price", "prices", 10)


@pytest.mark.parametrize(
    ("item", "kept", "told"),
    [
        ({"sku": "NUT-500", "quantity": 16_000}, {"sku": "NUT-500", "quantity": 16_000}, []),
        ({"sku": "NUT-500", "quantity": 0}, {"sku": "NUT-500", "quantity": 0}, []),
        (
            {"sku": "NUT-500", "quantity": 1, "distribution": None},
            {"sku": "NUT-500", "quantity": 1},
            [],
        ),
        (
            {"sku": "NUT-500", "quantity": 1, "distribution": {"grocery": "70%", "independent": 0.3}},
            {"sku": "NUT-500", "quantity": 1, "distribution": {"grocery": 0.7, "independent": 0.3}},
            [("number_text", "production[0].distribution.grocery")],
        ),
        (
            {"sku": "NUT-500", "quantity": 1, "distribution": {"grocery": 1, "hypermarket": 1, "independent": -1}},
            {"sku": "NUT-500", "quantity": 1, "distribution": {"grocery": 1.0}},
            [
                ("inactive_cell", "production[0].distribution.hypermarket"),
                ("out_of_range", "production[0].distribution.independent"),
            ],
        ),
        (
            {"sku": "NUT-500", "quantity": 1, "distribution": {"kiosk": 1}},
            {"sku": "NUT-500", "quantity": 1, "distribution": None},
            [("unknown_channel", "production[0].distribution.kiosk")],
        ),
        (
            {"sku": "NUT-500", "quantity": 1, "distribution": "even"},
            {"sku": "NUT-500", "quantity": 1, "distribution": None},
            [("wrong_type", "production[0].distribution")],
        ),
        ({"sku": "S13", "quantity": 1}, None, [("unknown_sku", "production[0].sku")]),
        ({"quantity": 1}, None, [("missing_field", "production[0].sku")]),
        ({"sku": "NUT-500"}, None, [("missing_field", "production[0].quantity")]),
        ({"sku": "NUT-500", "quantity": -5_000}, None, [("out_of_range", "production[0].quantity")]),
    ],
)
def test_a_production_item_is_kept_or_dropped(item: Any, kept: Any, told: list[tuple[str, str]]) -> None:
    value, unusable, events = read("production", [item])
    assert value == ([kept] if kept else [])
    assert unusable == (kept is None)
    assert events == told


@pytest.mark.parametrize(
    ("item", "kept", "told"),
    [
        ({"material": "oats", "quantity": 1_000}, {"material": "oats", "quantity": 1_000}, []),
        (
            {"material": "Oats", "quantity": "1,000", "vendor": "b", "day": 3},
            {"material": "oats", "quantity": 1_000, "vendor": "B", "day": 3},
            [
                ("alias", "purchase_orders[0].material"),
                ("number_text", "purchase_orders[0].quantity"),
                ("alias", "purchase_orders[0].vendor"),
            ],
        ),
        (
            {"material": "oats", "quantity": 1_000, "vendor": "C", "day": -1},
            {"material": "oats", "quantity": 1_000},
            [("unknown_vendor", "purchase_orders[0].vendor"), ("out_of_range", "purchase_orders[0].day")],
        ),
        (
            {"material": "oats", "quantity": 1_000, "day": 45, "vendor": None},
            {"material": "oats", "quantity": 1_000, "day": 45},
            [("null_not_given", "purchase_orders[0].vendor")],
        ),
        ({"material": "corn", "quantity": 1}, None, [("unknown_material", "purchase_orders[0].material")]),
    ],
)
def test_an_order_line_is_kept_or_dropped(item: Any, kept: Any, told: list[tuple[str, str]]) -> None:
    assert read("purchase_orders", [item]) == ([kept] if kept else [], kept is None, told)


@pytest.mark.parametrize(
    ("item", "kept", "told"),
    [
        ({"channel": "grocery", "amount": 0}, {"channel": "grocery", "amount": 0.0}, []),
        ({"channel": "grocery", "sku": None, "amount": 5}, {"channel": "grocery", "amount": 5.0}, []),
        (
            {"channel": "grocery", "sku": "nut 500", "amount": "20,000 EUR"},
            {"channel": "grocery", "sku": "NUT-500", "amount": 20_000.0},
            [("alias", "marketing[0].sku"), ("number_text", "marketing[0].amount")],
        ),
        ({"channel": "grocery", "sku": "S13", "amount": 5}, None, [("unknown_sku", "marketing[0].sku")]),
        ({"channel": "hypermarket", "sku": "NUT-500", "amount": 5}, None, [("inactive_cell", "marketing[0].sku")]),
        ({"channel": "grocery", "amount": -5}, None, [("out_of_range", "marketing[0].amount")]),
    ],
)
def test_a_marketing_item_is_kept_or_dropped(item: Any, kept: Any, told: list[tuple[str, str]]) -> None:
    assert read("marketing", [item]) == ([kept] if kept else [], kept is None, told)


@pytest.mark.parametrize(
    ("value", "finance", "unusable", "told"),
    [
        ({"borrow": 0, "dividend": 5}, {"borrow": 0.0, "dividend": 5.0}, False, []),
        ({}, {}, False, []),
        ({"borrow": None, "investments": None}, {}, False, [
            ("null_not_given", "finance.borrow"), ("null_not_given", "finance.investments"),
        ]),
        ({"repay": -1}, {}, True, [("out_of_range", "finance.repay")]),
        ({"repay": -1, "borrow": 1}, {"borrow": 1.0}, False, [("out_of_range", "finance.repay")]),
        ({"lend": 1}, {}, True, [("unknown_field", "finance.lend")]),
        ({"investments": []}, {"investments": []}, False, []),
        (
            {"investments": {"Capacity": 2_000, "rockets": 1}},
            {"investments": [{"kind": "capacity", "amount": 2_000}]},
            False,
            [
                ("object_for_list", "finance.investments"),
                ("alias", "finance.investments[0].kind"),
                ("unknown_kind", "finance.investments[1].kind"),
            ],
        ),
        ({"investments": [{"kind": "rockets", "amount": 1}]}, {"investments": []}, True, [
            ("unknown_kind", "finance.investments[0].kind"),
        ]),
        ([], {}, True, [("wrong_type", "finance")]),
    ],
)  # fmt: skip
def test_finance_keeps_what_is_good(value: Any, finance: Any, unusable: bool, told: list[tuple[str, str]]) -> None:
    assert read("finance", value) == (finance, unusable, told)


@pytest.mark.parametrize("section", ["production", "purchase_orders", "marketing"])
def test_a_list_of_nothing_asks_nothing_and_no_list_is_unusable(section: str) -> None:
    assert read(section, []) == ([], False, [])
    assert read(section, "none") == ([], True, [("wrong_type", section)])


def test_a_rationale_is_kept_as_text_whatever_it_is() -> None:
    notes = Notes()
    assert read_rationale(notes, "\ud800 why") == "? why"
    assert not any(notes.events)
    assert read_rationale(notes, ["a", 1]) == '["a",1]'
    assert [event.code for event in notes.events] == ["text"]
