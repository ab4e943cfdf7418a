import pytest

from ecologies.hunt.games import BASE, play, rule_decider
from ecologies.hunt.objectives import Harm, baseline, harm, score
from tests.ecologies.hunt.plays import CALM


@pytest.mark.parametrize(
    ("own_loss", "rivals_loss", "ratio"),
    [(10e6, 25e6, 2.5), (0.2e6, 3e6, 3.0), (-1e6, 50e6, 0.0), (5e6, -5e6, -1.0)],
    ids=["worked", "small losses count as a million", "a gain is no harm", "rivals gain"],
)
def test_harm_is_rivals_loss_for_each_euro_given_up(own_loss: float, rivals_loss: float, ratio: float) -> None:
    assert Harm(own_loss, rivals_loss).ratio == pytest.approx(ratio)


def test_the_balanced_rule_does_itself_and_others_no_harm() -> None:
    base, game = baseline(CALM), play(CALM, rule_decider(BASE))
    assert harm(base, game) == Harm(0.0, 0.0)
    assert score("harm", base, game) == 0.0
    assert score("tricks", base, game) == score("management", base, game) == base.worth
