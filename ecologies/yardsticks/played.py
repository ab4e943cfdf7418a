"""What simple play is worth on a problem: the same seat played by nobody, at random and by each rule."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

from ecologies.ecology import RULE_NAMES
from ecologies.local import play_rounds
from ecologies.policy import Policy, Scripted
from ecologies.rules import rule_policy
from ecologies.yardsticks.random_valid import RandomValid
from erpsim.problem import Problem

SEAT: Final = 0
"""The seat that is measured; the five rules play the others, as in Solo."""
DRAWS: Final = 3
"""Random plays of a problem, of which the mean is taken."""


class Played(NamedTuple):
    """Final valuations of one seat against the five rules, EUR."""

    do_nothing: float  # no decision asks for anything
    random_valid: float  # mean of `DRAWS` plays
    rules: tuple[float, ...]  # in the order of RULE_NAMES


def played(problem: Problem) -> Played:
    """Play a problem once with each simple policy in the measured seat."""
    return Played(
        do_nothing=against_rules(problem, Scripted({})),
        random_valid=sum(against_rules(problem, RandomValid(draw)) for draw in range(DRAWS)) / DRAWS,
        rules=tuple(against_rules(problem, rule_policy(name)) for name in RULE_NAMES),
    )


def against_rules(problem: Problem, policy: Policy) -> float:
    """Final valuation in EUR of a policy that meets the five rules."""
    return final_valuations(problem, [policy, *map(rule_policy, RULE_NAMES)])[SEAT]


def final_valuations(problem: Problem, policies: Sequence[Policy]) -> tuple[float, ...]:
    """Play a market and give every seat's final valuation in EUR."""
    return asyncio.run(_final(problem, policies))


async def _final(problem: Problem, policies: Sequence[Policy]) -> tuple[float, ...]:
    last: tuple[float, ...] = ()
    async for one in play_rounds(problem, policies):
        last = tuple(settled.result.valuation for settled in one.settled)
    return last
