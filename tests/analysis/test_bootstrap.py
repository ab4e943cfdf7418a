"""Resamples of problems and percentile intervals."""

import numpy as np
import pandas as pd
import pytest

from analysis.bootstrap import Interval, limits, mean_limits, resample, resampled_means

IDS = [f"P{number}" for number in range(8)]


def test_every_resample_holds_as_many_problems_as_there_are() -> None:
    resamples = resample(IDS, seed=1, draws=200)
    assert resamples.counts.shape == (200, 8)
    assert set(resamples.counts.sum(axis=1)) == {8}
    assert not resamples.counts.flags.writeable


def test_the_counts_are_those_of_the_drawn_indices() -> None:
    drawn = np.random.default_rng(3).integers(8, size=(5, 8))
    assert resample(IDS, seed=3, draws=5).counts.tolist() == [np.bincount(row, minlength=8).tolist() for row in drawn]


def test_a_seed_reproduces_the_resamples_and_another_gives_others() -> None:
    one, again, other = (resample(IDS, seed, draws=50).counts for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_neither_order_nor_repeats_of_problem_ids_matter() -> None:
    one, two = resample(IDS, 1, 20), resample([*reversed(IDS), *IDS], 1, 20)
    assert one.problem_ids == two.problem_ids
    assert np.array_equal(one.counts, two.counts)


def test_the_global_generator_is_neither_used_nor_moved() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    resample(IDS, 1, 20)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]  # noqa: NPY002


def test_resampled_means_equal_means_of_the_drawn_rows() -> None:
    values = np.random.default_rng(0).normal(size=(8, 3))
    means = resampled_means(pd.DataFrame(values, index=IDS), resample(IDS, 5, 30))
    drawn = np.random.default_rng(5).integers(8, size=(30, 8))
    assert np.allclose(means, values[drawn].mean(axis=1), rtol=0, atol=1e-14)


def test_a_resample_uses_the_problems_in_it_that_have_a_value() -> None:
    table = pd.DataFrame({"a": [1.0, np.nan], "b": [1.0, 3.0]}, index=["P0", "P1"])
    resamples = resample(["P0", "P1"], seed=0, draws=100)
    means = resampled_means(table, resamples)
    only_second = resamples.counts[:, 1] == 2
    assert only_second.any()
    assert np.isnan(means[only_second, 0]).all()
    assert set(means[~only_second, 0]) == {1.0}
    assert set(means[:, 1]) == {1.0, 2.0, 3.0}


def test_a_problem_that_was_not_resampled_is_refused() -> None:
    with pytest.raises(KeyError, match="'P9' is not among the 8"):
        resampled_means(pd.DataFrame({"a": [1.0]}, index=["P9"]), resample(IDS, 1, 10))


def test_limits_of_draws_by_hand() -> None:
    # 101 draws 0, 1, … 100: the quantile at a share s is 100 s.
    assert limits(np.arange(101.0)) == pytest.approx((2.5, 97.5))
    assert limits(np.arange(101.0), level=0.5) == pytest.approx((25, 75))


def test_undefined_draws_are_left_out_and_nothing_but_them_has_no_limits() -> None:
    assert limits(np.array([np.nan, 1.0, 1.0])) == Interval(1, 1)
    assert np.isnan(limits(np.array([np.nan]))).all()


@pytest.mark.parametrize("level", [95, 1, 0, -0.1])
def test_a_level_in_percent_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match=r"write 0\.95 for 95 %"):
        limits(np.arange(3.0), level)


def test_fewer_than_two_values_have_no_interval() -> None:
    table = pd.DataFrame({"one": [4.0, np.nan], "two": [4.0, 4.0], "none": [np.nan, np.nan]}, index=["P0", "P1"])
    one, two, none = mean_limits(table, resample(table.index, 1, 100))
    assert np.isnan(one).all()
    assert two == Interval(4, 4)
    assert np.isnan(none).all()


def test_no_problem_gives_no_resample_and_no_interval() -> None:
    resamples = resample([], 1, 10)
    assert resamples.counts.shape == (10, 0)
    assert np.isnan(mean_limits(pd.DataFrame({"a": []}, dtype="float64"), resamples)[0]).all()
