"""A rule's parameters as a point of the unit cube, and the one-fifth rule, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecologies.rule_cube import FIRST_STEP, GROWTH, STEPS, Cube, Span, next_step
from ecologies.rule_parameters import RULE_PARAMETERS

CUBE = Cube({"floor": Span(0.5, 1.5), "setup_cut": Span(0, 4, whole=True)}, Span(0.8, 1.2))


def test_a_rule_is_a_point_and_a_point_is_its_fields() -> None:
    rule = replace(RULE_PARAMETERS["balanced"], floor=1.0, setup_cut=3, channel_tilt=(0.8, 1.0, 1.2))
    assert CUBE.coded(rule) == pytest.approx([0.5, 0.75, 0.0, 0.5, 1.0])
    fields = CUBE.decoded([0.5, 0.75, 0.0, 0.5, 1.0])
    assert fields == {"floor": 1.0, "setup_cut": 3, "channel_tilt": pytest.approx((0.8, 1.0, 1.2))}


def test_a_whole_parameter_is_rounded() -> None:
    assert CUBE.decoded([0.0, 0.7, 0.0, 0.0, 0.0])["setup_cut"] == 3


def test_one_success_in_five_keeps_the_step() -> None:
    step = next_step(FIRST_STEP, won=True)
    assert step == GROWTH * FIRST_STEP
    for _ in range(4):
        step = next_step(step, won=False)
    assert step == pytest.approx(FIRST_STEP)


def test_a_step_stays_within_its_bounds() -> None:
    assert next_step(STEPS[1], won=True) == STEPS[1]
    assert next_step(STEPS[0], won=False) == STEPS[0]
