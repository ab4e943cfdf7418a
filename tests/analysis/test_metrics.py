"""Valuation, rank, regret, last places and paired differences by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import metrics
from analysis.bootstrap import resample
from analysis.paired import effects
from erpsim.records import OutcomeRow
from tests.analysis.panels import cell, one_ecology, outcomes, problems
from tests.analysis.samples import frame, in_lineup, outcome, two_by_two


def _played(rows: Sequence[OutcomeRow]) -> pd.DataFrame:
    return metrics.trajectories(frame(rows, OutcomeRow))


def _problems(rows: Sequence[OutcomeRow]) -> pd.DataFrame:
    return metrics.by_problem(_played(rows))


def _one_problem(values: Sequence[float], ecology: str = "arena") -> list[OutcomeRow]:
    return [outcome(ecology, "P1", f"m{seat}", value, seat) for seat, value in enumerate(values)]


def _value(table: pd.DataFrame, column: str, **where: str) -> float:
    for name, value in where.items():
        table = table[table[name] == value]
    (found,) = table[column]
    return float(found)


def test_a_valuation_is_given_in_millions_of_eur() -> None:
    assert list(_played(_one_problem([12_345_678.0]))["valuation_m"]) == [12.345678]


def test_ties_get_the_average_rank_and_a_missing_value_stays_missing() -> None:
    # G5-11: 9 is first; three 7s share the ranks 2, 3 and 4; 5 is fifth of the five that have a value.
    ranks = list(_played(_one_problem([7.0, 9.0, 7.0, 5.0, np.nan, 7.0]))["rank"])
    assert ranks[:4] == [3, 1, 3, 5]
    assert np.isnan(ranks[4])
    assert ranks[5] == 3


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_valuation_that_is_not_finite_is_missing(value: float) -> None:
    played = _played(_one_problem([1.0, value]))
    assert list(played["rank"].isna()) == [False, True]
    assert list(played["valuation_m"].isna()) == [False, True]


def test_six_equal_valuations_share_the_middle_rank() -> None:
    assert set(_played(_one_problem([4.0] * 6))["rank"]) == {3.5}


def test_solo_ranks_the_separate_markets_of_one_problem() -> None:
    played = _played(_one_problem([1.0, 3.0, 2.0], "solo"))
    assert list(played["rank"]) == [3, 1, 2]


def test_mean_rank_and_mean_valuation_are_over_the_problems() -> None:
    table = metrics.summary(_problems(two_by_two()))
    assert _value(table, "valuation_m", ecology="solo", model="a") == 3.5
    assert _value(table, "rank", ecology="solo", model="a") == 1.5
    assert _value(table, "rank", ecology="arena", model="a") == 2.0
    assert _value(table, "n", ecology="arena", model="b") == 2


def test_a_missing_problem_is_left_out_of_the_means_and_counted() -> None:
    rows = [
        replace(row, valuation=np.nan) if (row.ecology, row.model) == ("solo", "a") else row for row in two_by_two()
    ]
    table = metrics.summary(_problems(rows))
    assert np.isnan(_value(table, "valuation_m", ecology="solo", model="a"))
    assert _value(table, "n", ecology="solo", model="a") == 0
    assert _value(table, "rank", ecology="solo", model="b") == 1


def test_the_difference_is_arena_minus_solo_over_complete_pairs() -> None:
    pairs = metrics.differences(_problems(two_by_two()))
    assert _value(pairs, "delta_m", model="a", problem_id="P1") == -4
    assert _value(pairs, "delta_m", model="a", problem_id="P2") == 1
    means = effects(pairs, ["a", "b"], resample(["P1", "P2"], seed=1, draws=20))
    assert _value(means, "delta_m", model="a") == -1.5
    assert _value(means, "delta_m", model="b") == 1.0
    assert _value(means, "n", model="b") == 2


def test_half_a_pair_is_no_pair() -> None:
    rows = two_by_two()[1:]  # without a on P1 in Solo
    means = effects(metrics.differences(_problems(rows)), ["a", "b"], resample(["P1", "P2"], seed=1, draws=20))
    assert _value(means, "delta_m", model="a") == 1
    assert _value(means, "n", model="a") == 1


def test_without_pairs_there_is_no_difference() -> None:
    assert metrics.differences(_problems(_one_problem([1.0, 2.0]))).empty


def test_a_model_in_two_seats_is_named_by_seat_and_counts_as_their_mean() -> None:
    rows = [
        in_lineup(outcome("mixed", "P1", model, value, seat), "digest")
        for seat, (model, value) in enumerate([("a", 10e6), ("b", 6e6), ("a", 4e6)])
    ]
    played = _played(rows)
    assert list(played["entrant"]) == ["a#0", "b", "a#2"]
    assert list(played["rank"]) == [1, 2, 3]
    table = metrics.summary(metrics.by_problem(played))
    assert _value(table, "valuation_m", model="a") == 7
    assert _value(table, "rank", model="a") == 2
    seats = metrics.seat_summary(played)
    assert _value(seats, "valuation_m", entrant="a#2") == 4
    assert _value(seats, "rank", entrant="a#2") == 3


def test_trials_are_ranked_apart_and_averaged() -> None:
    first = _one_problem([1e6, 2e6])
    second = [replace(row, trial=1, valuation=value) for row, value in zip(first, (6e6, 4e6), strict=True)]
    table = _problems(first + second)
    assert list(table["valuation_m"]) == [3.5, 3.0]
    assert list(table["rank"]) == [1.5, 1.5]


def test_lineups_are_kept_apart() -> None:
    rows = [in_lineup(outcome("mixed", "P1", "a", value), lineup) for lineup, value in (("x", 1e6), ("y", 3e6))]
    assert list(metrics.summary(_problems(rows))["valuation_m"]) == [1, 3]


def test_no_outcome_gives_empty_frames() -> None:
    problems = _problems([])
    assert metrics.summary(problems).empty
    assert metrics.field_sizes(_played([])).empty


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=6),
    st.integers(-3, 3),
    st.permutations(range(6)),
)
def test_neither_row_order_nor_a_constant_changes_a_rank(values: list[int], constant: int, order: list[int]) -> None:
    rows = _one_problem([float(value) for value in values])
    before = _played(rows).set_index("model")["rank"]
    moved = [replace(rows[index], valuation=rows[index].valuation + constant) for index in order if index < len(rows)]
    after = _played(moved).set_index("model")["rank"]
    assert before.to_dict() == after.to_dict()
    assert before.sum() == len(values) * (len(values) + 1) / 2


def test_regret_is_the_gap_to_the_best_as_a_share_of_the_range() -> None:
    assert list(_played(_one_problem([10.0, 4.0, 7.0]))["regret"]) == pytest.approx([0, 1, 0.5])


def test_there_is_no_regret_where_all_are_equal_or_one_is_alone() -> None:
    assert list(_played(_one_problem([4.0, 4.0]))["regret"]) == [0, 0]
    assert list(_played(_one_problem([4.0]))["regret"]) == [0]


def test_a_missing_value_has_neither_regret_nor_a_last_place() -> None:
    played = _played(_one_problem([10.0, np.nan, 4.0]))
    assert played[["regret", "bottom", "bottom_tied"]].isna().all(axis=1).tolist() == [False, True, False]
    assert list(played["bottom"].dropna()) == [0, 1]


def test_all_models_at_the_minimum_are_last_and_such_ties_are_counted() -> None:
    played = _played(_one_problem([5.0, 3.0, 3.0]))
    assert list(played["bottom"]) == [0, 1, 1]
    assert list(played["bottom_tied"]) == [0, 1, 1]


def test_the_bottom_rate_is_a_share_of_problems() -> None:
    table = metrics.summary(one_ecology([[1, 2], [1, 2], [2, 1], [2, 2]]))
    assert table["bottom_rate"].tolist() == [0.75, 0.5]
    assert table["bottom_tied"].tolist() == [1, 1]


def test_a_single_model_is_first_and_last_everywhere() -> None:
    table = metrics.summary(one_ecology([[1], [2]]))
    assert table[["rank", "bottom_rate", "regret", "n"]].to_numpy().tolist() == [[1, 1, 0, 2]]


def test_the_90th_percentile_of_regret_interpolates_linearly() -> None:
    # Regrets of m2: 0, .1, … 1; position 0.9 * 10 = 9 is the tenth, 0.9.
    values = [[0.0, 10.0, 10.0 - step] for step in range(11)]
    assert cell(metrics.summary(one_ecology(values)), "p90_regret", model="m2") == pytest.approx(0.9)
    assert cell(metrics.summary(one_ecology(values[:2])), "p90_regret", model="m2") == pytest.approx(0.09)


def test_a_model_in_two_seats_is_last_in_half_of_them() -> None:
    rows = [
        in_lineup(outcome("mixed", "P1", model, value, seat), "digest")
        for seat, (model, value) in enumerate([("a", 10e6), ("b", 6e6), ("a", 4e6)])
    ]
    table = metrics.summary(_problems(rows))
    assert cell(table, "bottom_rate", model="a") == 0.5
    assert cell(table, "regret", model="a") == 0.5
    assert metrics.field_sizes(_played(rows)).tolist() == [3]


def test_the_size_of_a_field_counts_who_has_a_value() -> None:
    played = metrics.trajectories(outcomes("arena", [[1, 2, np.nan], [np.nan, 1, np.nan]]))
    assert metrics.field_sizes(played).tolist() == [2]


def test_a_wide_table_is_sorted_and_keeps_what_is_missing() -> None:
    table = metrics.wide(one_ecology([[1, np.nan], [3, 4]], ("z", "b")), ("arena", ""))
    assert list(table.columns) == ["b", "z"]
    assert list(table.index) == ["P000", "P001"]
    assert table["z"].tolist() == [1, 3]
    assert table["b"].isna().tolist() == [True, False]


def test_a_contender_completed_something_in_every_ecology() -> None:
    table = problems([[1, np.nan, 3], [1, 2, 3]], [[1, 2, np.nan], [1, 2, np.nan]])
    assert metrics.contenders(table, ["m2", "m1", "m0"], ("solo", "arena")) == ["m1", "m0"]
    assert metrics.contenders(table, ["m2", "absent"], ("solo",)) == ["m2"]


@settings(max_examples=25)
@given(st.lists(st.integers(0, 20), min_size=2, max_size=6), st.integers(-20, 20), st.sampled_from([0.5, 2.0, 16.0]))
def test_neither_a_constant_nor_a_factor_changes_regret_or_last_places(
    values: list[int], constant: int, factor: float
) -> None:
    columns = ["rank", "regret", "bottom", "bottom_tied"]
    plain = _played(_one_problem([float(value) for value in values]))[columns]
    moved = _played(_one_problem([(value + constant) * factor for value in values]))[columns]
    pd.testing.assert_frame_equal(plain, moved, rtol=1e-9, atol=1e-12)
