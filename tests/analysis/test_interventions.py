"""Events counted by category, model and ecology."""

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis import interventions, metrics
from erpsim.events import PAPER_CATEGORIES
from erpsim.records import EventRow, OutcomeRow
from tests.analysis.panels import cell
from tests.analysis.samples import event, frame, two_by_two

ENTERED = {("solo", ""): ("a", "b"), ("arena", ""): ("a", "b")}
EVENTS = [
    event("solo", "a", "production_capacity_skip"),
    event("solo", "a", "production_capacity_skip", n=2),
    event("solo", None, "production_capacity_skip"),  # a rule's firm
    event("arena", "b", "value_coerced"),
    event("arena", None, "experiment_failed"),
]


def _counts(events: list[EventRow]) -> dict[tuple[str, str, str], int]:
    table = interventions.counts(frame(events, EventRow), ENTERED)
    return {(row["ecology"], row["model"], row["category"]): row["n"] for row in table.to_dict("records")}


def test_items_are_counted_by_model_and_ecology_and_rules_are_left_out() -> None:
    counted = _counts(EVENTS)
    assert counted["solo", "a", "production_capacity_skip"] == 3
    assert counted["arena", "b", "value_coerced"] == 1
    assert sum(counted.values()) == 5


def test_the_papers_six_categories_are_always_there() -> None:
    counted = _counts([])
    assert set(counted) == {(e, m, c) for e in ("solo", "arena") for m in "ab" for c in PAPER_CATEGORIES}
    assert set(counted.values()) == {0}


def test_a_market_given_up_counts_once_and_for_no_model() -> None:
    counted = _counts(EVENTS)
    assert counted["arena", interventions.WHOLE_MARKET, "experiment_failed"] == 1
    assert counted["arena", "a", "experiment_failed"] == 0


def test_totals_keep_the_papers_order_and_zeros() -> None:
    table = interventions.totals(interventions.counts(frame(EVENTS, EventRow), ENTERED))
    solo = table[table["ecology"] == "solo"]
    assert list(solo["category"]) == [*PAPER_CATEGORIES, "value_coerced"]
    assert list(solo["n"]) == [3, 0, 0, 0, 0, 0, 0]
    assert list(table[table["ecology"] == "arena"]["n"]) == [0, 0, 0, 0, 0, 1, 1]


def test_a_category_that_this_version_does_not_know_is_counted_last() -> None:
    table = interventions.totals(interventions.counts(frame([event("solo", "a", "novel")], EventRow), ENTERED))
    assert table["category"].iloc[-1] == "novel"
    assert interventions.ordered(["novel", "reask", "traceback"]) == ["traceback", "reask", "novel"]


def _played(rows: list[OutcomeRow]) -> pd.DataFrame:
    return metrics.trajectories(frame(rows, OutcomeRow))


def _event(category: str, n: int = 1, **changed: object) -> EventRow:
    return replace(event("solo", "a", category, n), **changed)  # type: ignore[arg-type]


def test_shares_are_of_the_five_displayed_with_the_failed_beside() -> None:
    events = [
        _event("production_capacity_skip", 6),
        _event("traceback", 2),
        _event("order_adjusted", 50),
        event("arena", None, "experiment_failed", 3),
    ]
    table = interventions.shares(interventions.counts(frame(events, EventRow), ENTERED))
    assert list(table["category"]) == list(PAPER_CATEGORIES)
    assert list(table["n"]) == [6, 0, 0, 0, 2, 3]
    assert list(table["share"][:5]) == [0.75, 0, 0, 0, 0.25]
    assert np.isnan(table["share"][5])


def test_shares_by_model_and_ecology_each_sum_to_one() -> None:
    events = [_event("traceback", 2), _event("fallback_decision", 2), replace(_event("traceback"), ecology="arena")]
    counted = interventions.counts(frame(events, EventRow), ENTERED)
    by = ("ecology", "lineup", "model")
    table = interventions.shares(counted, by)
    assert cell(table, "share", ecology="solo", model="a", category="traceback") == 0.5
    assert cell(table, "share", ecology="arena", model="a", category="traceback") == 1
    assert table["share"][table["model"] == "b"].isna().all()
    assert len(table) == 4 * 6


def test_rates_are_per_completed_trajectory() -> None:
    events = [
        _event("production_capacity_skip", 3),
        _event("production_capacity_skip", 2, problem_id="P2"),
        _event("order_adjusted", 4),
        replace(event("arena", "b", "traceback"), seat=1),
        event("solo", None, "traceback", 100),
    ]
    table = interventions.per_trajectory(frame(events, EventRow), _played(two_by_two()))
    where = {"ecology": "solo", "model": "a"}
    assert cell(table, "rate", category="production_capacity_skip", **where) == 2.5
    assert cell(table, "rate", category="order_adjusted", **where) == 2
    assert cell(table, "n", category="traceback", ecology="arena", model="b") == 1
    assert table["n"].sum() == 10
    assert set(table["trajectories"]) == {2}
    assert set(PAPER_CATEGORIES) < set(table["category"])


def test_a_trajectory_that_was_not_completed_counts_neither_above_nor_below_the_line() -> None:
    rows = [row for row in two_by_two() if row.market_id != "solo/P1/a"]
    events = [_event("traceback", 9), _event("traceback", 1, problem_id="P2")]
    table = interventions.per_trajectory(frame(events, EventRow), _played(rows))
    assert cell(table, "rate", ecology="solo", model="a", category="traceback") == 1
    assert cell(table, "trajectories", ecology="solo", model="a", category="traceback") == 1


def test_r_of_the_paper_has_its_three_operational_categories_and_ours_has_all() -> None:
    assert interventions.PAPER_OPERATIONAL == (
        "production_capacity_skip",
        "investment_unavailable",
        "production_quantity_clamped",
    )
    categories = ("production_capacity_skip", "investment_unavailable", "order_adjusted", "fallback_decision")
    table = interventions.per_trajectory(frame([_event(name) for name in categories], EventRow), _played(two_by_two()))
    rates = interventions.operational_rates(table)
    assert cell(rates, "r_paper", ecology="solo", model="a") == 1
    assert cell(rates, "r_operational", ecology="solo", model="a") == 1.5
    assert cell(rates, "trajectories", ecology="solo", model="a") == 2


def test_pooled_rates_are_over_the_trajectories_of_all_ecologies() -> None:
    events = [_event("traceback", 3), replace(_event("traceback"), ecology="arena")]
    table = interventions.per_trajectory(frame(events, EventRow), _played(two_by_two()), by=())
    assert cell(table, "rate", model="a", category="traceback") == 1
    assert list(interventions.operational_rates(table)["r_paper"]) == [0, 0]
