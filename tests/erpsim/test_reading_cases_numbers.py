"""Siblings of the public cases G1-13 to G1-21: numbers that are none, of the wrong kind, or written as text."""

import json

import pytest

from erpsim.decision import Decision
from erpsim.number_text import NumberKind, read_number
from erpsim.parsing import Reading
from tests.erpsim.replies import codes, read, told

RUN = '{"sku": "MIXED-500", "quantity": 5}'
PLACES = [
    ('{"prices": {"NUT-500": ?, "MIXED-500": 4}}', "prices.NUT-500"),
    ('{"prices": {"NUT-500": {"grocery": ?, "independent": 4}}}', "prices.NUT-500.grocery"),
    ('{"production": [{"sku": "NUT-500", "quantity": ?}, ' + RUN + "]}", "production[0].quantity"),
    ('{"production": [' + RUN[:-1] + ', "distribution": {"grocery": ?}}]}', "production[0].distribution.grocery"),
    ('{"purchase_orders": [{"material": "oats", "quantity": 5, "day": ?}]}', "purchase_orders[0].day"),
    ('{"marketing": [{"channel": "grocery", "amount": ?}, {}], "finance": {"borrow": 5}}', "marketing[0].amount"),
    ('{"finance": {"dividend": ?, "borrow": 5}}', "finance.dividend"),
    ('{"finance": {"borrow": 5, "investments": [{"kind": "capacity", "amount": ?}]}}', "finance.investments[0].amount"),
]
ENDLESS = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "-1e999",
    "9" * 400,
    '"inf"',
    '"-Infinity"',
    '"NaN"',
    '"nan"',
    '"+inf"',
]


def dropped(template: str, place: str, value: str) -> tuple[Reading, str]:
    """The reading of a value put into a place, and the code of the one event of that place."""
    reading = read(template.replace("?", value))
    found = [event for event in reading.events if event.field == place and event.category == "item_dropped"]
    assert len(found) == 1, reading.events
    return reading, found[0].code


@pytest.mark.parametrize(("template", "place"), PLACES)
@pytest.mark.parametrize("value", ENDLESS)
def test_g1_13_siblings_what_is_not_finite_is_missing_in_every_place(template: str, place: str, value: str) -> None:
    reading, code = dropped(template, place, value)
    without = read(template.replace("?", "null"))
    assert code == "non_finite"
    assert reading.decision == without.decision
    assert reading.decision is not None
    json.dumps(reading.decision.model_dump(), allow_nan=False)


@pytest.mark.parametrize("value", ["NaN", "Infinity", '"NaN"', "[NaN]", '{"a": NaN}'])
def test_g1_13_siblings_what_is_not_finite_is_no_section_and_no_name(value: str) -> None:
    assert read(f'{{"prices": {value}, "finance": {{"borrow": 5}}}}').decision == Decision(finance={"borrow": 5.0})
    named = f'{{"production": [{{"sku": {value}, "quantity": 5}}], "finance": {{"borrow": 5}}}}'
    assert ("unknown_sku", "production[0].sku") in told(named)


def test_g1_13_siblings_a_section_of_nothing_finite_is_unusable() -> None:
    reading = read('{"prices": {"NUT-500": NaN, "MIXED-500": 1e999}, "finance": {"borrow": 5}}')
    assert reading.failure is not None
    assert 'prices.NUT-500 = "NaN": must be a finite number' in reading.failure.message


@pytest.mark.parametrize(("template", "place"), PLACES)
@pytest.mark.parametrize("value", ["true", "false", "[4]", '{"a": 4}', '"true"', '"four"', '""', '"-"', '"4 or 5"'])
def test_g1_15_siblings_no_other_type_is_a_number(template: str, place: str, value: str) -> None:
    if place == "prices.NUT-500" and value == '{"a": 4}':
        place = "prices.NUT-500.a"
    assert dropped(template, place, value)[1] in ("wrong_type", "not_a_number", "unknown_channel")


@pytest.mark.parametrize(("template", "place"), PLACES[2:])
@pytest.mark.parametrize("value", ["-1", "-0.5", "-1e300", '"-5"', '"\u22125"', '"- €5"'])
def test_g1_15_siblings_nothing_but_a_price_may_be_negative(template: str, place: str, value: str) -> None:
    assert dropped(template, place, value)[1] == "out_of_range"


