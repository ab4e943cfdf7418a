"""Every policy in every ecology: it plays to the end, the same way twice, and sees nothing that it may not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from ecologies.arena import arena_market
from ecologies.ecology import RULE_NAMES, SEATS, Market
from ecologies.local import MarketRecords, play_market
from ecologies.policy import Policy, PolicySpec, Scripted
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from ecologies.solo import solo_market
from erpsim.observation import Observation
from erpsim.problem import Problem
from erpsim.proposal import Proposal
from tests.golden.playthrough import Silent

PROBLEMS = {problem.stratum: replace(problem, horizon=3) for problem in reversed(shipped_panel().problems)}
"""The first problem of each stratum, three rounds of it."""
POLICIES: dict[str, Callable[[], Policy]] = {
    **{name: (lambda name=name: rule_policy(name)) for name in RULE_NAMES},  # type: ignore[misc]
    "silent": Silent,
    "idle": lambda: Scripted({}),
}
MODELS = tuple(PolicySpec("model", f"lab/{letter}") for letter in "abcdef")


class Watched:
    """A policy whose observations are kept as text."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.seen: list[str] = []

    async def decide(self, observation: Observation) -> Proposal:
        """Ask the policy, and keep what it saw."""
        self.seen.append(repr(observation))
        return await self.policy.decide(observation)


def seated(market: Market, focal: Policy) -> list[Policy]:
    """The focal policy in seat 0, the market's rules in their seats, and the focal one's like in the models' seats."""
    rules = [rule_policy(spec.label) if spec.kind == "rule" else focal for spec in market.seats]
    return [focal, *rules[1:]]


def market_of(ecology: str, problem: Problem) -> Market:
    if ecology == "solo":
        return solo_market(problem.problem_id, MODELS[0], 0)
    return arena_market(problem.problem_id, MODELS)


def play(ecology: str, problem: Problem, policy: Policy) -> MarketRecords:
    market = market_of(ecology, problem)
    return asyncio.run(play_market(market, problem, seated(market, policy)))


@pytest.mark.parametrize("ecology", ["solo", "arena"])
@pytest.mark.parametrize("name", POLICIES)
def test_policy_plays_to_the_end_the_same_way_twice(name: str, ecology: str) -> None:
    for problem in PROBLEMS.values():
        first, second = (play(ecology, problem, POLICIES[name]()) for _ in range(2))
        assert first == second
        assert len(first.rounds) == SEATS * problem.horizon
        assert all(row.valuation >= 0 for row in first.rounds)
        assert len(first.outcomes) == (1 if ecology == "solo" else SEATS)


@pytest.mark.parametrize("ecology", ["solo", "arena"])
def test_no_policy_sees_a_models_a_policys_or_an_ecologys_name(ecology: str) -> None:
    watched = Watched(rule_policy("balanced"))
    play(ecology, PROBLEMS["baseline"], watched)
    assert watched.seen
    for text in watched.seen:
        assert not [name for name in (*RULE_NAMES, "lab/", "solo", "arena", "standin") if name in text.lower()]
