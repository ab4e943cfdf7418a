"""The run certificate by hand."""

import json
from dataclasses import replace

from analysis.bootstrap import METHOD, resample
from analysis.certificate import certificate, touched_rounds
from analysis.coverage import cover
from erpsim.records import EventRow, OutcomeRow, RoundRow
from tests.analysis import samples
from tests.analysis.panels import cell
from tests.analysis.samples import event, frame, planned, records, rounds_of, two_by_two

GIVEN = {"run_id": "0123456789ab", "standin_seed": 0, "panel_digest": "d1"}


def _certificate(rows: list[OutcomeRow], events: list[EventRow] | None = None) -> dict:
    held = records(rows, events or [])
    return certificate(held, cover(held, planned(two_by_two())), GIVEN, 5, resample(["P1", "P2"], 5, 40))


def test_a_certificate_says_what_the_result_stands_on() -> None:
    found = _certificate(two_by_two())
    assert list(found) == ["run", "rules_version", "coverage", "routes", "interventions", "cost", "statistics"]
    assert found["run"] == GIVEN
    assert found["rules_version"] == samples.RULES
    assert found["coverage"]["complete"] is True
    assert found["routes"]["a"] == {
        "same_in_both_ecologies": True,
        "rounds": {"arena": {"here": 4}, "solo": {"here": 4}},
    }
    assert found["statistics"] == {"seed": 5, "resamples": 40, "interval": METHOD}
    json.dumps(found, allow_nan=False)


def test_cost_is_the_sum_over_all_rounds_of_models_or_unknown() -> None:
    assert _certificate(two_by_two())["cost"] == {
        "llm_calls": 16,
        "tool_calls": 0,
        "tokens_in": 16,
        "tokens_out": 16,
        "cost_usd": None,
        "unpriced_rounds": 16,
        "uncounted_rounds": 0,
    }


def test_a_round_without_a_count_of_tokens_makes_the_sum_unknown_and_is_counted() -> None:
    held = records(two_by_two())
    rounds = held.rounds.astype({"tokens_in": "float64"})
    rounds.loc[0, "tokens_in"] = float("nan")
    held = replace(held, rounds=rounds)
    found = certificate(held, cover(held, planned(two_by_two())), GIVEN, 5, resample(["P1", "P2"], 5, 40))
    assert found["cost"]["tokens_in"] is None
    assert found["cost"]["tokens_out"] == 16
    assert found["cost"]["uncounted_rounds"] == 1
    json.dumps(found, allow_nan=False)


def test_interventions_are_bounded_by_the_model_touched_most() -> None:
    fallback = replace(event("solo", "a", "fallback_decision"), layer="structural")
    coerced = replace(event("arena", "b", "value_coerced"), layer="structural", seat=1)
    events = [fallback, replace(fallback, round=2), coerced, replace(coerced, sequence=1)]
    found = _certificate(two_by_two(), events)["interventions"]
    assert found["fallback"] == {
        "lowest_share_of_rounds": 0,
        "highest_share_of_rounds": 0.25,
        "highest_model": "a",
    }
    assert found["structural"]["lowest_share_of_rounds"] == 0.125
    assert found["operational"]["highest_share_of_rounds"] == 0


def test_a_round_is_touched_once_however_many_events_it_has() -> None:
    rounds = frame([row for item in two_by_two() for row in rounds_of(item)], RoundRow)
    events = frame([event("solo", "a", "order_adjusted"), event("solo", "a", "price_adjusted", n=9)], EventRow)
    assert cell(touched_rounds(rounds, events), "share", model="a", touch="operational") == 0.125


def test_what_is_missing_is_named_with_its_cause() -> None:
    found = _certificate([row for row in two_by_two() if row.market_id != "solo/P1/a"])["coverage"]
    assert found["complete"] is False
    assert found["missing"] == [{"market_id": "solo/P1/a", "model": "a", "cause": "not played yet"}]


def test_a_run_without_records_has_a_certificate_of_nothing() -> None:
    found = _certificate([])
    assert found["routes"] == {}
    assert found["interventions"]["fallback"]["highest_model"] is None
    assert found["cost"]["cost_usd"] is None
