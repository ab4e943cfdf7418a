"""The kind behind G1-05, G1-07, G1-09 and G1-11: one mark of a decision lost, doubled or mistaken.

Whatever the damage: what is decided all the same is what the undamaged text says, or it is missing and an event or a
failure tells so. A guess is never played.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.decision import Decision
from tests.erpsim.replies import read

WHOLE: dict[str, Any] = {
    "prices": {"NUT-500": {"grocery": 4.25, "independent": 4.5}, "MIXED-500": 3.75, "NUT-1000": {"hypermarket": 5.25}},
    "production": [
        {"sku": "NUT-500", "quantity": 16000, "distribution": {"grocery": 0.25, "independent": 0.75}},
        {"sku": "MIXED-500", "quantity": 17000},
    ],
    "purchase_orders": [{"material": "oats", "quantity": 21000, "vendor": "B", "day": 3}],
    "marketing": [{"channel": "grocery", "sku": None, "amount": 1234.5}],
    "finance": {"borrow": 5000, "repay": 100, "dividend": 7, "investments": [{"kind": "capacity", "amount": 2000}]},
    "rationale": "raise by 5% since it's good, see [1] and {x}: ok",
}
MISTAKEN = {"{": "[", "}": "]", "[": "{", "]": "}", ",": ":", ":": ",", '"': "'", "'": '"'}


def leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Each value of a decision by its place; items of a list stand by the name that they are of."""
    if isinstance(value, dict):
        return {place: leaf for key, part in value.items() for place, leaf in leaves(part, (*path, key)).items()}
    if isinstance(value, list | tuple):
        named = [(str(next(iter(part.values()))), part) for part in value]
        return {place: leaf for name, part in named for place, leaf in leaves(part, (*path, name)).items()}
    return {path: value}


def said(decision: Decision) -> dict[tuple[str, ...], Any]:
    """What a decision says of its own accord; its rationale decides nothing."""
    given = leaves(decision.model_dump(exclude_defaults=True))
    return {place: leaf for place, leaf in given.items() if place[0] != "rationale" and leaf is not None}


SAID = said(Decision.model_validate(WHOLE))


def check(text: str) -> None:
    reading = read(text)
    if reading.decision is None:
        assert reading.failure is not None
        return
    heard = said(reading.decision)
    assert heard.items() <= SAID.items()
    if heard.keys() < SAID.keys():
        assert reading.failure or any(event.category == "item_dropped" for event in reading.events)
    if text != json.dumps(WHOLE):
        assert not reading.clean or heard == SAID


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("damage", ["lost", "doubled", "mistaken"])
def test_g1_09_siblings_no_mark_that_is_lost_doubled_or_mistaken_makes_another_decision(
    indent: int | None, damage: str
) -> None:
    text = json.dumps(WHOLE, indent=indent)
    for place, mark in enumerate(text):
        if mark in MISTAKEN:
            instead = {"lost": "", "doubled": mark * 2, "mistaken": MISTAKEN[mark]}[damage]
            check(text[:place] + instead + text[place + 1 :])


@given(st.data())
def test_g1_09_siblings_no_two_marks_that_are_damaged_make_another_decision(data: st.DataObject) -> None:
    text = json.dumps(WHOLE)
    places = [place for place, mark in enumerate(text) if mark in MISTAKEN]
    for place in sorted(data.draw(st.sets(st.sampled_from(places), min_size=2, max_size=3)), reverse=True):
        instead = data.draw(st.sampled_from(["", text[place] * 2, MISTAKEN[text[place]]]))
        text = text[:place] + instead + text[place + 1 :]
    reading = read(text)
    if reading.decision is not None:
        assert said(reading.decision).items() <= SAID.items()
        assert said(reading.decision) == SAID or not reading.clean


@pytest.mark.parametrize("finish_reason", [None, "stop", "tool_calls"])
def test_g1_07_siblings_no_beginning_of_a_decision_is_another_decision(finish_reason: str | None) -> None:
    text = json.dumps(WHOLE)
    for end in range(1, len(text) - 1):
        decision = read(text[:end], finish_reason).decision
        if decision is not None:
            assert finish_reason is not None
            assert said(decision).items() <= SAID.items()
            assert text[end - 1] in '}]"'


def test_the_undamaged_decision_is_clean() -> None:
    assert said(Decision.model_validate(WHOLE))[("prices", "MIXED-500")] == 3.75
    assert len(SAID) == 21
    assert read(json.dumps(WHOLE)).clean
    check(json.dumps(WHOLE))
