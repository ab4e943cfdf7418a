"""Siblings of the public cases G1-23 to G1-33: names, what is not given, what is given twice, and refusals."""

import json
from typing import Any

import pytest

from erpsim.catalogue import CHANNELS, MATERIALS, SKUS
from erpsim.decision import Decision
from erpsim.investments import KINDS
from tests.erpsim.replies import DRAFT, TEXT, codes, decided, failed, read, told

ORDERS = [{"material": "large_box", "quantity": 5000}]


@pytest.mark.parametrize(
    "key",
    ["purchaseOrders", "PurchaseOrders", "PURCHASE ORDERS", "purchase-orders", "Purchase_Orders", " purchase orders "],
)
def test_g1_23_siblings_a_section_is_known_in_any_case_and_spelling(key: str) -> None:
    text = json.dumps({key: ORDERS})
    assert decided(text) == Decision(purchase_orders=ORDERS)
    assert told(text) == [("alias", "purchase_orders")]


@pytest.mark.parametrize("name", ["Large Box", "largeBox", "LARGE-BOX", "large–box", "large\u00a0box", "largebox"])
def test_g1_23_siblings_a_name_is_known_in_any_case_and_spelling(name: str) -> None:
    text = json.dumps({"purchase_orders": [{"Material": name, "QUANTITY": 5000, "Vendor": "b"}]})
    assert decided(text) == Decision(purchase_orders=[{**ORDERS[0], "vendor": "B"}])
    assert codes(text) == ["alias"] * 5


@pytest.mark.parametrize(
    "key",
    ["price", "prіces", "рrices", "prices\u200b", "ｐｒｉｃｅｓ", "Preise", "prices:", "pricing", "price_list"],
)
def test_g1_23_siblings_another_word_or_another_alphabet_is_no_section(key: str) -> None:
    alone = json.dumps({key: {"NUT-500": 4.2}}, ensure_ascii=False)
    failure = failed(alone)
    assert failure.cause == "invalid"
    assert "prices, production, purchase_orders, marketing, finance" in failure.message
    beside = json.dumps({key: {"NUT-500": 4.2}, "finance": {"borrow": 5}}, ensure_ascii=False)
    assert decided(beside) == Decision(finance={"borrow": 5.0})
    assert told(beside) == [("unknown_field", key)]


@pytest.mark.parametrize(
    ("prices", "code"),
    [
        ([{"sku": "NUT-500", "price": 4.2}], "list_for_object"),
        ([{"SKU": "NUT-500", "Price": "4,20"}], "list_for_object"),
        ([{"sku": "NUT-500", "price": {"grocery": 4.2, "independent": 4.2}}], "list_for_object"),
        (json.dumps({"NUT-500": 4.2}), "json_text"),
        (json.dumps([{"sku": "NUT-500", "price": 4.2}]), "json_text"),
    ],
)
def test_g1_23_siblings_prices_of_another_shape_are_read_and_told(prices: Any, code: str) -> None:
    text = json.dumps({"prices": prices})
    assert decided(text).prices in ({"NUT-500": 4.2}, {"NUT-500": {"grocery": 4.2, "independent": 4.2}})
    assert codes(text)[0] == code


@pytest.mark.parametrize(
    ("section", "given", "read_as"),
    [
        ("production", {"NUT-500": 16000}, [{"sku": "NUT-500", "quantity": 16000}]),
        ("production", {"sku": "NUT-500", "quantity": 16000}, [{"sku": "NUT-500", "quantity": 16000}]),
        ("production", {"run 1": {"sku": "NUT-500", "quantity": 16000}}, [{"sku": "NUT-500", "quantity": 16000}]),
        ("purchase_orders", {"oats": {"quantity": 5000, "day": 3}}, [{"material": "oats", "quantity": 5000, "day": 3}]),
        ("marketing", {"grocery": 5}, [{"channel": "grocery", "amount": 5.0}]),
        ("marketing", '[{"channel": "grocery", "amount": 5}]', [{"channel": "grocery", "amount": 5.0}]),
    ],
)
def test_g1_23_siblings_a_list_of_another_shape_is_read_and_told(section: str, given: Any, read_as: Any) -> None:
    text = json.dumps({section: given})
    assert decided(text) == Decision.model_validate({section: read_as})
    assert codes(text)[0] in ("object_for_list", "json_text")


UNKNOWN: list[tuple[str, Any, tuple[str, ...]]] = [
    ("prices", {"Cornflakes": 4, "NUT": 4}, SKUS),
    ("prices", {"NUT-500": {"kiosk": 4, "online": 5}}, CHANNELS),
    ("prices", {"NUT-500": {"hypermarket": 4}}, CHANNELS),
    ("prices", {"grocery": {"NUT-500": 4}}, SKUS),
    ("prices", "as before", SKUS),
    ("prices", [{"sku": "S13", "price": 4}], SKUS),
    ("production", [{"sku": "S13", "quantity": 5}, {"sku": "", "quantity": 5}], SKUS),
    ("production", ["NUT-500: 16000", "MIXED-500: 16000"], SKUS),
    ("production", {"S13": 16000}, SKUS),
    ("production", 16000, SKUS),
    ("purchase_orders", [{"material": "corn", "quantity": 5}], MATERIALS),
    ("purchase_orders", [{"item": "oats", "qty": 5}], MATERIALS),
    ("marketing", [{"channel": "tv", "amount": 5}], CHANNELS),
    ("marketing", {"hypermarket": {"NUT-500": 5}}, CHANNELS),
    ("finance", {"investments": [{"kind": "rockets", "amount": 1}]}, KINDS),
    ("finance", {"borrow": "much", "investments": []}, KINDS),
    ("finance", {"loan": 5}, ("borrow", "repay", "dividend", "investments")),
]


