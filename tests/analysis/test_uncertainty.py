"""Differences between models, tie groups, places and what could have been detected."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis import metrics
from analysis.bootstrap import resample
from analysis.uncertainty import (
    detectable,
    detectable_effects,
    group_name,
    largest_groups,
    model_differences,
    standings,
    tie_groups,
)
from tests.analysis.panels import cell, names, one_ecology, problems

NOISE = np.random.default_rng(4).normal(0, 10, 40)


def _both(values: np.ndarray, models: Sequence[str] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
    table = one_ecology(values, models)
    resamples = resample(table["problem_id"], 1, 2000)
    labels = models or names(values.shape[1])
    return model_differences(table, resamples), standings(table, labels, resamples)


def test_the_detectable_difference_of_a_hundred_pairs_by_hand() -> None:
    # t(.975) and t(.8) of 99 degrees of freedom are 1.98422 and 0.84527; s / sqrt(n) = 5.
    assert detectable(50, 100) == pytest.approx(14.15, abs=0.005)
    assert detectable(50, 100) == pytest.approx(5 * (1.98422 + 0.84527), abs=1e-4)


def test_one_difference_detects_nothing() -> None:
    assert np.isnan(detectable(np.nan, 1))


def test_a_true_effect_of_the_detectable_size_is_found_four_times_in_five() -> None:
    size = detectable(50, 60)
    drawn = np.random.default_rng(8).normal(size, 50, (4000, 60))
    found = stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.02)


def test_every_model_has_a_detectable_effect_if_it_has_two_pairs() -> None:
    pairs = metrics.differences(problems([[0, 0], [0, np.nan]], [[1, 1], [3, 1]]))
    found = detectable_effects(pairs, [*names(2), "absent"])
    assert found["n"].tolist() == [2, 1, 0]
    assert found["sd_m"][0] == pytest.approx(2**0.5)
    assert found["detectable_m"].isna().tolist() == [False, True, True]


def test_a_difference_is_paired_by_problem() -> None:
    # Problems differ by tens, the models by exactly 1: nothing is uncertain.
    differences, _ = _both(np.column_stack([NOISE + 1, NOISE]))
    assert differences[["difference_m", "ci_low_m", "ci_high_m"]].to_numpy().tolist()[0] == pytest.approx([1, 1, 1])
    assert differences["apart"].tolist() == [True]


def test_an_interval_that_holds_zero_is_a_tie() -> None:
    noise = NOISE - NOISE.mean()
    differences, places = _both(np.column_stack([noise, np.zeros(40), noise + 100]))
    found = tie_groups(differences, places)
    assert dict(zip(found["model"], found["groups"], strict=True)) == {"m2": "a", "m0": "b", "m1": "b"}
    assert found["model"][0] == "m2"


def test_a_model_between_two_others_may_tie_with_both() -> None:
    differences = pd.DataFrame(
        [("arena", "", "x", "y", False), ("arena", "", "x", "z", True), ("arena", "", "y", "z", False)],
        columns=["ecology", "lineup", "model", "other", "apart"],
    )
    order = pd.DataFrame({"ecology": "arena", "lineup": "", "model": ["x", "y", "z"], "valuation_m": [3.0, 2, 1]})
    assert tie_groups(differences, order.assign(rank=1.0))["groups"].tolist() == ["a", "ab", "b"]


def test_what_cannot_be_told_shares_a_group() -> None:
    differences, places = _both(np.array([[1.0, 2.0]]))
    assert differences[["ci_low_m", "ci_high_m", "detectable_m"]].isna().all(axis=None)
    assert tie_groups(differences, places)["groups"].tolist() == ["a", "a"]


def test_models_without_a_common_problem_are_not_apart() -> None:
    differences, places = _both(np.array([[1.0, np.nan], [np.nan, 9.0]]))
    assert differences["n"].tolist() == [0]
    assert np.isnan(differences["difference_m"][0])
    assert sorted(tie_groups(differences, places)["groups"]) == ["a", "a"]
    assert places["p_best"].isna().all()
    assert places["n"].tolist() == [0, 0]


def test_the_largest_groups_of_a_square_are_its_sides() -> None:
    square = {"a": {"b", "d"}, "b": {"a", "c"}, "c": {"b", "d"}, "d": {"a", "c"}}
    assert sorted(sorted(group) for group in largest_groups(square)) == [["a", "b"], ["a", "d"], ["b", "c"], ["c", "d"]]
    assert largest_groups({}) == []
    assert largest_groups({"a": set()}) == [frozenset("a")]


def test_groups_have_letters_and_then_numbers() -> None:
    assert [group_name(number) for number in (0, 25, 26, 52)] == ["a", "z", "a1", "a2"]


def test_a_model_ahead_in_every_problem_is_surely_first() -> None:
    _, places = _both(np.column_stack([NOISE, NOISE + 1, NOISE - 1]))
    first = places[places["model"] == "m1"].iloc[0]
    assert first[["place", "place_low", "place_high", "p_best"]].tolist() == [1, 1, 1, 1]
    assert first[["rank", "rank_low", "rank_high"]].tolist() == [1, 1, 1]
    assert places["p_best"].sum() == 1


def test_equal_models_share_place_and_chance() -> None:
    _, places = _both(np.column_stack([NOISE, NOISE, NOISE - 1]))
    assert places["place"].tolist() == [1.5, 1.5, 3]
    assert places["place_low"].tolist() == [1.5, 1.5, 3]
    assert places["p_best"].tolist() == [0.5, 0.5, 0]


def test_an_unsure_first_place_is_shared_by_its_chances() -> None:
    noise = NOISE - NOISE.mean()
    _, places = _both(np.column_stack([noise, np.zeros(40)]))
    assert places["p_best"].sum() == pytest.approx(1)
    assert places["p_best"][0] == pytest.approx(0.5, abs=0.05)
    assert places[["place_low", "place_high"]].to_numpy().tolist() == [[1, 2], [1, 2]]


def test_a_model_that_failed_everywhere_keeps_a_row_and_stops_nobody() -> None:
    _, places = _both(np.column_stack([NOISE, NOISE + 1, np.full(40, np.nan)]))
    assert cell(places, "n", model="m0") == 40
    assert cell(places, "place", model="m1") == 1
    absent = places[places["model"] == "m2"].iloc[0]
    assert absent["n"] == 0
    assert absent[["place", "p_best", "rank"]].isna().all()


def test_one_problem_has_places_and_no_intervals() -> None:
    _, places = _both(np.array([[1.0, 2.0]]))
    assert places["place"].tolist() == [2, 1]
    assert places[["place_low", "rank_low"]].isna().all(axis=None)


def test_no_outcome_has_no_standings() -> None:
    empty = one_ecology([[1.0]]).iloc[:0]
    assert standings(empty, ["a"], resample([], 1, 5)).empty
    assert model_differences(empty, resample([], 1, 5)).empty
