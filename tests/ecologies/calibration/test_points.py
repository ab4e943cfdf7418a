"""Points judged on rows made by hand: each passes inside its band and fails outside."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from ecologies.calibration.measures import LEVELS
from ecologies.calibration.points import CONSTRAINTS, STRATUM_PANEL, STRATUM_PROBLEMS, Measured, median_error, points
from ecologies.calibration.rule_markets import Binding
from ecologies.panel import generate

FINAL = [300e6, 200e6, 250e6, 220e6, 210e6]


def row(index: int, stratum: str, **changes: Any) -> dict[str, Any]:
    """A problem on which all is well; the rule that wins goes round."""
    level = {"baseline": 1.0, "dual_pressure": 0.9, "hard": 0.8, "random_hard": 0.7}[stratum]
    final = [level * FINAL[(rule + index) % 5] for rule in range(5)]
    return {
        "problem_id": f"P{index:03d}",
        "stratum": stratum,
        "valuations": [final],
        "bindings": [["lmcs", "", "", "", ""]],
        "winners": ["a", "b"] if index % 2 else ["a", "a"],
        "levels": [float(100 - abs(level - 1.5)) for level in LEVELS],
        "mistakes": {"dear": [5e6, 1e6]},
    } | changes


def panel(**changes: Any) -> Measured:
    strata = ("baseline", "dual_pressure", "hard", "random_hard")
    measured = [row(index, strata[index // 10], **changes) for index in range(40)]
    played = [{"rules": {"balanced": 200e6}, "random_valid": 50e6, "do_nothing": 20e6}]
    searched = [{"problem_id": "P001", "valuation": 110e6, "best_rule": "growth", "best_rule_valuation": 100e6}]
    return Measured("by hand", tuple(measured), tuple(played), tuple(searched))


def test_all_points_are_met_by_a_panel_on_which_all_is_well() -> None:
    assert [(point.passed, point.lacks) for point in points(panel())] == [(True, "")] * 9


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (1, {"valuations": [[1e6, 2e6, 3e6, 4e6, 5e6]]}),
        (2, {"levels": [float(index) for index in range(len(LEVELS))]}),
        (3, {"valuations": [[100e6, 99e6, 98e6, 97e6, 96e6]]}),
        (4, {"valuations": [[100e6, 99e6, 98e6, 97e6, 96e6]]}),
        (5, {"bindings": [["lmc", "", "", "", ""]]}),
        (7, {"mistakes": {"dear": [1e6, 5e6]}}),
        (8, {"winners": ["a", "a"]}),
    ],
)
def test_a_point_outside_its_band_fails(number: int, changes: dict[str, Any]) -> None:
    assert not points(panel(**changes))[number - 1].passed


def test_balanced_and_the_search_must_be_clearly_better() -> None:
    good = panel()
    dull = Measured("dull", good.measured, ({**good.played[0], "random_valid": 150e6},), good.response)
    assert not points(dull)[5].passed
    near = Measured("near", good.measured, good.played, ({**good.response[0], "valuation": 104e6},))
    assert not points(near)[8].passed
    assert not points(Measured("none", good.measured, good.played))[8].passed


def test_the_table_of_a_point_has_its_figures() -> None:
    third = points(panel())[2]
    assert [share for _, share in third.rows] == ["20%"] * 5
    eighth = points(panel())[7]
    assert eighth.rows[-1][1] == "50%"


def test_a_panel_that_is_too_small_for_a_band_is_told_what_would_do() -> None:
    good = panel()
    one = points(replace(good, measured=good.measured[:1]))
    assert one[2].lacks == "5% of 1 problem is less than one; check a panel of 20 or more"
    assert one[7].lacks == "15% of 1 problem is less than one; check a panel of 7 or more"
    assert [number for number, point in enumerate(one, start=1) if point.lacks] == [3, 4, 8]
    short = points(replace(good, measured=good.measured[:-1]))[3]
    assert short.lacks == (
        "9 of its problems are random_hard, and a stratum's median needs 10;"
        " check a panel with as many of each, such as one that is generated with 65 or more problems"
    )


@pytest.mark.parametrize(("count", "enough"), [(STRATUM_PANEL, True), (STRATUM_PANEL - 1, False)])
def test_the_panel_that_is_said_to_do_is_the_smallest_that_does(count: int, enough: bool) -> None:
    strata = Counter(problem.stratum for problem in generate(1, count))
    assert (min(strata.values()) >= STRATUM_PROBLEMS) is enough


def test_the_error_of_a_median_is_of_the_problems_that_a_panel_has() -> None:
    alike = [[100e6] * 5] * 12
    assert median_error(alike) == 0
    spread = [[100e6 + 10e6 * index] * 5 for index in range(-6, 7)]
    # Of thirteen values ten apart, about 1.25 standard deviations over the root of their number.
    assert median_error(spread) == pytest.approx(1.25 * 37.4e6 / math.sqrt(13), rel=0.35)
    assert median_error([row * 7 for row in spread]) == median_error(spread)
    assert math.isnan(median_error(alike[:1]))


def test_what_binds_is_named_as_it_is_measured() -> None:
    assert tuple(CONSTRAINTS.values()) == Binding._fields
