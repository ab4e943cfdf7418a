"""The ladder from text to decision; the G1 cases are faults that people met in public, each by its id."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from erpsim.catalogue import ACTIVE, CHANNELS, MATERIALS, SKUS, VENDORS
from erpsim.decision import Decision, Finance, Investment, MarketingItem, ProductionItem, PurchaseOrder
from erpsim.investments import KINDS
from erpsim.parsing import Failure, Reading, read_arguments
from erpsim.tools import TOOLS
from tests.erpsim.replies import DECISION, FENCE, TEXT, D, read


def changed(**sections: Any) -> str:
    """D as text with sections changed; a section's own fields are merged into it."""
    merged = {name: {**D[name], **part} if isinstance(part, dict) else part for name, part in sections.items()}
    return json.dumps(D | merged)


def decided(text: str) -> Decision:
    reading = read(text)
    assert reading.failure is None, reading.failure
    assert reading.decision is not None
    return reading.decision


def told(text: str) -> list[tuple[str, str, str]]:
    """Category, code and field of each event."""
    return [(event.category, event.code, event.field) for event in read(text).events]


def failed(text: str | None, finish_reason: str | None = "stop", refusal: str | None = None) -> Failure:
    reading = read(text, finish_reason, refusal)
    assert reading.decision is None
    assert reading.failure is not None
    return reading.failure


def test_a_complete_decision_is_read_without_an_event() -> None:
    assert read(TEXT) == Reading(DECISION, (), None)
    assert read(TEXT).clean


def test_g1_01_backticks_in_a_string_and_an_empty_fence() -> None:
    rationale = f"see {FENCE}MIXED-500{FENCE} note"
    text = f"{FENCE}json\n{changed(rationale=rationale)}\n{FENCE}"
    assert decided(text) == DECISION.model_copy(update={"rationale": rationale})
    assert told(text) == [("parse_recovered", "fence", "")]
    assert failed(f"{FENCE}json\n{FENCE}").cause == "no_json"


def test_g1_03_a_draft_in_reasoning_never_reaches_the_market() -> None:
    text = f'<think>maybe {{"prices":{{"NUT-500":{{"grocery":0.01}}}}}}</think> {TEXT}'
    assert decided(text) == DECISION
    assert told(text) == [("parse_recovered", "reasoning", "")]
    assert decided(changed(rationale="I <think> so")).rationale == "I <think> so"
    assert decided(f"{FENCE}\n{changed(rationale='I <think> so')}\n{FENCE}").rationale == "I <think> so"


def test_g1_05_the_last_of_several_objects_wins_and_is_told() -> None:
    second = changed(prices={"NUT-500": {"grocery": 9.90}})
    text = f"{TEXT}\n{second}"
    assert decided(text).prices["NUT-500"] == {"grocery": 9.90}
    assert ("parse_recovered", "several_objects", "") in told(text)
    assert decided(f"{second}\n{TEXT}") == DECISION
    assert decided(f"{TEXT}\n}}") == DECISION
    assert told(f"{TEXT}\n}}") == [("parse_recovered", "prose", "")]


def test_g1_07_a_cut_reply_is_never_repaired() -> None:
    cut = TEXT[: TEXT.index("4.02") + 3]
    assert cut.endswith("4.0")
    for reason in ("length", "LENGTH", "max_tokens"):
        assert failed(cut, reason).cause == "truncated"
        assert failed(TEXT, reason).cause == "truncated"
    for unsaid in ("stop", None):
        assert failed(cut, unsaid).cause == "truncated"


def test_g1_09_a_trailing_comma_is_left_out_and_strings_stay() -> None:
    rationale = "cut {MIXED-500,} and [NUT-500,]"
    text = changed(rationale=rationale).replace('}, "production"', ',}, "production"')
    assert decided(text) == DECISION.model_copy(update={"rationale": rationale})
    assert told(text) == [("parse_recovered", "trailing_comma", "")]


@pytest.mark.parametrize("text", ["I would rather not decide this round.", "[]", "{hold}", "null", "0", '"hold"'])
def test_g1_11_hopeless_text_is_no_decision(text: str) -> None:
    assert failed(text).cause == "no_json"


