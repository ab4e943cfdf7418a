"""The five levels of decision quality by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import metrics
from analysis.pyramid import adaptation, financial_quality, pyramid, reliability, structural_validity
from erpsim.records import EventRow, OutcomeRow, RoundRow
from tests.analysis import samples
from tests.analysis.panels import cell, one_ecology, outcomes
from tests.analysis.samples import frame, two_by_two

SOLO_P1_A = samples.outcome("solo", "P1", "a", 5e6)


def _event(category: str, layer: str, model: str = "a", seat: int = 0, **changed: object) -> EventRow:
    return replace(samples.event("solo", model, category), layer=layer, seat=seat, **changed)  # type: ignore[arg-type]


def _rounds(rows: list[OutcomeRow]) -> pd.DataFrame:
    return frame([row for item in rows for row in samples.rounds_of(item)], RoundRow)


def _pyramid(rows: list[OutcomeRow], events: list[EventRow]) -> pd.DataFrame:
    played = metrics.trajectories(frame(rows, OutcomeRow))
    return pyramid(_rounds(rows), frame(events, EventRow), played)


def test_l1_counts_rounds_once_however_many_structural_events_they_have() -> None:
    events = [
        _event("fallback_decision", "structural"),
        _event("value_coerced", "structural", n=7),
        _event("value_coerced", "structural", round=2, problem_id="P2"),
        _event("order_adjusted", "operational", round=2),
        _event("value_coerced", "structural", model="b", seat=1, ecology="arena"),
    ]
    found = structural_validity(_rounds(two_by_two()), frame(events, EventRow))
    assert cell(found, "l1", ecology="solo", model="a") == 0.5
    assert cell(found, "l1", ecology="solo", model="b") == 1
    assert cell(found, "l1", ecology="arena", model="b") == 0.75
    assert cell(found, "n", ecology="arena", model="b") == 4
    pooled = structural_validity(_rounds(two_by_two()), frame(events, EventRow), by=())
    assert pooled["l1"].tolist() == [0.75, 0.875]


def test_l2_is_relative_to_the_model_with_most_operational_events() -> None:
    rates = pd.DataFrame(
        {"ecology": "arena", "lineup": "", "model": ["a", "b", "c"], "r_paper": [4.0, 1.0, 0.0], "r_operational": 8.0}
    )
    assert reliability(rates)["l2"].tolist() == [0, 0.75, 1]
    assert reliability(rates, "r_operational")["l2"].tolist() == [0, 0, 0]
    assert reliability(rates.drop(columns=["ecology", "lineup"]))["l2"].tolist() == [0, 0.75, 1]


def test_l2_is_one_for_all_where_nobody_had_an_event() -> None:
    rates = pd.DataFrame({"ecology": "arena", "lineup": "", "model": ["a", "b"], "r_paper": 0.0, "r_operational": 0.0})
    assert reliability(rates)["l2"].tolist() == [1, 1]


def test_l3_runs_from_one_for_always_first_to_zero_for_always_last() -> None:
    played = metrics.trajectories(outcomes("arena", [[3, 2, 1], [9, 8, 7]]))
    assert financial_quality(metrics.by_problem(played), metrics.field_sizes(played))["level"].tolist() == [1, 0.5, 0]


def test_l3_is_undefined_for_a_single_model() -> None:
    played = metrics.trajectories(outcomes("arena", [[3]]))
    assert financial_quality(metrics.by_problem(played), metrics.field_sizes(played))["level"].isna().all()


def test_l4_averages_the_ranks_of_hard_and_random_hard_problems_anew() -> None:
    # Problems 2 and 3 are hard and random_hard: m0 is second and first of two.
    values = [[9.0, 1.0], [9.0, 1.0], [1.0, 9.0], [9.0, 1.0]]
    played = metrics.trajectories(outcomes("arena", values))
    found = financial_quality(one_ecology(values), metrics.field_sizes(played), ("hard", "random_hard"))
    assert found["level"].tolist() == [0.5, 0.5]


def test_l5_is_the_climb_from_the_first_rank_to_the_last() -> None:
    rounds = _rounds(two_by_two())
    first = (rounds["round"] == 1) & (rounds["problem_id"] == "P1") & (rounds["ecology"] == "arena")
    rounds.loc[first & (rounds["model"] == "a"), "valuation"] = 9e6
    found = adaptation(rounds, metrics.trajectories(frame(two_by_two(), OutcomeRow)))
    # a in the Arena: P1 from first to second, P2 second all the time.
    assert cell(found, "l5", ecology="arena", model="a") == -0.5
    assert cell(found, "l5", ecology="arena", model="b") == 0.5
    assert cell(found, "l5", ecology="solo", model="a") == 0


def test_l5_compares_only_those_who_completed_the_problem() -> None:
    # b is ahead after the first round and never finishes: a is first among those who do, all the time.
    rows = [replace(row, valuation=np.nan) if row.model == "b" else row for row in two_by_two()]
    found = adaptation(_rounds(two_by_two()), metrics.trajectories(frame(rows, OutcomeRow)))
    assert cell(found, "l5", ecology="arena", model="a") == 0


def test_the_pyramid_has_a_row_for_each_setting_and_model() -> None:
    events = [_event("production_capacity_skip", "operational", n=3)]
    found = _pyramid(two_by_two(), events)
    assert found[["ecology", "model"]].to_numpy().tolist() == [
        ["arena", "a"],
        ["arena", "b"],
        ["solo", "a"],
        ["solo", "b"],
    ]
    assert found["n_models"].tolist() == [2, 2, 2, 2]
    assert found["l1"].tolist() == [1, 1, 1, 1]
    assert found["l2"].tolist() == [1, 1, 0, 1]
    assert found["l3"].tolist() == pytest.approx([0, 1, 0.5, 0.5])
    assert found["l4"].isna().all()


def test_without_records_the_pyramid_is_empty() -> None:
    assert _pyramid([], []).empty
