"""The plain form of a decision is read at once, and just as the ladder reads it."""

import json
from typing import Any

import pytest

from erpsim.catalogue import SKUS
from erpsim.field_reading import ITEM_LIMIT, WHOLE_LIMIT
from erpsim.plain_reading import read_plain
from tests.erpsim.replies import TEXT, D, read

ZERO_WIDTH = "\u200b"
"""What the ladder strips from a text's end, and no JSON allows there."""

RUN = {"sku": "NUT-500", "quantity": 32000}
ORDER = {"material": "oats", "quantity": 6000}
ADVERTISING = {"channel": "grocery", "amount": 500}
STEP = {"kind": "capacity", "amount": 1000}

PLAIN: list[dict[str, Any]] = [
    D,
    {"prices": dict.fromkeys(SKUS, 4)},
    {"prices": {}},
    {"prices": {"NUT-1000": {"grocery": 5, "hypermarket": -0.0}}, "rationale": 'a "plain"\n\ttext: é'},
    {"production": [RUN, {**RUN, "distribution": None}, {**RUN, "distribution": {"independent": 1}}]},
    {"production": [], "purchase_orders": [ORDER, {**ORDER, "vendor": "B", "day": 28}]},
    {"purchase_orders": [ORDER] * ITEM_LIMIT},
    {"marketing": [ADVERTISING, {**ADVERTISING, "sku": None}, {**ADVERTISING, "sku": "NUT-500"}]},
    {"finance": {}},
    {"finance": {"borrow": 1.5, "repay": 0, "dividend": 2, "investments": [STEP]}},
]

OTHERWISE: list[Any] = [
    [],
    {},
    {"rationale": "nothing"},
    {"decision": {"prices": {}}},
    {"Prices": {}},
    {"prices": None},
    {"finance": {}, "rationale": None},
    {"prices": []},
    {"prices": {"nut_500": 4}},
    {"prices": {"NUT-500": {}}},
    {"prices": {"NUT-500": {"hypermarket": 4}}},
    {"prices": {"NUT-500": {"grocery": "4.10"}}},
    {"prices": {"NUT-500": True}},
    {"prices": {"NUT-500": -1}},
    {"prices": {"NUT-500": WHOLE_LIMIT}},
    {"production": RUN},
    {"production": [None]},
    {"production": [{**RUN, "colour": 1}]},
    {"production": [{**RUN, "sku": ["NUT-500"]}]},
    {"production": [{**RUN, "quantity": 32000.0}]},
    {"production": [{"sku": "NUT-500"}]},
    {"production": [{**RUN, "distribution": [0.5]}]},
    {"production": [{**RUN, "distribution": {}}]},
    {"production": [{**RUN, "distribution": {"hypermarket": 1}}]},
    {"purchase_orders": [ORDER] * (ITEM_LIMIT + 1)},
    {"purchase_orders": [{**ORDER, "vendor": None}]},
    {"purchase_orders": [{**ORDER, "day": -1}]},
    {"marketing": [{**ADVERTISING, "amount": None}]},
    {"marketing": [{**ADVERTISING, "channel": "kiosk"}]},
    {"marketing": [{**ADVERTISING, "sku": "NUT-750"}]},
    {"marketing": [{**ADVERTISING, "sku": "NUT-1000", "channel": "independent"}]},
    {"finance": []},
    {"finance": {"lend": 1}},
    {"finance": {"borrow": None}},
    {"finance": {"investments": None}},
    {"finance": {"investments": [{**STEP, "name": "line"}]}},
    {"finance": {"investments": [{**STEP, "kind": "land"}]}},
]


@pytest.mark.parametrize("value", PLAIN)
def test_a_plain_decision_is_read_as_the_ladder_reads_it(value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    reading = read_plain(text)
    assert reading is not None
    assert reading.clean
    assert reading == read(text + ZERO_WIDTH) == read(text)
    assert reading.decision is not None
    assert reading.decision.model_fields_set == value.keys()


@pytest.mark.parametrize("value", OTHERWISE)
def test_any_other_form_is_left_to_the_ladder(value: Any) -> None:
    text = json.dumps(value)
    assert read_plain(text) is None
    assert read(text) == read(text + ZERO_WIDTH)


@pytest.mark.parametrize(
    "text",
    [
        TEXT + ZERO_WIDTH,
        f"```json\n{TEXT}\n```",
        TEXT[:-1],
        '{"prices": {"NUT-500": 4, "NUT-500": 5}}',
        '{"prices": {"NUT-500": NaN}}',
        '{"prices": {"NUT-500": 1e999}}',
        '{"prices": {"NUT-500": 4, "NUT-500": 5}, "rationale": "\\u0022\\u0022"}',
        '{"prices": {"NUT-500": 4}, "rationale": "\\ud800"}',
    ],
)
def test_what_is_no_json_or_loses_something_is_left_to_the_ladder(text: str) -> None:
    assert read_plain(text) is None
    assert read(text) == read(text + ZERO_WIDTH)