def test_g1_13_what_is_not_finite_is_refused_and_counts_as_missing() -> None:
    text = changed(prices={"NUT-500": {"grocery": -1.5}, "MIXED-500": {"grocery": -2.5}})
    text = text.replace("-1.5", "NaN").replace("-2.5", "1e999")
    prices = decided(text).prices
    assert "NUT-500" not in prices
    assert "MIXED-500" not in prices
    assert told(text) == [
        ("item_dropped", "non_finite", "prices.NUT-500.grocery"),
        ("item_dropped", "non_finite", "prices.MIXED-500.grocery"),
    ]


def test_g1_15_signs_and_types_are_checked_field_by_field() -> None:
    text = json.dumps(
        {
            "prices": {"NUT-500": -4, "MIXED-500": 4},
            "production": [{"sku": "NUT-500", "quantity": -5_000}, {"sku": "MIXED-500", "quantity": 16_000}],
            "purchase_orders": [{"material": "oats", "quantity": -1}, {"material": "nuts", "quantity": 1_000}],
            "finance": {"dividend": -1e6, "borrow": 5},
        }
    )
    assert decided(text) == Decision(
        prices={"NUT-500": -4.0, "MIXED-500": 4.0},  # repair puts it into its band, with a record
        production=(ProductionItem(sku="MIXED-500", quantity=16_000),),
        purchase_orders=(PurchaseOrder(material="nuts", quantity=1_000),),
        finance=Finance(borrow=5.0),
    )
    assert [row for row in told(text) if row[1] != "absent_price"] == [
        ("item_dropped", "out_of_range", "production[0].quantity"),
        ("item_dropped", "out_of_range", "purchase_orders[0].quantity"),
        ("item_dropped", "out_of_range", "finance.dividend"),
    ]


def test_g1_17_numbers_as_text_are_read_by_one_rule() -> None:
    text = json.dumps(
        {
            "prices": {"NUT-500": "$4.20", "MIXED-500": "4,20", "NUT-1000": "1.234,56", "RAISIN-500": "1,000"},
            "production": {"NUT-500": "12,000", "MIXED-500": "12k", "NUT-1000": "12.000"},
        }
    )
    decision = decided(text)
    assert decision.prices == {"NUT-500": 4.2, "MIXED-500": 4.2, "NUT-1000": 1_234.56}
    assert [(item.sku, item.quantity) for item in decision.production] == [("NUT-500", 12_000), ("MIXED-500", 12_000)]
    coerced = [event for event in read(text).events if event.code == "number_text"]
    assert [(event.asked, event.granted) for event in coerced] == [
        ("$4.20", 4.2), ("4,20", 4.2), ("1.234,56", 1_234.56), ("12,000", 12_000), ("12k", 12_000)
    ]  # fmt: skip
    dropped = [event.field for event in read(text).events if event.code == "not_a_number"]
    assert dropped == ["prices.RAISIN-500", "production[2].quantity"]


def test_g1_19_curly_quotes_and_full_width_colons_are_recovered() -> None:
    curly = TEXT.replace('"prices"', "“prices”").replace('"NUT-500"', "“NUT-500”")
    wide = TEXT.replace('"prices":', '"prices"：')
    for text in (curly, wide):
        assert decided(text) == DECISION
        assert told(text) == [("parse_recovered", "typographic", "")]


def test_g1_21_full_width_digits_are_read_and_superscripts_are_not() -> None:
    text = json.dumps(
        {
            "prices": {"NUT-500": "４.２"},
            "production": {"NUT-500": "１２００", "MIXED-500": "1²"},
        }
    )
    decision = decided(text)
    assert decision.prices == {"NUT-500": 4.2}
    assert [(item.sku, item.quantity) for item in decision.production] == [("NUT-500", 1_200)]
    assert ("item_dropped", "not_a_number", "production[1].quantity") in told(text)


def test_g1_23_keys_are_matched_loosely_and_each_alias_is_told() -> None:
    text = '{"Prices":{"nut_500":{"Grocery":4.2}},"Purchase Orders":{"Oats":5000}}'
    decision = decided(text)
    assert decision.prices == {"NUT-500": {"grocery": 4.2}}
    assert decision.purchase_orders == (PurchaseOrder(material="oats", quantity=5_000),)
    assert sum(code == "alias" for _, code, _ in told(text)) == 5


@pytest.mark.parametrize("text", ["{}", '{"prises": {"NUT-500": 4}}', '{"rationale": "hold"}', '{"prices": null}'])
def test_g1_23_an_object_without_a_known_section_is_a_failure(text: str) -> None:
    failure = failed(text)
    assert failure.cause == "invalid"
    assert "prices, production, purchase_orders, marketing, finance" in failure.message


