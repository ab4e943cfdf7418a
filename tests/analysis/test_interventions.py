"""Events counted by category, model and ecology."""

from analysis import interventions
from erpsim.events import PAPER_CATEGORIES
from erpsim.records import EventRow
from tests.analysis.samples import event, frame

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
