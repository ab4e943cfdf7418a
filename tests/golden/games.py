"""The three games that are kept as text."""

from __future__ import annotations

from ecologies.ecology import RULE_NAMES
from ecologies.policy import Policy
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from tests.golden.playthrough import Game, Silent

GAMES = {"P001": "balanced", "P050": "growth", "P080": "silent"}
"""Problem and the policy whose books are shown: a baseline, a dual-pressure and a hard one."""


def game(problem_id: str) -> Game:
    """The five rules and a firm that never decides, on one problem of the panel."""
    problem = {problem.problem_id: problem for problem in shipped_panel().problems}[problem_id]
    names = ("silent", *RULE_NAMES)
    policies: tuple[Policy, ...] = (Silent(), *(rule_policy(name) for name in RULE_NAMES))
    return Game(problem, names, policies, names.index(GAMES[problem_id]))
