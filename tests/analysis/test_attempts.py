"""Calls, failed attempts, tokens by kind and money, by hand."""

import math
from typing import Any

import pandas as pd

from analysis.attempts import PREFLIGHT, attempts
from erpsim.records import CallRow
from tests.analysis.samples import call, frame

SETTINGS = {"solo/P1/a": ("solo", ""), "solo/P2/a": ("solo", ""), "arena/P1": ("arena", "")}
FAILED = {"error_class": "rate", "used": False, "tokens_in": None, "tokens_out": None, "cost_usd": None}


def _one(*calls: CallRow) -> dict[str, Any]:
    (row,) = attempts(frame(calls, CallRow), SETTINGS).to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_calls_are_added_by_setting_and_model_over_all_markets() -> None:
    calls = [call("solo/P1/a", "a"), call("solo/P2/a", "a"), call("arena/P1", "a"), call("arena/P1", "b", seat=1)]
    found = attempts(frame(calls, CallRow), SETTINGS)
    assert list(zip(found["ecology"], found["model"], found["calls"], strict=True)) == [
        ("arena", "a", 1),
        ("arena", "b", 1),
        ("solo", "a", 2),
    ]
    assert list(found["tokens_in"]) == [100, 100, 200]


def test_failed_attempts_and_unused_replies_are_counted_and_their_money_stands_apart() -> None:
    billed = {**FAILED, "error_class": "empty_choices", "tokens_in": 40, "tokens_out": 2, "cost_usd": 0.1}
    calls = [
        call("solo/P1/a", "a", cost_usd=0.5),
        call("solo/P1/a", "a", turn=1, used=False, cost_usd=0.25),
        call("solo/P1/a", "a", attempt=2, **FAILED),
        call("solo/P1/a", "a", attempt=3, **billed),
    ]
    row = _one(*calls)
    assert (row["calls"], row["failed"], row["unused"]) == (4, 2, 1)
    assert (row["tokens_in"], row["tokens_out"]) == (240, 22)
    assert (row["cost_used_usd"], row["cost_unused_usd"]) == (0.5, 0.35)


def test_kinds_of_tokens_are_added_each_by_itself() -> None:
    parts = {"tokens_cached": 60, "tokens_cache_write": 30, "tokens_reasoning": 5}
    row = _one(call("solo/P1/a", "a", **parts), call("solo/P1/a", "a", turn=1, tokens_cached=10))
    assert (row["tokens_cached"], row["tokens_cache_write"], row["tokens_reasoning"]) == (70, 30, 5)


def test_g2_25_a_reply_that_is_not_counted_makes_the_sum_unknown() -> None:
    row = _one(call("solo/P1/a", "a"), call("solo/P1/a", "a", turn=1, tokens_in=None))
    assert math.isnan(row["tokens_in"])
    assert row["tokens_out"] == 20


def test_a_part_that_no_server_names_is_unknown_and_not_nothing() -> None:
    assert math.isnan(_one(call("solo/P1/a", "a"))["tokens_reasoning"])
    assert _one(call("solo/P1/a", "a", tokens_reasoning=0))["tokens_reasoning"] == 0


def test_an_unknown_price_makes_money_unknown_where_it_was_spent() -> None:
    row = _one(call("solo/P1/a", "a", cost_usd=None), call("solo/P1/a", "a", attempt=2, **FAILED))
    assert math.isnan(row["cost_used_usd"])
    assert row["cost_unused_usd"] == 0, "an attempt without reply and count is taken as not billed"
    billed = _one(call("solo/P1/a", "a"), call("solo/P1/a", "a", attempt=2, **{**FAILED, "tokens_in": 40}))
    assert billed["cost_used_usd"] == 0.5
    assert math.isnan(billed["cost_unused_usd"])


def test_calls_before_the_run_stand_apart() -> None:
    found = attempts(frame([call("preflight", "a", used=False), call("solo/P1/a", "a")], CallRow), SETTINGS)
    assert list(found["ecology"]) == [PREFLIGHT, "solo"]
    assert list(found["cost_unused_usd"]) == [0.5, 0.0]


def test_no_calls_give_no_rows() -> None:
    found: pd.DataFrame = attempts(frame([], CallRow), SETTINGS)
    assert found.empty
    assert "cost_unused_usd" in found
