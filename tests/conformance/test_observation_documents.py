"""Every observation of whole games is written as its schema says, and tells nothing that a firm may not see."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import jsonschema
import pytest

from ecologies.arena import arena_market
from ecologies.ecology import RULE_NAMES, Market
from ecologies.local import play_market
from ecologies.mixed import mixed_market
from ecologies.policy import PolicySpec
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from ecologies.solo import solo_market
from erpsim.observation import Observation
from erpsim.observation_document import observation_json, observation_schema
from erpsim.problem import Problem
from erpsim.proposal import Proposal

PROBLEMS: dict[str, Problem] = {
    problem.stratum: replace(problem, horizon=3) for problem in reversed(shipped_panel().problems)
}
"""The first problem of each stratum, three rounds of it."""
MODELS = tuple(PolicySpec("http", f"lab/{letter}") for letter in "abcdef")
VALIDATOR = jsonschema.Draft202012Validator(observation_schema())


class Noted:
    """The balanced rule, and the text of every observation that it was shown."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.rule = rule_policy("balanced")

    async def decide(self, observation: Observation) -> Proposal:
        """Note what is seen, and decide as the rule."""
        self.texts.append(json.dumps(observation_json(observation), allow_nan=False))
        return await self.rule.decide(observation)


def markets(problem_id: str) -> dict[str, Market]:
    """One market of each ecology, the mixed one larger than what a report shows in full."""
    return {
        "solo": solo_market(problem_id, MODELS[0], 0),
        "arena": arena_market(problem_id, MODELS),
        "mixed": mixed_market(problem_id, [MODELS[0]] * 14),
    }


def texts_of(ecology: str, stratum: str) -> list[str]:
    problem, noted = PROBLEMS[stratum], Noted()
    market = markets(problem.problem_id)[ecology]
    policies = [rule_policy(spec.label) if spec.kind == "rule" else noted for spec in market.seats]
    asyncio.run(play_market(market, problem, policies))
    return noted.texts


@pytest.mark.parametrize("ecology", ["solo", "arena", "mixed"])
@pytest.mark.parametrize("stratum", PROBLEMS)
def test_every_observation_of_a_game_is_as_the_schema_says(stratum: str, ecology: str) -> None:
    texts = texts_of(ecology, stratum)
    assert len(texts) == 3 * {"solo": 1, "arena": 6, "mixed": 14}[ecology]
    faults = [error.json_path for text in texts for error in VALIDATOR.iter_errors(json.loads(text))]
    assert faults == []


@pytest.mark.parametrize("ecology", ["solo", "arena", "mixed"])
def test_no_observation_names_a_model_a_policy_or_an_ecology(ecology: str) -> None:
    for text in texts_of(ecology, "baseline"):
        assert not [name for name in (*RULE_NAMES, "lab/", "solo", "arena", "standin") if name in text.lower()]
