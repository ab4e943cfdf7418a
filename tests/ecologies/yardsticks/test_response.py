"""The search for a best response: what it may find, and that it finds the same again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ecologies.ecology import RULE_NAMES
from ecologies.problems import shipped_panel
from ecologies.rule_parameters import RULE_PARAMETERS
from ecologies.rules import RulePolicy
from ecologies.yardsticks.played import against_rules
from ecologies.yardsticks.response import SPANS, TILT, _coded, _decoded, plain, search

SHORT = replace(shipped_panel().problems[0], horizon=1)


@pytest.mark.parametrize("name", RULE_NAMES)
def test_a_rules_parameters_survive_the_unit_cube(name: str) -> None:
    row = RULE_PARAMETERS[name]
    again = _decoded(row, _coded(row))
    assert plain(again) == plain(row)


def test_corners_of_the_cube_are_the_ends_of_the_spans() -> None:
    row = RULE_PARAMETERS["balanced"]
    for corner, end in ((0.0, "low"), (1.0, "high")):
        found = _decoded(row, np.full(len(SPANS) + 3, corner))
        assert {name: getattr(found, name) for name in SPANS} == {
            name: getattr(span, end) for name, span in SPANS.items()
        }
        assert found.channel_tilt == (getattr(TILT, end),) * 3


def test_what_is_found_is_worth_what_is_said_and_found_again() -> None:
    found = search(SHORT, evaluations=12)
    assert found.valuation >= found.best_rule_valuation
    assert found.best_rule_valuation == max(
        against_rules(SHORT, RulePolicy(RULE_PARAMETERS[name])) for name in RULE_NAMES
    )
    assert against_rules(SHORT, RulePolicy(found.parameters)) == found.valuation
    assert search(SHORT, evaluations=12) == found
