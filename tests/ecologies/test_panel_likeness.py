"""Generated panels of any size are like the shipped one, and a panel of another kind is not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from ecologies.panel import generate
from ecologies.panel_likeness import SMIRNOV, Likeness, likeness, summary
from ecologies.problems import shipped_panel
from erpsim.problem import Problem

SHIPPED = shipped_panel().problems


def of(found: tuple[Likeness, ...], stratum: str, name: str) -> Likeness:
    (one,) = [one for one in found if (one.stratum, one.name) == (stratum, name)]
    return one


def outside(ours: tuple[Problem, ...]) -> set[str]:
    return {one.name for one in likeness(ours, SHIPPED) if not one.within}


@pytest.mark.parametrize("count", [1, 4, 10, 30, 100, 250])
@pytest.mark.parametrize("seed", [1, 2, 1974])
def test_a_generated_panel_is_like_the_shipped_one(count: int, seed: int) -> None:
    assert outside(generate(seed, count)) == set()


def test_a_longer_game_is_like_it_too() -> None:
    assert outside(generate(3, 100, horizon=12)) == set()


def test_two_shares_by_hand() -> None:
    twice = (*SHIPPED[:2], *SHIPPED[40:42])  # two of baseline, two of dual pressure
    share = of(likeness(twice, SHIPPED), "baseline", "share")
    assert share.ours == (0.5,)
    assert share.theirs == (0.4,)
    assert share.distance == pytest.approx(0.1)
    assert share.band == pytest.approx(1 / 4 + 1 / 100)


def test_the_distance_of_two_samples_by_hand() -> None:
    # 0.01 and 0.03 against 0.02: at 0.01 half of the first lies below and nothing of the second.
    calm = replace(SHIPPED[0], stratum="baseline")
    ours = tuple(replace(calm, market=replace(calm.market, trend=trend)) for trend in (0.01, 0.03))
    theirs = (replace(calm, market=replace(calm.market, trend=0.02)),)
    trend = of(likeness(ours, theirs), "baseline", "trend")
    assert trend.distance == pytest.approx(0.5)
    assert trend.ours == pytest.approx((0.02, 0.012, 0.02, 0.028))
    assert trend.band == 1.0  # 1/2 + 1/1: no two such small samples can be told apart


def test_a_drawn_figure_may_differ_by_chance() -> None:
    size = of(likeness(SHIPPED, SHIPPED), "baseline", "size")
    assert size.distance == 0
    assert size.band == pytest.approx(SMIRNOV * math.sqrt(2 / 40))
    assert pytest.approx(2.225, abs=0.001) == SMIRNOV


def test_dearer_materials_are_seen() -> None:
    dear = [replace(one, market=replace(one.market, material_level=one.market.material_level + 0.1)) for one in SHIPPED]
    assert outside(tuple(dear)) == {"material_level"}


def test_a_panel_without_its_hard_problems_is_seen() -> None:
    found = likeness([one for one in SHIPPED if one.stratum != "hard"], SHIPPED)
    missing = [one for one in found if one.stratum == "hard"]
    assert [(one.name, one.within) for one in missing] == [("share", False)]
    assert "share in hard" in summary(found)


def test_a_kind_that_always_comes_is_seen() -> None:
    blow = next(d for one in SHIPPED for d in one.disturbances if d.kind == "carbon_price")
    calm = [one if one.disturbances else replace(one, disturbances=(blow,)) for one in SHIPPED]
    assert "carbon_price" in outside(tuple(calm))


def test_a_summary_counts() -> None:
    assert summary(likeness(SHIPPED, SHIPPED)) == "92 of 92 statistics within their bands"
    assert "cannot miss: too few problems" in summary(likeness(SHIPPED[:4], SHIPPED))