@pytest.mark.parametrize(("section", "given", "valid"), UNKNOWN)
def test_g1_25_siblings_a_section_of_unknown_names_only_fails_with_the_valid_ones(
    section: str, given: Any, valid: tuple[str, ...]
) -> None:
    kept = {"finance": {"borrow": 5}} if section != "finance" else {"prices": {"NUT-500": 4}}
    reading = read(json.dumps({section: given, **kept}))
    assert reading.failure is not None
    assert reading.failure.cause == "invalid"
    assert reading.failure.message.startswith(f"no item of {section} can be used (")
    assert all(name in reading.failure.message for name in valid)
    assert reading.decision == Decision.model_validate(kept)
    assert [event.category for event in reading.events if event.code != "absent_price"].count("item_dropped") >= 1
    assert failed(json.dumps({section: given})).message == reading.failure.message


def test_g1_25_siblings_one_record_for_each_name_that_is_dropped_and_the_good_ones_stay() -> None:
    text = json.dumps({"prices": {"S13": 4, "NUT-500": 4, "X": 5}, "production": [{"sku": "S13"}, {"sku": "S14"}, RUN]})
    assert told(text) == [
        ("unknown_sku", "prices.S13"),
        ("unknown_sku", "prices.X"),
        ("unknown_sku", "production[0].sku"),
        ("unknown_sku", "production[1].sku"),
    ]
    assert decided(text) == Decision(prices={"NUT-500": 4.0}, production=[RUN])


RUN = {"sku": "NUT-500", "quantity": 16000}


@pytest.mark.parametrize(
    ("sections", "place"),
    [
        ({"prices": None, "production": [RUN]}, "prices"),
        ({"prices": {"MIXED-500": None}, "production": [RUN]}, "prices.MIXED-500"),
        ({"prices": {"MIXED-500": {"grocery": None}}, "production": [RUN]}, "prices.MIXED-500.grocery"),
        ({"production": [RUN], "rationale": None}, "rationale"),
        ({"production": [None, RUN]}, "production[0]"),
        ({"production": [RUN], "purchase_orders": None}, "purchase_orders"),
        ({"production": [RUN], "marketing": [None]}, "marketing[0]"),
        ({"production": [RUN], "finance": {"borrow": None}}, "finance.borrow"),
        ({"production": [RUN], "finance": {"investments": None}}, "finance.investments"),
        ({"production": [RUN], "finance": {"investments": [None]}}, "finance.investments[0]"),
        ({"production": {"NUT-500": 16000, "MIXED-500": None}}, "production[1]"),
    ],
)
def test_g1_27_siblings_null_is_not_given_in_every_place_and_told(sections: Any, place: str) -> None:
    text = json.dumps(sections)
    assert decided(text) == Decision(production=[RUN])
    assert ("null_not_given", place) in told(text)
    assert "item_dropped" not in [event.category for event in read(text).events]


def test_g1_27_siblings_null_of_an_optional_field_is_the_default() -> None:
    order = {"material": "oats", "quantity": 5000, "vendor": None, "day": None}
    text = json.dumps({"purchase_orders": [order]})
    assert decided(text) == Decision(purchase_orders=[{"material": "oats", "quantity": 5000}])
    assert told(text) == [("null_not_given", f"purchase_orders[0].{name}") for name in ("vendor", "day")]
    asked = {
        "production": [{**RUN, "distribution": None}],
        "marketing": [{"channel": "grocery", "sku": None, "amount": 5}],
    }
    assert read(json.dumps(asked)).clean  # the schema says that these may be null


@pytest.mark.parametrize(
    "text", ['{"prices": null}', '{"prices": null, "finance": null}', '{"finance": null, "rationale": "x"}']
)
def test_g1_27_siblings_nothing_but_null_is_no_decision(text: str) -> None:
    assert failed(text).cause == "invalid"


@pytest.mark.parametrize("name", ["sku", "quantity"])
def test_g1_27_siblings_null_where_an_item_needs_a_value_drops_the_item(name: str) -> None:
    reading = read(json.dumps({"production": [{**RUN, name: None}, RUN]}))
    assert reading.decision == Decision(production=[RUN])
    assert [(event.code, event.field) for event in reading.events] == [("missing_field", f"production[0].{name}")]


def test_g1_27_siblings_an_empty_row_is_a_product_without_a_price() -> None:
    events = read('{"prices": {"NUT-500": {}, "MIXED-500": 4}}').events
    assert [(event.code, event.n) for event in events] == [("absent_price", 11)]
    assert "NUT-500" in events[0].cause


