"""Cases from the failures of other projects' statistics, each named by its id."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis import interventions, metrics
from analysis.agreement import model_correlations
from analysis.bootstrap import METHOD, limits, resample, resampled_means
from analysis.false_discovery import benjamini_hochberg
from analysis.paired import effects
from analysis.signed_rank import ALL_ZERO, PERMUTATION, signed_rank
from erpsim.records import EventRow, OutcomeRow
from tests.analysis.panels import cell, names, one_ecology, outcomes, problems, record
from tests.analysis.runs import outcomes as run_outcomes
from tests.analysis.runs import taken
from tests.analysis.samples import event, frame, two_by_two


def _effects(table: pd.DataFrame, models: int) -> pd.DataFrame:
    return effects(metrics.differences(table), names(models), resample(table["problem_id"], 1, 200))


@pytest.mark.parametrize("n", [6, 100])
def test_g5_01_differences_that_are_all_zero_have_p_1_whatever_their_number(n: int) -> None:
    values = np.random.default_rng(n).normal(200, 50, (n, 1))
    row = record(_effects(problems(values, values), 1))
    assert (row["p"], row["delta_m"], row["method"], row["all_zero"]) == (1, 0, ALL_ZERO, True)


def test_g5_03_tied_small_samples_are_permuted_and_say_so() -> None:
    result = signed_rank(np.array([2.0, -2, 3, 5, 7, 8]))
    assert result.p == 0.09375
    assert (result.method, result.tied) == (PERMUTATION, 2)
    table = problems([[10.1]] * 6, [[10.1 + step] for step in (2, -2, 3, 5, 7, 8)])
    assert cell(_effects(table, 1), "p") == 0.09375


def test_g5_05_pairs_are_joined_by_problem_and_not_by_the_order_of_rows() -> None:
    x = np.arange(0.0, 88, 3)
    y = x[::-1] + 2
    table = problems(x[:, None], y[:, None])
    shuffled = table.sample(frac=1, random_state=1)
    found, again = _effects(table, 1), _effects(shuffled, 1)
    assert cell(found, "p") == cell(again, "p") == pytest.approx(0.887, abs=0.0005)
    # What sorting each column before the test would have given.
    assert stats.wilcoxon(np.sort(y) - np.sort(x), correction=False).pvalue < 1e-6


def test_g5_07_adjusted_values_are_monotone_and_in_the_original_order() -> None:
    found = benjamini_hochberg([0.012, 0.9, 0.010, 0.95, 0.011, 0.99])
    assert found.q.tolist() == pytest.approx([0.024, 0.99, 0.024, 0.99, 0.024, 0.99], abs=1e-12)


def test_g5_09_an_undefined_p_value_is_held_out_and_the_family_is_stated() -> None:
    found = benjamini_hochberg([0.05, 0.002, 0.03, np.nan, 0.009, 0.8])
    assert found.q.tolist() == pytest.approx([0.0625, 0.01, 0.05, np.nan, 0.0225, 0.8], abs=1e-12, nan_ok=True)
    assert found.family_size == 5


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_g5_11_ties_share_the_mean_rank_and_what_is_not_finite_has_none(odd: float) -> None:
    ranks = one_ecology([[252.3, 263.9, 252.3, -10, odd, 252.3]])["rank"]
    assert ranks.tolist() == pytest.approx([3, 1, 3, 5, np.nan, 3], nan_ok=True)


def test_g5_13_both_ecologies_are_resampled_by_the_same_problems() -> None:
    rng = np.random.default_rng(13)
    solo = rng.normal(200, 50, (100, 1))
    arena = solo + 5 + rng.normal(0, 3, (100, 1))
    table = problems(solo, arena)
    resamples = resample(table["problem_id"], 1, 2000)
    row = record(effects(metrics.differences(table), names(1), resamples))
    assert row["ci_low_m"] < 5 < row["ci_high_m"]
    assert row["ci_high_m"] - row["ci_low_m"] < 1.5
    one, two = (
        resampled_means(metrics.wide(table, (name, "")), resample(table["problem_id"], seed, 2000))[:, 0]
        for name, seed in (("solo", 1), ("arena", 2))
    )
    apart = limits(two - one)
    assert apart.high - apart.low > 15


def test_g5_15_an_interval_of_95_percent_takes_the_percentiles_2_5_and_97_5() -> None:
    assert limits(np.arange(1, 1001) / 1000) == pytest.approx((0.025975, 0.975025), abs=1e-12)
    assert "linear" in METHOD
    assert "type 7" in METHOD


def test_g5_17_a_constant_model_leaves_the_correlations_of_the_others() -> None:
    values = np.random.default_rng(17).normal(size=(10, 6))
    values[:, [0, 3]] = 5.0
    rho = model_correlations(one_ecology(values))
    constant = rho["model"].isin(["m0", "m3"]) | rho["opponent"].isin(["m0", "m3"])
    assert rho["rho"][constant].isna().all()
    assert rho["rho"][~constant].notna().all()
    assert (~constant).sum() == 12


@pytest.mark.parametrize("dtype", ["object", None])
def test_g5_19_a_missing_model_is_no_model_whatever_the_type_of_text(dtype: str | None) -> None:
    events = frame([event("solo", "a", "traceback"), event("solo", None, "traceback")], EventRow)
    events["model"] = pd.Series([None if pd.isna(name) else name for name in events["model"]], dtype=dtype)
    counted = interventions.counts(events, {("solo", ""): ("a", "b")})
    assert cell(counted, "n", model="a", category="traceback") == 1
    assert counted["n"].sum() == 1
    rates = interventions.per_trajectory(events, metrics.trajectories(frame(two_by_two(), OutcomeRow)))
    assert rates["n"].sum() == 1


def test_g5_21_what_the_infrastructure_lost_is_missing_and_in_no_denominator() -> None:
    rng = np.random.default_rng(21)
    solo = rng.normal(200, 20, (100, 2)).round(2)
    arena = solo + 3
    arena[[10, 20], 0] = np.nan
    found = taken(run_outcomes(solo, arena), draws=200)
    row = record(found.effects, model="m0")
    assert row["n"] == 98
    assert row["delta_m"] == pytest.approx(3)
    assert cell(found.effects, "n", model="m1") == 100
    assert found.same_winner.n_problems == 98
    assert cell(found.bounds, "missing", ecology="arena", model="m0") == 2
    part = next(part for part in found.certificate["coverage"]["parts"] if part["ecology"] == "arena")
    assert (part["trajectories_planned"], part["trajectories_completed"]) == (200, 198)
    assert len(found.certificate["coverage"]["missing"]) == 2


def test_g5_21_a_lost_outcome_is_not_the_worst_one() -> None:
    table = metrics.summary(metrics.by_problem(metrics.trajectories(outcomes("arena", [[np.nan, 2, 3], [3, 2, 1]]))))
    assert cell(table, "valuation_m", model="m0") == 3
    assert cell(table, "bottom_rate", model="m0") == 0
    assert cell(table, "n", model="m0") == 1
