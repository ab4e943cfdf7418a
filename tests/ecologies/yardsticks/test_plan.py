"""Plans that can be made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ecologies.yardsticks.plan import Instance, solve
from erpsim.units import frozen


def one_sku(hours: float = 100.0) -> Instance:
    """Two rounds, two prices, one SKU: 60,000 units at 4 EUR or 30,000 at 6, made for 2 at 1,000 units an hour."""
    return Instance(
        demand=frozen(np.array([[[[60_000.0]], [[30_000.0]]]] * 2)),
        prices=frozen(np.array([[[4.0]], [[6.0]]])),
        unit_cost=frozen(np.array([[2.0], [2.0]])),
        selling_cost=frozen(np.zeros(2)),
        hours=frozen(np.array([hours, hours])),
        setup_hours=frozen(np.array([8.0, 8.0])),
        unit_hours=0.001,
        opening=frozen(np.array([0.0])),
        lot_minimum=16_000,
        lot_maximum=48_000,
        runs_maximum=2,
    )


def test_a_price_is_chosen_by_what_the_line_can_make() -> None:
    # 60,000 units at 4 - 2 earn 120,000 a round, 30,000 at 6 - 2 as much; with 40 h the line makes 32,000 in a run:
    # 64,000 at 4, 120,000 at 6. In both rounds the dear list.
    planned = solve(one_sku(hours=40.0), gap=1e-6)
    assert planned.lists.tolist() == [1, 1]
    assert planned.margin == pytest.approx(240_000.0)
    assert planned.made.ravel().tolist() == pytest.approx([30_000.0, 30_000.0])
    assert planned.bound == pytest.approx(planned.margin, rel=1e-5)


def test_goods_are_kept_for_a_round_in_which_they_are_worth_more() -> None:
    # The first round sells nothing; the second 60,000 at 6. Each round makes 32,000 at most: all 60,000 are sold.
    demand = np.array([[[[0.0]], [[0.0]]], [[[0.0]], [[60_000.0]]]])
    planned = solve(replace(one_sku(hours=40.0), demand=demand), gap=1e-6)
    assert planned.sold[1, 0, 0] == pytest.approx(60_000.0)
    assert planned.made.sum() == pytest.approx(60_000.0)
    assert planned.margin == pytest.approx(60_000 * 4.0)


def test_a_lot_below_the_smallest_is_not_made() -> None:
    # 10,000 units at 6 are not worth 16,000 made at 4: 60,000 - 64,000.
    demand = np.array([[[[0.0]], [[10_000.0]]]])
    instance = replace(
        one_sku(),
        demand=demand,
        unit_cost=np.array([[4.0]]),
        selling_cost=np.zeros(1),
        hours=np.array([100.0]),
        setup_hours=np.array([8.0]),
    )
    assert solve(instance, gap=1e-6).margin == pytest.approx(0.0)
    opened = replace(instance, opening=np.array([5_000.0]))
    assert solve(opened, gap=1e-6).margin == pytest.approx(30_000.0)
