"""Firms settled together are settled as each would be alone, byte for byte, whatever they decided."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecologies.rule_parameters import RULE_PARAMETERS
from ecologies.rules import decide_rule
from erpsim.decision import Decision
from erpsim.feasibility import repair
from erpsim.market import clear
from erpsim.observe import observe
from erpsim.opening import open_firm
from erpsim.planning import plan
from erpsim.problem import Problem
from erpsim.result import Traded
from erpsim.settlement import settle, settle_all
from erpsim.state import FirmState
from tests.erpsim.samples import busy_opening, calm_problem
from tests.erpsim.strategies import decisions, working_decisions

rules = st.sampled_from(sorted(RULE_PARAMETERS))
wishes = st.one_of(rules, working_decisions, decisions)


def _bytes(value: Any) -> Any:
    """A value as something that equals only what is the same to the last bit, arrays' types and locks included."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes(), value.flags.writeable
    if is_dataclass(value) and not isinstance(value, type):
        return type(value), [_bytes(getattr(value, one.name)) for one in fields(value)]
    return [_bytes(item) for item in value] if isinstance(value, tuple) else (type(value), repr(value))


def _problem(seed: int, poor: bool) -> Problem:
    return replace(calm_problem(seed=seed), problem_id=f"P{seed:03}", opening=busy_opening(poor=poor))


def _wish(state: FirmState, problem: Problem, wish: str | Decision, n_firms: int) -> Decision:
    return decide_rule(RULE_PARAMETERS[wish], observe(state, problem, n_firms)) if isinstance(wish, str) else wish


def _traded(problem: Problem, states: list[FirmState], wanted: list[str | Decision]) -> list[Traded]:
    """A round of one market up to its books."""
    asked = [_wish(state, problem, wish, len(states)) for state, wish in zip(states, wanted, strict=True)]
    plans = [
        plan(state, problem, repair(state, problem, one).decision) for state, one in zip(states, asked, strict=True)
    ]
    sales = clear(problem, states[0].round_number, [one.offer for one in plans]).sales
    rows = zip(states, plans, sales, strict=True)
    return [Traded(state, problem, planned, sold) for state, planned, sold in rows]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(st.lists(wishes, min_size=6, max_size=6), min_size=1, max_size=3),
    st.integers(0, 4),
    st.booleans(),
)
def test_firms_of_two_markets_settle_together_as_alone(
    rounds: list[list[str | Decision]], seed: int, poor: bool
) -> None:
    problems = [_problem(seed, poor), _problem(seed + 1, not poor)]
    markets = [[open_firm(problem, seat) for seat in range(3)] for problem in problems]
    for wanted in rounds:
        halves = (wanted[:3], wanted[3:])
        firms = [one for row in zip(problems, markets, halves, strict=True) for one in _traded(*row)]
        together = settle_all(firms)
        assert [_bytes(one) for one in together] == [_bytes(settle(*firm)) for firm in firms]
        markets = [[one.state for one in together[:3]], [one.state for one in together[3:]]]
