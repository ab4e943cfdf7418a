"""What a model is told when its answer cannot be used: the place, the value, what is valid, and never at length."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.catalogue import CHANNELS, MATERIALS, SKUS
from erpsim.parsing import read_decision
from tests.erpsim.replies import FENCE, TEXT, failed

LONGEST = 4_000
"""Characters of any message; about a thousand tokens."""


AGAIN = "; send it whole, and shorter"
DAMAGED = '{"prices": {"a" 1 2 3}}'
NO_JSON = """the object is no valid JSON: Expecting ':' delimiter near `{"prices": {"a" ⟨here⟩1 2 3}}`"""
NO_SECTION = (
    "the object has no known section; give at least one of prices, production, purchase_orders, marketing, finance"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the reply is empty; answer with one JSON object"),
        ("I hold.", "there is no JSON object in the reply; answer with one JSON object"),
        ("<think>I hold.", "there is no text outside of the reasoning; answer with one JSON object after it"),
        ("{}", NO_SECTION),
        (DAMAGED, NO_JSON),
        (f"So: {FENCE}json\n{DAMAGED}\n{FENCE} and so on", NO_JSON),
        (
            '{"prices": {"NUT-500": 4.',
            'the JSON object breaks off before it is closed, at `{"prices": {"NUT-500": 4.⟨here⟩`' + AGAIN,
        ),
        (
            '{"prices": {}}, "marketing": []}',
            'the object is closed too early, by a bracket too many, near `{"prices": {}}⟨here⟩, "marketing": []}`',
        ),
        ("{" * 70 + "}" * 70, "the object is no valid JSON: nested deeper than 64 levels"),
        ("{}" * 100_001, "the reply is no JSON, and has too many brackets and quotes to be searched"),
    ],
)
def test_a_text_that_is_no_decision_is_told_what_is_wrong_and_where(text: str, message: str) -> None:
    assert failed(text).message == message


@pytest.mark.parametrize(
    ("reason", "refusal", "message"),
    [
        ("length", None, "the reply was cut off at its token limit; answer with the JSON object alone"),
        ("network_error", None, "the reply was broken off (network_error); answer with the JSON object alone"),
        ("refusal", None, "the reply is a refusal"),
        ("stop", "cannot", "the reply is a refusal: cannot"),
        ("content_filter", None, "the reply was withheld by the server's content filter"),
    ],
)
def test_a_reply_that_ended_badly_is_told_why(reason: str, refusal: str | None, message: str) -> None:
    assert failed(TEXT, reason, refusal).message == message


ORDERS = [{"material": "oats", "quantity": "12.000"}]
CAMPAIGNS = [{"channel": "grocery", "amount": "x" * 99}]


@pytest.mark.parametrize(
    ("section", "value", "faults"),
    [
        ("prices", {"S13": 4}, "prices.S13: no such sku"),
        ("prices", {"NUT-500": "cheap"}, 'prices.NUT-500 = "cheap": is no price, or an ambiguous one'),
        ("prices", {"NUT-500": True}, "prices.NUT-500 = true: must be a number"),
        ("prices", {"NUT-500": [4, 5]}, "prices.NUT-500 = [4,5]: must be a number"),
        ("prices", {"NUT-500": {"hypermarket": 4}}, "prices.NUT-500.hypermarket = 4: hypermarket does not sell"),
        ("prices", 4, "prices = 4: must be an object of prices by SKU"),
        ("production", [{"sku": "S13", "quantity": 5}], 'production[0].sku = "S13": no such sku'),
        ("production", [{"sku": "NUT-500"}], "production[0].quantity: the item is nothing without it"),
        ("production", [{"sku": "NUT-500", "quantity": -5}], "production[0].quantity = -5: must not be below 0"),
        ("production", ["NUT-500"], 'production[0] = "NUT-500": must be an object with sku, quantity, distribution'),
        ("production", "none", 'production = "none": must be a list of objects'),
        ("purchase_orders", ORDERS, 'purchase_orders[0].quantity = "12.000": is no whole number, or an ambiguous one'),
        ("marketing", CAMPAIGNS, f'marketing[0].amount = "{"x" * 59}…: is no amount, or an ambiguous one'),
        ("finance", {"loan": 5}, "finance.loan = 5: no such field"),
        ("finance", {"borrow": 1e400}, 'finance.borrow = "Infinity": must be a finite number'),
        ("finance", {"borrow": -1, "repay": -2}, "finance.borrow = -1: must not be below 0; finance.repay = -2: must"),
    ],
)
def test_a_section_that_cannot_be_used_is_told_place_value_and_fault(section: str, value: Any, faults: str) -> None:
    assert failed(json.dumps({section: value})).message.startswith(f"no item of {section} can be used ({faults}")


VALID = {
    "prices": SKUS,
    "production": SKUS,
    "purchase_orders": MATERIALS,
    "marketing": CHANNELS,
    "finance": ("borrow",),
}


def test_each_section_that_cannot_be_used_is_told_with_what_is_valid() -> None:
    message = failed(json.dumps(dict.fromkeys(VALID, "none"))).message
    parts = message.split(". no item of ")
    assert len(parts) == len(VALID)
    for part, (section, names) in zip(parts, VALID.items(), strict=True):
        assert section in part
        assert all(name in part for name in names)
    assert len(message) < LONGEST


def test_only_the_first_faults_are_spelled_out() -> None:
    many = json.dumps({"prices": {f"S{index}": 4 for index in range(150)}})
    assert "prices.S5: no such sku and 144 more); prices are numbers above 0" in failed(many).message


_LONG = st.sampled_from(
    ["x" * 5_000, '"' * 300, "\\" * 400, "\ud800" * 300, "é" * 500, "\n" * 300, "{" * 60, "NUT-500"]
)
_VALUES = st.one_of(
    _LONG, st.lists(_LONG, max_size=9), st.dictionaries(_LONG, _LONG, max_size=9), st.floats(), st.none()
)


@given(
    st.dictionaries(
        st.sampled_from([*VALID, "rationale", "x" * 999]), st.one_of(_VALUES, st.lists(_VALUES, max_size=9))
    )
)
def test_no_message_is_long_and_each_can_be_sent(sections: dict[str, Any]) -> None:
    for text in (json.dumps(sections), json.dumps(sections)[:-9], str(sections)):
        failure = read_decision(text, "stop").failure
        if failure is not None:
            assert 0 < len(failure.message) < LONGEST
            failure.message.encode()
