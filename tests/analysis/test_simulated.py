"""Simulated panels with known truth: how often intervals cover it, and how often a discovery is false."""

import numpy as np
import pandas as pd
import pytest

from analysis.bootstrap import mean_limits, resample
from analysis.false_discovery import benjamini_hochberg
from analysis.signed_rank import signed_rank

PANELS = 2000
PROBLEMS = 100


def _coverage(draws: np.ndarray, truth: float) -> float:
    index = [f"P{number:03d}" for number in range(len(draws))]
    intervals = mean_limits(pd.DataFrame(draws, index=index), resample(index, seed=1, draws=4000))
    return float(np.mean([interval.low <= truth <= interval.high for interval in intervals]))


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["normal", "heavy-tailed", "skewed"])
def test_the_bootstrap_interval_covers_the_planted_effect_in_93_to_97_percent_of_panels(noise: str) -> None:
    rng = np.random.default_rng(2024)
    shape = (PROBLEMS, PANELS)
    if noise == "normal":
        drawn = rng.normal(0, 50, shape)
    elif noise == "heavy-tailed":
        drawn = rng.standard_t(5, shape) * 50
    else:
        # Most problems move little, one in four a great deal; the mean is still 0.
        drawn = rng.normal(0, 20, shape) + 60 * (rng.random(shape) < 0.25) - 15
    assert 0.93 <= _coverage(5 + drawn, 5) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("moved", [0, 3])
def test_false_discoveries_stay_within_their_nominal_share(moved: int) -> None:
    panels, models, problems = 600, 6, 30
    rng = np.random.default_rng(1995)
    shift = np.where(np.arange(models) < moved, 40.0, 0.0)
    drawn = rng.normal(0, 50, (panels, models, problems)) + shift[:, None]
    p = np.array([[signed_rank(differences).p for differences in panel] for panel in drawn])
    found = np.array([benjamini_hochberg(row).q for row in p]) < 0.05
    false_share = found[:, moved:].sum(axis=1) / np.maximum(found.sum(axis=1), 1)
    assert false_share.mean() <= 0.05 + 2 * false_share.std() / panels**0.5
    if moved:
        assert found[:, :moved].mean() > 0.9
