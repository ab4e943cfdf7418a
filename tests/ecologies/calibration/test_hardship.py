"""Effects that were put in come out again."""

from __future__ import annotations

import numpy as np
import pytest

from ecologies.calibration.hardship import hardship
from ecologies.panel import generate

PROBLEMS = generate(11, 200)


def test_additive_costs_are_found() -> None:
    cost = {"demand_slump": -30e6, "credit_freeze": -5e6}
    worth = np.array([
        200e6 + 100e6 * np.log(one.market.size) + sum(cost.get(blow.kind, 0.0) for blow in one.disturbances)
        for one in PROBLEMS
    ])  # fmt: skip
    found = hardship(PROBLEMS, worth)
    assert found.effects["demand_slump", "strong"].mean == pytest.approx(-30e6, rel=1e-6)
    assert found.effects["credit_freeze", "mild"].mean == pytest.approx(-5e6, rel=1e-6)
    assert found.effects["setup_time", "strong"].mean == pytest.approx(0, abs=1)
    assert found.explained == pytest.approx(1)
    harsh = next(one for one in PROBLEMS if one.scenario == "demand_slump+material_price")
    assert found.of(harsh) == pytest.approx(-30e6, abs=1)


def test_noise_shows_as_errors_and_residual() -> None:
    noise = np.random.default_rng(1).normal(0, 10e6, len(PROBLEMS))
    found = hardship(PROBLEMS, 200e6 + noise)
    assert found.residual == pytest.approx(10e6, rel=0.15)
    assert found.explained < 0.3
    in_errors = [one.mean / one.error for one in found.effects.values()]
    assert np.sqrt(np.mean(np.square(in_errors))) == pytest.approx(1, abs=0.5)
    effect = found.effects["carbon_price", "strong"]
    assert effect.problems == sum(
        any(blow.kind == "carbon_price" and blow.level == "strong" for blow in one.disturbances) for one in PROBLEMS
    )
