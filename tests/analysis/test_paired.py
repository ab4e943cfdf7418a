"""Paired effects by hand, with missing halves, equal ecologies and models that failed."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import metrics
from analysis.bootstrap import resample, resampled_means
from analysis.paired import delta_table, effects
from analysis.signed_rank import ALL_ZERO, NORMAL, UNDEFINED
from tests.analysis.panels import Valuations, cell, names, problems

SOLO = [[10.0, 20.0], [30.0, 25.0], [5.0, 8.0]]
ARENA = [[13.0, 18.0], [31.0, 25.0], [7.0, 4.0]]


def _effects(
    solo: Valuations, arena: Valuations, models: Sequence[str] = (), seed: int = 1, draws: int = 500
) -> pd.DataFrame:
    table = problems(solo, arena, models)
    labels = models or names(np.atleast_2d(np.asarray(solo)).shape[1])
    return effects(metrics.differences(table), labels, resample(table["problem_id"], seed, draws))


def test_mean_test_and_adjustment_of_two_models_by_hand() -> None:
    found = _effects(SOLO, ARENA)
    # m0: 3, 1, 2 all up, p = 2/8; m1: -2, 0, -4, the zero left out, p = 2/4.
    assert found["delta_m"].tolist() == pytest.approx([2, -2])
    assert found["n"].tolist() == [3, 3]
    assert found["p"].tolist() == [0.25, 0.5]
    assert found["q"].tolist() == [0.5, 0.5]
    assert found["family_size"].tolist() == [2, 2]
    assert found["zeros"].tolist() == [0, 1]


def test_the_interval_is_that_of_the_resampled_means() -> None:
    table = problems(SOLO, ARENA)
    pairs = metrics.differences(table)
    resamples = resample(table["problem_id"], 7, 400)
    found = effects(pairs, names(2), resamples)
    means = resampled_means(delta_table(pairs, names(2)), resamples)
    assert found["ci_low_m"].tolist() == pytest.approx(np.percentile(means, 2.5, axis=0).tolist())
    assert found["ci_high_m"].tolist() == pytest.approx(np.percentile(means, 97.5, axis=0).tolist())


def test_half_a_pair_is_left_out_and_the_pairs_are_counted() -> None:
    solo = np.array(SOLO)
    solo[1, 0] = np.nan
    found = _effects(solo, ARENA)
    assert found["n"].tolist() == [2, 3]
    assert cell(found, "delta_m", model="m0") == pytest.approx(2.5)


def test_a_model_without_pairs_keeps_its_row_and_leaves_the_family() -> None:
    arena = np.array(ARENA)
    arena[:, 1] = np.nan
    found = _effects(SOLO, arena)
    row = found.iloc[1]
    assert (row["model"], row["n"], row["method"], row["family_size"]) == ("m1", 0, UNDEFINED, 1)
    assert row[["delta_m", "ci_low_m", "ci_high_m", "p", "q"]].isna().all()
    assert found["q"][0] == found["p"][0] == 0.25


def test_one_problem_has_an_effect_and_no_interval() -> None:
    found = _effects([[10.0]], [[12.0]])
    assert (cell(found, "delta_m"), cell(found, "p")) == (2, 1)
    assert np.isnan([cell(found, "ci_low_m"), cell(found, "ci_high_m")]).all()


def test_no_pairs_at_all_give_undefined_rows() -> None:
    found = _effects([[np.nan, np.nan]], [[1.0, 2.0]])
    assert found["n"].tolist() == [0, 0]
    assert found["q"].isna().all()
    assert found["family_size"].tolist() == [0, 0]


def test_equal_ecologies_are_flagged_and_count_in_the_family() -> None:
    found = _effects(SOLO, SOLO)
    assert found["all_zero"].tolist() == [True, True]
    assert set(found["method"]) == {ALL_ZERO}
    assert found["p"].tolist() == found["q"].tolist() == [1, 1]
    assert found[["ci_low_m", "ci_high_m"]].to_numpy().tolist() == [[0, 0], [0, 0]]


def test_the_noise_of_a_subtraction_breaks_no_tie_and_no_zero() -> None:
    # 0.3 - 0.1 and 0.2 - 0.0 differ by 3e-17 and 0.1 + 0.2 - 0.3 by 6e-17; as money they are equal.
    found = _effects([[0.1], [0.0], [0.3]], [[0.3], [0.2], [0.1 + 0.2]])
    assert (cell(found, "tied"), cell(found, "zeros")) == (2, 1)


def test_a_large_panel_says_that_the_normal_distribution_was_used() -> None:
    values = np.random.default_rng(0).normal(100, 10, (60, 1))
    assert set(_effects(values, values + np.linspace(0.1, 3, 60)[:, None])["method"]) == {NORMAL}


PANELS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=9
)


@settings(max_examples=12)
@given(PANELS, st.randoms(use_true_random=False))
def test_row_order_changes_nothing(rows: list[tuple[int, ...]], shuffler: np.random.Generator) -> None:
    values = np.array(rows, dtype=np.float64)
    table = problems(values[:, :2], values[:, 2:])
    order = list(range(len(table)))
    shuffler.shuffle(order)
    one, two = (
        effects(metrics.differences(frame), names(2), resample(frame["problem_id"], 1, 50))
        for frame in (table, table.iloc[order])
    )
    pd.testing.assert_frame_equal(one, two, check_exact=True)


@settings(max_examples=12)
@given(PANELS)
def test_renaming_models_renames_rows_and_changes_no_number(rows: list[tuple[int, ...]]) -> None:
    values = np.array(rows, dtype=np.float64)
    one = _effects(values[:, :2], values[:, 2:], ("a", "b"), draws=50)
    two = _effects(values[:, :2], values[:, 2:], ("z", "b"), draws=50)
    pd.testing.assert_frame_equal(one.drop(columns="model"), two.drop(columns="model"), check_exact=True)


@settings(max_examples=12)
@given(PANELS, st.integers(-40, 40), st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_a_constant_in_both_ecologies_changes_nothing_and_a_factor_scales(
    rows: list[tuple[int, ...]], constant: int, factor: float
) -> None:
    values = np.array(rows, dtype=np.float64)
    plain, moved, scaled = (
        _effects(table[:, :2], table[:, 2:], draws=50) for table in (values, values + constant, values * factor)
    )
    pd.testing.assert_frame_equal(plain, moved, rtol=1e-9, atol=1e-9)
    pd.testing.assert_series_equal(plain["p"], scaled["p"])
    for column in ("delta_m", "ci_low_m", "ci_high_m"):
        assert scaled[column].tolist() == pytest.approx((plain[column] * factor).tolist(), abs=1e-9)


@settings(max_examples=12)
@given(PANELS, st.integers(-40, 40))
def test_a_constant_in_the_arena_alone_moves_effect_and_interval(rows: list[tuple[int, ...]], constant: int) -> None:
    values = np.array(rows, dtype=np.float64)
    plain, moved = (_effects(values[:, :2], values[:, 2:] + shift, draws=50) for shift in (0, constant))
    for column in ("delta_m", "ci_low_m", "ci_high_m"):
        assert moved[column].tolist() == pytest.approx((plain[column] + constant).tolist(), abs=1e-9)
