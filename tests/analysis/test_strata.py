"""Effects and levels by stratum."""

import numpy as np
import pandas as pd
import pytest

from analysis import metrics
from analysis.strata import ordered_strata, stratum_effects, stratum_levels
from tests.analysis.panels import STRATA, cell, names, problems

RNG = np.random.default_rng(2)
SOLO = RNG.normal(200, 30, (40, 2)).round(3)
SHIFT = np.array([1.0, 2.0, 3.0, 4.0])[np.arange(40) % 4][:, None] * [1.0, -1.0]


def test_a_shift_in_each_stratum_is_found_exactly() -> None:
    found = stratum_effects(metrics.differences(problems(SOLO, SOLO + SHIFT)), names(2), seed=1, draws=100)
    assert list(dict.fromkeys(found["stratum"])) == list(STRATA)
    assert found["n"].tolist() == [10] * 8
    for column in ("delta_m", "ci_low_m", "ci_high_m"):
        assert found[column].tolist() == pytest.approx([1, -1, 2, -2, 3, -3, 4, -4])


def test_the_known_strata_come_in_their_order_and_unknown_ones_after_them() -> None:
    assert ordered_strata(["zebra", "hard", "baseline", "apple", "hard"]) == ["baseline", "hard", "apple", "zebra"]


def test_a_stratum_of_one_problem_has_an_effect_and_no_interval() -> None:
    found = stratum_effects(metrics.differences(problems(SOLO[:1], SOLO[:1] + 5)), names(2), seed=1, draws=50)
    assert found["delta_m"].tolist() == pytest.approx([5, 5])
    assert found[["ci_low_m", "ci_high_m"]].isna().all(axis=None)


def test_a_stratum_keeps_its_interval_whatever_other_strata_hold() -> None:
    pairs = metrics.differences(problems(SOLO, SOLO + RNG.normal(0, 5, SOLO.shape)))
    whole = stratum_effects(pairs, names(2), seed=1, draws=200)
    alone = stratum_effects(pairs[pairs["stratum"] == "hard"], names(2), seed=1, draws=200)
    pd.testing.assert_frame_equal(whole[whole["stratum"] == "hard"].reset_index(drop=True), alone)


def test_levels_are_means_within_the_stratum() -> None:
    levels = stratum_levels(problems(SOLO, SOLO + SHIFT))
    where = {"stratum": "random_hard", "ecology": "arena", "model": "m1"}
    assert cell(levels, "valuation_m", **where) == pytest.approx(SOLO[3::4, 1].mean() - 4)
    assert cell(levels, "n", **where) == 10
    assert list(dict.fromkeys(levels["stratum"])) == list(STRATA)


def test_no_pairs_have_no_strata() -> None:
    assert stratum_effects(metrics.differences(problems([[np.nan]], [[1.0]])), names(1), seed=1).empty