@pytest.mark.parametrize("value", ["1e15", "1e300", "9" * 200, '"1e15"'])
def test_g1_15_siblings_a_count_beyond_all_counting_is_dropped(value: str) -> None:
    for template, place in (PLACES[2], PLACES[4], PLACES[7]):
        assert dropped(template, place, value)[1] == "out_of_range"


def test_g1_15_siblings_an_explicit_zero_and_a_negative_zero_are_zero() -> None:
    text = '{"finance": {"borrow": -0.0, "repay": 0}, "production": [{"sku": "NUT-500", "quantity": -0}]}'
    reading = read(text)
    assert codes(text) == []
    assert reading.decision is not None
    assert (reading.decision.finance.borrow, reading.decision.production[0].quantity) == (0.0, 0)


TWELVE_THOUSAND = ["12,000", "12 000", "12'000", "12’000", "12_000", "12\u00a0000", "12\u202f000", "12\u2009000", "12k"]
TWELVE_THOUSAND += [
    "12K",
    "1.2e4",
    "12e3",
    "12000 units",
    "12,000 kg",
    "€12,000",
    "12 000,00\u00a0€",
    "12.000,00",
    "+12000",
]


@pytest.mark.parametrize("text", TWELVE_THOUSAND)
def test_g1_17_siblings_twelve_thousand_is_read_and_told_however_it_is_written(text: str) -> None:
    for shown in (json.dumps(text), json.dumps(text, ensure_ascii=False), text):
        reading = read(
            f'{{"finance": {{"borrow": {shown}}}, "production": [{{"sku": "NUT-500", "quantity": {shown}}}]}}'
        )
        assert reading.decision is not None
        assert reading.decision.finance.borrow == 12_000
        assert reading.decision.production[0].quantity == 12_000
        assert not reading.clean


PRICE = ["4.20", "4,20", "$4.20", "4.20 €", "4,20\u00a0€", "EUR 4.20", "４.２０", "42e-1", "4.2 EUR"]


@pytest.mark.parametrize("text", PRICE)
def test_g1_17_siblings_a_price_is_read_and_told_however_it_is_written(text: str) -> None:
    reading = read(json.dumps({"prices": {"NUT-500": text}}))
    assert reading.decision is not None
    assert reading.decision.prices == {"NUT-500": 4.2}
    assert codes(json.dumps({"prices": {"NUT-500": text}})) == ["number_text"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("12.000", ("whole", "amount")),
        ("1,250", ("price", "share")),
        ("70%", ("whole", "amount", "price")),
        ("1,2,3", ("whole", "amount", "price", "share")),
        ("12,00,000", ("whole", "amount", "price", "share")),
        ("1 234 56", ("whole", "amount", "price", "share")),
        ("4.20-4.40", ("whole", "amount", "price", "share")),
        ("16*1000", ("whole", "amount", "price", "share")),
        ("1/2", ("whole", "amount", "price", "share")),
        ("5 %", ("price",)),
        ("twelve", ("whole", "amount", "price", "share")),
        ("12 thousand", ("whole", "amount", "price", "share")),
        ("0x10", ("whole", "amount", "price", "share")),
        ("(5)", ("whole", "amount", "price", "share")),
        ("≈12", ("whole", "amount", "price", "share")),
    ],
)
def test_g1_17_siblings_what_may_mean_two_things_is_no_number(text: str, kinds: tuple[NumberKind, ...]) -> None:
    assert {read_number(text, kind) for kind in kinds} == {None}


@pytest.mark.parametrize("bare", ["12,000", "12 000", "12'000", "$12000", "12k", "12000 units", "12.000,5", "+12000"])
def test_g1_17_siblings_a_bare_number_of_another_country_is_read_by_the_same_rule(bare: str) -> None:
    text = f'{{"production": [{{"sku": "NUT-500", "quantity": {bare}}}, {{"sku": "MIXED-500", "quantity": 5}}]}}'
    reading = read(text)
    assert reading.decision is not None
    assert [item.quantity for item in reading.decision.production] == [12_000, 5]
    assert codes(text)[:2] == ["bare_number", "number_text"]


