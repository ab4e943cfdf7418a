"""Winners, transitions, rank correlation and wins in pairs by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import metrics
from analysis.agreement import (
    model_correlations,
    rank_agreement,
    rank_correlations,
    same_winner,
    spearman,
    transitions,
    win_rates,
    winners,
)
from analysis.bootstrap import resample
from erpsim.records import OutcomeRow
from tests.analysis.panels import cell, names, one_ecology, problems
from tests.analysis.samples import frame, two_by_two


def _problems(rows: Sequence[OutcomeRow]) -> pd.DataFrame:
    return metrics.by_problem(metrics.trajectories(frame(rows, OutcomeRow)))


def test_all_models_at_the_maximum_win() -> None:
    won = winners(one_ecology([[7.0, 9.0, 9.0]]))
    assert list(won["model"]) == ["m1", "m2"]
    assert list(won["weight"]) == [0.5, 0.5]


def test_the_same_winner_means_equal_sets() -> None:
    # P1: {a} against {b}; P2: {b} against {b}.
    assert same_winner(_problems(two_by_two()), ["a", "b"]) == (1, 2)
    # A tie in the Arena makes the set {a, b}, which is not {b}.
    tied = [replace(row, valuation=7e6) if row.ecology == "arena" else row for row in two_by_two()]
    assert same_winner(_problems(tied), ["a", "b"]) == (0, 2)


def test_agreement_leaves_out_a_problem_that_some_model_did_not_complete() -> None:
    assert same_winner(_problems(two_by_two()[1:]), ["a", "b"]) == (1, 1)
    assert same_winner(_problems(two_by_two()), ["a", "b", "absent"]) == (None, 0)


def test_one_model_always_wins_and_always_ranks_first() -> None:
    rows = [row for row in two_by_two() if row.model == "a"]
    table = _problems(rows)
    assert set(table["rank"]) == {1}
    assert same_winner(table, ["a"]) == (2, 2)


def test_only_the_models_compared_can_win() -> None:
    table = problems([[9, 1, 2]], [[1, 5, 6]])
    assert same_winner(table, names(3)) == (0, 1)
    assert same_winner(table, ["m1", "m2"]) == (1, 1)
    assert same_winner(table, []) == (None, 0)


def test_a_transition_with_several_winners_is_shared_among_the_pairs() -> None:
    # P0: {m0, m1} to {m1, m2}: a quarter for each of four pairs; P1: m0 to m0.
    moved = transitions(problems([[5, 5, 1], [3, 2, 1]], [[1, 4, 4], [3, 2, 1]]), names(3))
    assert len(moved) == 9
    assert moved["n"].sum() == 2
    found = {(row["winner_base"], row["winner_other"]): row["n"] for row in moved.to_dict("records") if row["n"]}
    assert found == {
        ("m0", "m0"): 1,
        ("m0", "m1"): 0.25,
        ("m0", "m2"): 0.25,
        ("m1", "m1"): 0.25,
        ("m1", "m2"): 0.25,
    }


def test_transitions_sum_to_the_problems_compared_and_leave_out_the_others() -> None:
    moved = transitions(problems([[1, 2], [np.nan, 2], [3, 1]], [[1, 2], [1, 2], [1, 2]]), names(2))
    assert moved["n"].sum() == 2
    assert cell(moved, "n", winner_base="m0", winner_other="m1") == 1


def test_reversed_ranks_correlate_with_minus_one() -> None:
    found = rank_correlations(problems([[1, 2, 3]], [[3, 2, 1]]), names(3))
    assert found["rho"].tolist() == [-1]


def test_rank_correlation_with_a_tie_by_hand() -> None:
    # Ranks 1.5, 1.5, 3, 4 and 1, 2, 3, 4: deviations -1, -1, .5, 1.5 and -1.5, -.5, .5, 1.5; 4.5 / sqrt(4.5 * 5).
    assert spearman(np.array([[1.0, 1, 2, 3]]), np.array([[1.0, 2, 3, 4]])) == pytest.approx(4.5 / 22.5**0.5)


def test_undefined_correlations_are_counted_and_left_out_of_the_mean() -> None:
    table = problems([[1, 2, 3], [4, 4, 4], [1, 2, 3]], [[1, 2, 3], [1, 2, 3], [1, 3, 2]])
    found = rank_correlations(table, names(3))
    agreed = rank_agreement(found, resample(table["problem_id"], 1, 400))
    assert found["rho"].isna().tolist() == [False, True, False]
    assert (agreed.mean, agreed.n_defined, agreed.n_undefined) == (0.75, 2, 1)
    assert agreed.interval == pytest.approx((0.5, 1))


def test_a_single_model_has_no_rank_correlation() -> None:
    table = problems([[1], [2]], [[1], [2]])
    agreed = rank_agreement(rank_correlations(table, names(1)), resample(table["problem_id"], 1, 50))
    assert np.isnan([agreed.mean, *agreed.interval]).all()
    assert agreed.n_undefined == 2


def test_nothing_to_compare_has_no_rank_correlation() -> None:
    table = one_ecology([[1, 2]])
    agreed = rank_agreement(rank_correlations(table, names(2)), resample(table["problem_id"], 1, 50))
    assert np.isnan(agreed.mean)
    assert (agreed.n_defined, agreed.n_undefined) == (0, 0)


def test_win_rates_count_a_tie_as_half_a_win_over_common_problems() -> None:
    rates = win_rates(one_ecology([[3, 1], [2, 2], [1, 5], [9, np.nan]]))
    assert rates[["model", "opponent", "n", "wins", "ties", "win_rate"]].to_numpy().tolist() == [
        ["m0", "m1", 3, 1, 1, 0.5],
        ["m1", "m0", 3, 1, 1, 0.5],
    ]


def test_models_without_a_common_problem_have_no_win_rate() -> None:
    rates = win_rates(one_ecology([[3, np.nan], [np.nan, 2]]))
    assert rates["n"].tolist() == [0, 0]
    assert rates["win_rate"].isna().all()


def test_models_correlate_over_the_problems_that_both_completed() -> None:
    rho = model_correlations(one_ecology([[1, 10], [2, 20], [3, 15], [4, np.nan]]))
    assert rho["n"].tolist() == [3, 3]
    assert rho["rho"].tolist() == [0.5, 0.5]


TABLES = st.lists(st.tuples(*[st.integers(0, 9)] * 6), min_size=1, max_size=6)


@settings(max_examples=12)
@given(TABLES)
def test_win_rates_of_a_pair_sum_to_one_and_transitions_to_the_problems(rows: list[tuple[int, ...]]) -> None:
    values = np.array(rows, dtype=np.float64)
    table = problems(values[:, :3], values[:, 3:])
    rates = win_rates(table)
    back = rates.rename(columns={"model": "opponent", "opponent": "model", "win_rate": "back"})
    both = rates.merge(back, on=["ecology", "lineup", "model", "opponent"])
    assert (both["win_rate"] + both["back"] == 1).all()
    moved = transitions(table, names(3))
    assert moved["n"].sum() == pytest.approx(len(rows))
    same = same_winner(table, names(3)).same_winner
    assert same is not None
    assert moved["n"][moved["winner_base"] == moved["winner_other"]].sum() <= len(rows)


@settings(max_examples=12)
@given(TABLES, st.integers(-9, 9), st.sampled_from([0.5, 4.0]))
def test_neither_a_constant_nor_a_factor_changes_agreement(
    rows: list[tuple[int, ...]], constant: int, factor: float
) -> None:
    values = np.array(rows, dtype=np.float64)
    one = problems(values[:, :3], values[:, 3:])
    two = problems(values[:, :3] + constant, values[:, 3:] * factor)
    assert same_winner(one, names(3)) == same_winner(two, names(3))
    pd.testing.assert_frame_equal(transitions(one, names(3)), transitions(two, names(3)))
    pd.testing.assert_frame_equal(rank_correlations(one, names(3)), rank_correlations(two, names(3)))
