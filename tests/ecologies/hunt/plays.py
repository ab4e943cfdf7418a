"""What the tests of the hunt share: a calm problem, and rules in which a trick is planted."""

from dataclasses import replace

from ecologies.problems import shipped_panel
from erpsim.decision import Decision
from erpsim.problem import Problem
from erpsim.round import Repaired, repair
from erpsim.state import FirmState

PROBLEMS = {problem.problem_id: problem for problem in shipped_panel().problems}
CALM = PROBLEMS["P001"]


def unlimited_dividends(state: FirmState, problem: Problem, proposal: Decision) -> Repaired:
    """The game's repair, but for any dividend that is asked: what cash does not cover becomes loan."""
    decision, events = repair(state, problem, proposal)
    granted = replace(decision.finance, dividend=max(0.0, proposal.finance.dividend))
    return Repaired(decision.model_copy(update={"finance": granted}), events)
