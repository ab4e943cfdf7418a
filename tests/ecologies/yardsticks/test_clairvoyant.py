"""What the clairvoyant is given and what its plan is worth, on a short game."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from ecologies.problems import shipped_panel
from ecologies.yardsticks.clairvoyant import LEVELS, _played, clairvoyant, instance_of, worth
from erpsim.catalogue import ACTIVE

SHORT = replace(shipped_panel().problems[0], horizon=1)


def test_dearer_lists_sell_less_and_nothing_where_nothing_is_sold() -> None:
    instance = instance_of(SHORT, asyncio.run(_played(SHORT)))
    assert instance.demand.shape == (1, len(LEVELS), 12, 3)
    assert (np.diff(instance.demand.sum(axis=(2, 3))[0]) < 0).all()
    assert (instance.demand[..., ~ACTIVE] == 0).all()
    # A day is lost before the first delivery; 5 hours a setup; a unit takes an hour's thousandth at 24,000 a day.
    assert (instance.hours[0], instance.setup_hours[0], instance.unit_hours) == (696.0, 5.0, 0.001)


def test_a_greater_margin_is_worth_more() -> None:
    game = asyncio.run(_played(SHORT))
    assert worth(SHORT, game, 0.0) < worth(SHORT, game, 2e6) < worth(SHORT, game, 4e6)


@pytest.mark.slow
def test_a_plan_keeps_within_its_bound_and_beats_the_rule_that_it_knows() -> None:
    found = clairvoyant(SHORT)
    assert found.balanced_value < found.plan_value <= found.bound_value
    assert 0 <= found.planned.gap <= 0.03
    hours = found.planned.made.sum() * 0.001
    assert hours <= 696.0