def test_g1_25_unknown_names_are_told_one_by_one_and_an_empty_section_fails() -> None:
    text = json.dumps(
        {
            "prices": {"S13": 4, "Cornflakes-L": {"grocery": 4}},
            "production": [{"sku": "S13", "quantity": 16_000}],
            "finance": {"borrow": 5},
        }
    )
    reading = read(text)
    assert [(event.code, event.field) for event in reading.events] == [
        ("unknown_sku", "prices.S13"),
        ("unknown_sku", "prices.Cornflakes-L"),
        ("unknown_sku", "production[0].sku"),
    ]
    assert reading.failure is not None
    assert reading.failure.cause == "invalid"
    message = reading.failure.message
    assert "no item of prices can be used (prices.S13: no such sku; prices.Cornflakes-L: no such sku);" in message
    assert 'no item of production can be used (production[0].sku = "S13": no such sku)' in message
    assert ", ".join(SKUS) in message
    assert reading.decision == Decision(finance=Finance(borrow=5.0))


def test_g1_25_a_decision_of_nothing_but_unknown_names_is_none_at_all() -> None:
    assert failed('{"prices": {"S13": 4}, "rationale": "why"}').cause == "invalid"


def test_a_long_list_of_faults_is_cut() -> None:
    text = json.dumps({"production": [{"sku": f"S{index}", "quantity": 1} for index in range(20)]})
    assert 'production[5].sku = "S5": no such sku and 14 more);' in failed(text).message


def test_g1_27_null_is_not_given_and_0_is_0() -> None:
    prices: dict[str, Any] = {sku: 4.0 for sku in SKUS if sku != "MIXED-500"} | {"NUT-500": {"grocery": None}}
    text = json.dumps({"prices": prices, "finance": None})
    assert told(text) == [
        ("value_coerced", "null_not_given", "prices.NUT-500.grocery"),
        ("value_coerced", "absent_price", "prices"),
        ("value_coerced", "null_not_given", "finance"),
    ]
    assert "MIXED-500" in read(text).events[1].cause
    zero = read('{"finance": {"borrow": 0}, "production": [{"sku": "NUT-500", "quantity": 0}]}')
    assert zero.clean
    assert zero.decision is not None
    assert zero.decision.production[0].quantity == 0


def test_g1_29_of_duplicate_keys_the_last_holds_and_each_is_told() -> None:
    text = '{"prices": {"NUT-500": {"grocery": 4.1}, "NUT-500": {"grocery": 9.9, "grocery": 8.8}}, "prices2": 1}'
    assert decided(text).prices == {"NUT-500": {"grocery": 8.8}}
    assert told(text)[:2] == [
        ("value_coerced", "duplicate_key", "prices.NUT-500"),
        ("value_coerced", "duplicate_key", "prices.NUT-500.grocery"),
    ]


def test_g1_31_no_content_is_classed_by_the_finish_reason() -> None:
    assert failed(None, "content_filter").cause == "content_filter"
    assert failed(None, "SAFETY").cause == "content_filter"
    assert failed(None, "stop").cause == "empty"
    assert failed(" \n\ufeff", None).cause == "empty"
    assert failed("<think>long</think>", "stop").cause == "empty"


def test_g1_33_a_refusal_is_one_at_once() -> None:
    failure = failed(None, "stop", "cannot help")
    assert failure == Failure("refusal", "the reply is a refusal: cannot help")
    assert failed(TEXT, "refusal").cause == "refusal"
    assert read(TEXT, "stop", " ").failure is None


@pytest.mark.parametrize("raw", ["", "   ", None, "null", {}, "{}", '"{}"', '""'])
def test_g1_35_no_arguments_are_no_arguments(raw: str | dict[str, Any] | None) -> None:
    assert read_arguments(raw, TOOLS[0].parameters) == {}


