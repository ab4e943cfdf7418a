import numpy as np

from ecologies.ecology import RULE_NAMES
from ecologies.hunt.games import BASE, HUNTER, branch, play, rule_decider
from ecologies.hunt.genome import LENGTH
from ecologies.hunt.overlay import decider
from ecologies.local import play_rounds
from ecologies.rules import rule_policy
from erpsim.decision import Decision
from erpsim.observation import Observation
from tests.ecologies.hunt.plays import CALM


async def test_a_hunted_game_is_the_game_that_everybody_plays() -> None:
    game = play(CALM, rule_decider(BASE))
    policies = [rule_policy("balanced"), *map(rule_policy, RULE_NAMES)]
    reference = [one async for one in play_rounds(CALM, policies)]
    for hunted, played in zip(game.rounds, reference, strict=True):
        assert hunted.executed == played.turns[HUNTER].decision
        ours = [result.valuation for result in hunted.results]
        assert ours == [settled.result.valuation for settled in played.settled]
    assert game.worth == reference[-1].settled[HUNTER].result.valuation
    assert game.rivals_worth == sum(settled.result.valuation for settled in reference[-1].settled[1:])


def test_a_branch_is_the_whole_game_played_anew() -> None:
    before = play(CALM, rule_decider(BASE))

    def late(observation: Observation) -> Decision:
        own = rule_decider(BASE)(observation)
        return own if observation.round_number < 5 else own.model_copy(update={"production": ()})

    assert branch(before, 5, late).worth == play(CALM, late).worth
    assert branch(before, 5, late).worth < before.worth


def test_equal_genomes_play_equal_games() -> None:
    genome = np.full(LENGTH, 0.5)
    assert play(CALM, decider(genome)).worth == play(CALM, decider(genome)).worth