SKU_AT_5 = {"prices": {"NUT-500": 5.0}}
CELL_AT_5 = {"prices": {"NUT-500": {"grocery": 5.0}}}
TWO = {"production": [{"sku": "NUT-500", "quantity": 2}]}
BORROW = {"finance": {"borrow": 2.0}}


@pytest.mark.parametrize(
    ("text", "decision", "place"),
    [
        ('{"prices": {"NUT-500": 4}, "prices": {"NUT-500": 5}}', SKU_AT_5, "prices"),
        ('{"prices": {"NUT-500": 4}, "Prices": {"NUT-500": 5}}', SKU_AT_5, "prices"),
        ('{"prices": {"NUT-500": 4, "nut_500": 5}}', SKU_AT_5, "prices.NUT-500"),
        ('{"prices": {"NUT-500": {"grocery": 4, "grocery": 5}}}', CELL_AT_5, "prices.NUT-500.grocery"),
        ('{"prices": {"NUT-500": {"grocery": 4, "GROCERY": 5}}}', CELL_AT_5, "prices.NUT-500.grocery"),
        ('{"production": [{"sku": "NUT-500", "quantity": 1, "quantity": 2}]}', TWO, "production[0].quantity"),
        ('{"production": [{"sku": "NUT-500", "quantity": 1, "Quantity": 2}]}', TWO, "production[0].quantity"),
        ('{"finance": {"borrow": 1, "borrow": 2}}', BORROW, "finance.borrow"),
        ('{"decision": {"finance": {"borrow": 1, "borrow": 2}}}', BORROW, "finance.borrow"),
        ('{"prices": {"NUT-500": 4, "NUT-500": 5,}}', SKU_AT_5, "prices.NUT-500"),
        ('{"prices": [{"sku": "NUT-500", "price": 4}, {"sku": "NUT-500", "price": 5}]}', SKU_AT_5, "prices.NUT-500"),
    ],
)
def test_g1_29_siblings_of_two_values_for_one_key_the_last_holds_and_it_is_told(
    text: str, decision: dict[str, Any], place: str
) -> None:
    assert decided(text) == Decision.model_validate(decision)
    assert ("duplicate_key", place) in told(text)


@pytest.mark.parametrize(
    "text", ["{'prices': {'NUT-500': 4, 'NUT-500': 5}}", "{prices: {'NUT-500': 5}, 'finance': {}, 'finance': {}}"]
)
def test_g1_29_siblings_a_key_given_twice_in_a_damaged_object_is_told(text: str) -> None:
    assert decided(text).prices == {"NUT-500": 5.0}
    assert codes(text) == ["lexical_repair", "duplicate_key"]


def test_g1_29_siblings_two_runs_of_one_product_are_no_duplicates() -> None:
    text = json.dumps({"production": [RUN, RUN], "purchase_orders": [*ORDERS, *ORDERS]})
    assert len(decided(text).production) == 2
    assert codes(text) == []


FILTERS = [
    "content_filter",
    "SAFETY",
    "FinishReason.SAFETY",
    "RECITATION",
    "PROHIBITED_CONTENT",
    "guardrail_intervened",
]


@pytest.mark.parametrize("reason", FILTERS)
@pytest.mark.parametrize("text", [None, "", TEXT, TEXT[:80]])
def test_g1_31_siblings_what_a_filter_withheld_is_told_by_the_finish_reason(text: str | None, reason: str) -> None:
    assert failed(text, reason).cause == "content_filter"


CAUSES = {"length": "truncated", "stop": "empty", None: "empty", "tool_calls": "empty", "refusal": "refusal"}


@pytest.mark.parametrize(("reason", "cause"), [*CAUSES.items(), ("error", "truncated")])
@pytest.mark.parametrize("text", [None, "", " \n"])
def test_g1_31_siblings_no_content_is_classed_by_the_finish_reason(
    text: str | None, reason: str | None, cause: str
) -> None:
    assert failed(text, reason).cause == cause


@pytest.mark.parametrize(
    ("text", "reason", "refusal"),
    [
        (None, "stop", "no"),
        (TEXT, "stop", "no"),
        (None, "refusal", None),
        (TEXT, "Refusal", ""),
        (DRAFT, "length", "no"),
        (None, None, "\u200bno"),
    ],
)
def test_g1_33_siblings_a_refusal_by_field_or_by_finish_reason_is_one(
    text: str | None, reason: str | None, refusal: str | None
) -> None:
    assert failed(text, reason, refusal).cause == "refusal"


def test_g1_33_siblings_a_long_refusal_is_cut_in_the_message_and_a_blank_one_is_none() -> None:
    assert len(failed(None, "stop", "no " * 5_000).message) < 300
    assert read(TEXT, "stop", "").clean
    assert read(TEXT, "stop", " \n").clean


def test_g1_33_siblings_a_decision_that_speaks_of_refusing_is_a_decision() -> None:
    assert decided(json.dumps({"finance": {"borrow": 0}, "rationale": "I refuse to borrow"})).finance.borrow == 0