def test_g1_37_json_text_is_unwrapped_only_where_the_schema_wants_a_list_or_an_object() -> None:
    schema = {
        "type": "object",
        "properties": {
            "skus": {"type": "array"},
            "channel": {"type": "string"},
            "note": {"type": "string"},
            "plan": {"type": "object"},
        },
    }
    raw = json.dumps({"skus": '["S01","S02"]', "channel": "c1", "note": "42", "plan": '{"S01": 1}', "more": "[1]"})
    assert read_arguments(raw, schema) == {
        "skus": ["S01", "S02"], "channel": "c1", "note": "42", "plan": {"S01": 1}, "more": "[1]"
    }  # fmt: skip
    kept = {"skus": "{}", "plan": "[1", "channel": '["c1"]'}
    assert read_arguments(kept, schema) == kept
    assert read_arguments({"Skus": "[1]", "plan": '{"S01": NaN}'}, schema) == {"Skus": [1], "plan": '{"S01": NaN}'}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("[1]", "the arguments must be a JSON object, not a list"),
        ("7", "the arguments must be a JSON object, not a number"),
        ('{"a": 1', "the arguments are no JSON object: Expecting ',' delimiter near `{\"a\": 1⟨here⟩`"),
        ('"all"', "the arguments are no JSON object: Expecting value near `⟨here⟩all`"),
        ('{"a": [{"b": 1e999}]}', "the arguments hold a number that is not finite"),
    ],
)
def test_bad_arguments_are_told_and_never_repaired(raw: str, message: str) -> None:
    assert read_arguments(raw, {"type": "object"}) == Failure("invalid", message)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"decision": {TEXT}}}',
        f'{{"thoughts": {{"x": 1}}, "decision": {TEXT}}}',
        json.dumps({"name": "submit_decision", "arguments": TEXT}),
        json.dumps({"type": "function", "function": {"name": "submit_decision", "arguments": D}}),
    ],
)
def test_a_wrapped_decision_is_unwrapped(text: str) -> None:
    assert decided(text) == DECISION
    assert told(text) == [("parse_recovered", "wrapper", "")]


def test_of_several_wrapped_decisions_the_last_holds() -> None:
    text = json.dumps({"draft": {"prices": {}}, "note": "{no", "final": D})
    assert decided(text) == DECISION
    assert [code for _, code, _ in told(text)] == ["wrapper", "several_objects"]


def test_a_decision_wrapped_too_deep_is_not_looked_for() -> None:
    assert failed(f'{{"a": {{"b": {{"c": {{"d": {TEXT}}}}}}}}}').cause == "invalid"


def test_a_decision_in_tool_call_markup_is_found() -> None:
    text = f'<tool_call>{{"name": "submit_decision", "arguments": {TEXT}}}</tool_call>'
    assert decided(text) == DECISION


def test_a_surrogate_that_no_file_can_hold_is_replaced() -> None:
    decision = decided('{"prices": {"\\ud800": 1, "NUT-500": 4}, "rationale": "\\udfff!"}')
    assert decision.rationale == "?!"
    assert decision.model_dump_json()


@pytest.mark.parametrize(
    "text",
    [
        "{" * 10_000_000,
        "[" * 10_000_000,
        '"' * 10_000_000,
        "<" * 10_000_000,
        "<think " * 1_400_000,
        "x" * 10_000_000,
        " " * 5_000_000 + "{" + " " * 5_000_000,
        "{" + '"' * 499_000,
        "{" + "<think>" * 70_000,
        '{"prices": ' * 40_000,
        "{]" * 9_900 + "}" * 9_900,
        "{" * 8 + '"' * 9_900 + "}" * 8,
        '{"prices": {"NUT-500": ' + "9" * 10_000_000 + "}}",
        '{"\\"' * 100_000,
        "{" + '\\"' * 99_000 + "}",
        '{"' + '\\"' * 4_900_000,
        "{" + "„" * 9_000_000 + "}",
        "{" + "„" * 190_000 + "}",
        "{" + "“x" * 4_000_000 + "}",
        "{" + ", " * 4_000_000 + "}",
        "{" + ", " * 99_000 + "}",
        "{" + ":1,1" * 49_000 + "}",
        "{:" + "$" * 190_000 + "}",
        "{" + "{}" * 90_000 + "}}",
        "{}" * 50_000 + "}" * 50_000,
        "{}" + "'a" * 4_000_000 + "}",
        '{"' + "k" * 5_000_000 + '": {' + ", ".join(f'"{number}": 1' for number in range(200_000)) + "}}",
        '{"a": "' + "\\u0022" * 1_500_000 + '"}',
    ],
    ids=lambda text: f"{text[:12]}x{len(text)}",
)
def test_an_absurd_text_is_refused_in_bounded_work(text: str) -> None:
    """Each of these takes hours where anything grows with the square of the text."""
    message = failed(text).message
    assert message
    assert len(message) < 500


