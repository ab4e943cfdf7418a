import numpy as np
import pytest

from ecologies.hunt.evolve import advance
from ecologies.hunt.games import BASE, play, rule_decider
from ecologies.hunt.genome import LENGTH, RAW_START, RULE_GENES
from ecologies.hunt.islands import Hunt, Island, opened
from ecologies.hunt.objectives import SEARCHES, Baseline, Search, baseline
from ecologies.hunt.overlay import decider
from ecologies.hunt.profile import profile
from ecologies.hunt.proposals import CORNERS, proposed
from ecologies.hunt.tricks import verdicts
from tests.ecologies.hunt.plays import CALM, unlimited_dividends


def island(search: Search, plays: int = 0) -> Island:
    return Island("P001", search, plays, 0.0, 0.15, opened(CALM, search, Baseline(0.0, 0.0)).genome)


def setting(pool: tuple[np.ndarray, ...] = ()) -> Hunt:
    return Hunt(CALM, Baseline(0.0, 0.0), pool)


def test_every_corner_is_tried_first() -> None:
    for number, corner in enumerate(CORNERS):
        tried = proposed(island("tricks", number), setting())
        changed = (tried != island("tricks").genome)[RAW_START:].reshape(-1, 6)
        assert changed[corner.family, corner.start :].all()
        assert changed.sum() == 6 - corner.start


def test_management_moves_parameters_alone() -> None:
    pool = (np.ones(LENGTH),)
    for number in range(60):
        tried = proposed(island("management", number), setting(pool))
        assert (tried[RULE_GENES:] == island("management").genome[RULE_GENES:]).all()


def test_the_endgame_moves_the_last_round_alone() -> None:
    for number in range(100):
        tried = proposed(island("endgame", number), setting((np.ones(LENGTH),)))
        changed = tried != island("endgame").genome
        assert not changed[:RAW_START].any()
        assert not changed[RAW_START:].reshape(-1, 6)[:, :-1].any()


@pytest.mark.parametrize("search", SEARCHES)
def test_proposals_stay_in_the_cube_and_depend_on_the_play_alone(search: Search) -> None:
    for number in range(len(CORNERS), len(CORNERS) + 60):
        one = proposed(island(search, number), setting((np.zeros(LENGTH), np.ones(LENGTH))))
        again = proposed(island(search, number), setting((np.zeros(LENGTH), np.ones(LENGTH))))
        assert (one == again).all()
        assert ((one >= 0) & (one <= 1)).all()
        assert (np.round(one, 4) == one).all()


@pytest.mark.slow
def test_a_search_in_two_parts_is_the_search_in_one() -> None:
    base = baseline(CALM)
    whole = advance(opened(CALM, "management", base), Hunt(CALM, base), 6)
    half = advance(opened(CALM, "management", base), Hunt(CALM, base), 3)
    parts = advance(half, Hunt(CALM, base), 3)
    assert (parts.genome == whole.genome).all()
    assert (parts.plays, parts.score, parts.step) == (whole.plays, whole.score, whole.step)
    start = opened(CALM, "management", base).genome
    assert whole.score >= play(CALM, decider(start)).worth


@pytest.mark.slow
def test_the_hunt_finds_planted_dividends_on_credit_and_names_them() -> None:
    base = baseline(CALM)
    found = advance(opened(CALM, "tricks", base), Hunt(CALM, base, (), unlimited_dividends), 20)
    best = play(CALM, decider(found.genome), unlimited_dividends)
    assert best.worth == found.score
    assert best.worth > 2 * base.worth
    ordinary = profile(play(CALM, rule_decider(BASE)))
    judged = verdicts(best, decider(found.genome), ordinary, unlimited_dividends)
    assert [verdict.name for verdict in judged if verdict.named(best.worth)] == ["dividends"]


@pytest.mark.slow
def test_the_same_search_under_the_rules_as_they_are_finds_no_dividends() -> None:
    base = baseline(CALM)
    found = advance(opened(CALM, "tricks", base), Hunt(CALM, base), 20)
    assert found.score < 1.05 * base.worth
    assert profile(play(CALM, decider(found.genome))).dividend_share < 0.05