@pytest.mark.parametrize("bare", ["16*1000", "4 20", "4.1-4.3", "1/2", "0x10", "4..2", "1e", "4;"])
def test_g1_17_siblings_a_bare_expression_is_never_cut_to_its_first_number(bare: str) -> None:
    text = f'{{"prices": {{"NUT-500": {bare}, "MIXED-500": 4}}}}'
    reading = read(text)
    assert reading.decision is not None
    assert reading.decision.prices == {"MIXED-500": 4.0}
    assert codes(text) == ["bare_number", "not_a_number"]


@pytest.mark.parametrize("marks", ["“”", "„“", "„”", "‟”", "““", "＂＂"])
def test_g1_19_siblings_typographic_quotes_of_any_country_are_read_outside_of_strings(marks: str) -> None:
    opening, closing = marks[0], marks[1]
    rationale = f"say {opening}so{closing} and {opening}no：{closing}"
    text = json.dumps({"prices": {"NUT-500": 4.2}, "rationale": rationale}, ensure_ascii=False)
    curly = text.replace('"prices"', f"{opening}prices{closing}").replace('"NUT-500"', f"{opening}NUT-500{closing}")
    reading = read(curly)
    assert reading.decision == Decision(prices={"NUT-500": 4.2}, rationale=rationale)
    assert codes(curly) == ["typographic"]


@pytest.mark.parametrize(
    "wide",
    [
        '{"marketing"： [{"channel": "grocery", "amount": 5}], "rationale": "kept： ，"}',
        '{"marketing": [{"channel": "grocery"，"amount": 5}]，"rationale": "kept： ，"}',
        '{"marketing": ［{"channel": "grocery", "amount": 5}］, "rationale": "kept： ，"}',
        '{"marketing": [｛"channel": "grocery", "amount": 5｝], "rationale": "kept： ，"}',
        '{"marketing": [{"channel": "grocery", "amount":５}], "rationale": "kept： ，"}',
    ],
)
def test_g1_19_siblings_full_width_marks_are_read_outside_of_strings(wide: str) -> None:
    marketing = [{"channel": "grocery", "amount": 5.0}]
    assert read(wide).decision == Decision(marketing=marketing, rationale="kept： ，")
    assert codes(wide) in (["typographic"], ["bare_number", "number_text"])


@pytest.mark.parametrize(
    "text",
    [
        "{‘prices’: {‘NUT-500’: 4.2}}",
        "{«prices»: {«NUT-500»: 4.2}}",
        '｛"prices"：｛｝｝',
        '{"prices”: {"NUT-500”: 4}}',
    ],
)
def test_g1_19_siblings_other_marks_are_recovered_or_refused_and_never_misread(text: str) -> None:
    reading = read(text)
    if reading.failure is None:
        assert reading.decision == Decision(prices={"NUT-500": 4.2})
        assert codes(text)
    else:
        assert reading.decision is None


@pytest.mark.parametrize(
    "text",
    ["1²", "²", "½", "1½", "٤", "١٢٠٠", "۱۲", "१२", "Ⅻ", "①", "12₀", "𝟙𝟚", "１２²", "一二", "XII", "12º", "៤", "٤٫٢"],
)
def test_g1_21_siblings_other_digits_are_no_numbers(text: str) -> None:
    assert {read_number(text, kind) for kind in ("whole", "amount", "price", "share")} == {None}
    for bare in (json.dumps(text), text):
        reply = f'{{"production": [{{"sku": "NUT-500", "quantity": {bare}}}, {{"sku": "MIXED-500", "quantity": 5}}]}}'
        reading = read(reply)
        kept = [] if reading.decision is None else [item.sku for item in reading.decision.production]
        assert kept in (["MIXED-500"], [])
        assert kept or reading.failure is not None


@pytest.mark.parametrize(
    ("text", "number"),
    [("１２００", 1200), ("－５", -5), ("１２，０００", 12_000), ("４．２", 4.2), ("＄４", 4), ("７k", 7000)],
)
def test_g1_21_siblings_full_width_digits_are_their_twins(text: str, number: float) -> None:
    assert read_number(text, "amount") == number