def test_a_decision_with_a_very_long_rationale_is_read_all_the_same() -> None:
    assert len(decided(changed(rationale="x" * 10_000_000)).rationale) == 10_000_000


_PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            TEXT, TEXT[:200], '{"prices":', '{"NUT-500":', '"production":', "[", "]", "{", "}", ",", ":", '"', "“", "”",
            "<think>", "</think>", FENCE, "4.2", "NaN", "1e999", "null", "\ud800", "\\",
            '"quantity"', '"sku"', "'", "/*", "//", "\n", '{"finance": {"borrow": "1,5"}}',
        ]
    ),
)  # fmt: skip


@given(st.lists(_PIECES, max_size=30).map("".join), st.sampled_from(["stop", None, "length", "tool_calls"]))
@example("[" * 5_000 + '{"prices"', "stop")
def test_any_text_is_read_without_an_exception_and_the_same_every_time(text: str, finish_reason: str | None) -> None:
    reading = read(text, finish_reason)
    assert reading == read(text, finish_reason)
    assert (reading.decision is None) <= (reading.failure is not None)
    if reading.decision is not None:
        assert reading.decision.model_dump_json()


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=8), st.sampled_from(SKUS)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=12,
)
_NAMES = st.sampled_from([*SKUS, *CHANNELS, *MATERIALS, *KINDS, "sku", "quantity", "kind", "amount", "x"])


@given(
    st.dictionaries(
        st.sampled_from(["prices", "production", "purchase_orders", "marketing", "finance", "rationale"]),
        st.one_of(
            _JSON, st.dictionaries(_NAMES, _JSON, max_size=5), st.lists(st.dictionaries(_NAMES, _JSON), max_size=3)
        ),
    )
)
def test_any_json_in_the_sections_is_read_without_an_exception(sections: dict[str, Any]) -> None:
    reading = read(json.dumps(sections))
    for event in reading.events:
        json.dumps([event.field, event.asked, event.granted, event.limit, event.cause], allow_nan=False).encode()


_CELLS = [(SKUS[j], [c for k, c in enumerate(CHANNELS) if ACTIVE[j, k]]) for j in range(len(SKUS))]
_AMOUNTS = st.floats(0, 1.7e308)
_PRICES = st.floats(0, 1.7e308, exclude_min=True)
_COUNTS = st.integers(0, 10**15 - 1)
_TABLES = st.fixed_dictionaries(
    {},
    optional={
        sku: st.one_of(_PRICES, st.dictionaries(st.sampled_from(channels), _PRICES, min_size=1))
        for sku, channels in _CELLS
    },
)
_RUNS = st.sampled_from(_CELLS).flatmap(
    lambda cell: st.builds(
        ProductionItem,
        sku=st.just(cell[0]),
        quantity=_COUNTS,
        distribution=st.none() | st.dictionaries(st.sampled_from(cell[1]), _AMOUNTS, min_size=1),
    )
)
_CAMPAIGNS = st.sampled_from(_CELLS).flatmap(
    lambda cell: st.builds(
        MarketingItem, channel=st.sampled_from(cell[1]), sku=st.sampled_from([None, cell[0]]), amount=_AMOUNTS
    )
)
_VALID = st.builds(
    Decision,
    prices=_TABLES,
    production=st.lists(_RUNS, max_size=4).map(tuple),
    purchase_orders=st.lists(
        st.builds(
            PurchaseOrder,
            material=st.sampled_from(MATERIALS),
            quantity=_COUNTS,
            vendor=st.sampled_from(VENDORS),
            day=_COUNTS,
        ),
        max_size=4,
    ).map(tuple),
    marketing=st.lists(_CAMPAIGNS, max_size=3).map(tuple),
    finance=st.builds(
        Finance,
        borrow=_AMOUNTS,
        repay=_AMOUNTS,
        dividend=_AMOUNTS,
        investments=st.lists(st.builds(Investment, kind=st.sampled_from(KINDS), amount=_COUNTS), max_size=3).map(tuple),
    ),
    rationale=st.text(),
)


@given(_VALID)
def test_a_decision_that_was_dumped_is_read_back_clean(decision: Decision) -> None:
    reading = read(decision.model_dump_json())
    assert reading.decision == decision
    assert reading.clean
