import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from actors.llm.standin_defects import Written, write
from actors.llm.standin_planner import plan
from actors.llm.standin_styles import STYLES, Style
from erpsim.feasibility import repair
from erpsim.opening import open_firm
from erpsim.parsing import read_decision
from tests.actors.llm.standin_talks import view_of
from tests.actors.llm.worlds import opening_observation, small_problem

STYLE = STYLES["standin/a"]
NAMES = sorted({name for style in STYLES.values() for name in style.defects} - {"unknown_tool"})


def zero(purpose: str) -> float:
    del purpose
    return 0.0


def almost_one(purpose: str) -> float:
    del purpose
    return 0.999


@lru_cache
def decision() -> dict[str, Any]:
    return plan(view_of(opening_observation()), STYLE, zero)


def spoilt(*names: str, style: Style = STYLE, asked_again: bool = False) -> Written:
    return write(decision(), replace(style, defects=dict.fromkeys(names, 1.0)), zero, asked_again)


@pytest.mark.parametrize(
    ("name", "category", "code"),
    [
        ("fence", "parse_recovered", "fence"),
        ("prose", "parse_recovered", "prose"),
        ("comma", "parse_recovered", "trailing_comma"),
        ("number_text", "value_coerced", "number_text"),
        ("title_keys", "value_coerced", "alias"),
        ("unknown_sku", "item_dropped", "unknown_sku"),
    ],
)
def test_a_defect_of_writing_is_met_by_its_rung(name: str, category: str, code: str) -> None:
    written = spoilt(name)
    reading = read_decision(written.text, written.finish_reason, written.refusal)
    assert reading.failure is None
    assert (category, code) in {(event.category, event.code) for event in reading.events}


@pytest.mark.parametrize(
    ("name", "cause"), [("truncated", "truncated"), ("refused", "refusal"), ("no_json", "no_json")]
)
def test_a_defect_that_gives_no_decision_has_its_cause(name: str, cause: str) -> None:
    written = spoilt(name)
    reading = read_decision(written.text, written.finish_reason, written.refusal)
    assert reading.decision is None
    assert reading.failure is not None
    assert reading.failure.cause == cause


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("over_ask", "production_quantity_clamped"),
        ("lot_step", "production_quantity_clamped"),
        ("investment", "finance_adjusted"),
    ],
)
def test_a_defect_of_planning_is_repaired(name: str, category: str) -> None:
    reading = read_decision(spoilt(name).text, "stop")
    assert reading.decision is not None
    repaired = repair(open_firm(small_problem(), 0), small_problem(), reading.decision)
    assert category in {event.category for event in repaired.events}


def test_every_defect_can_meet_every_other() -> None:
    for first in NAMES:
        for second in NAMES:
            written = spoilt(first, second)
            assert written.text or written.refusal


def test_without_chance_nothing_is_spoilt() -> None:
    asked = decision()
    assert json.loads(write(asked, STYLE, almost_one, asked_again=False).text or "") == asked


def test_asked_again_only_giving_none_can_repeat() -> None:
    assert spoilt("fence", "truncated", asked_again=True).finish_reason == "length"
    assert json.loads(spoilt("fence", asked_again=True).text or "") == decision()
