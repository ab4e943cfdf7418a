"""First turns of rules: worked out once a problem, and never taken for those of another firm, problem or round."""

from dataclasses import replace

import pytest

from actors import openings
from actors.openings import Openings
from actors.trajectory import Trajectory, observation_of, opened, planned
from ecologies.models import standin_models
from ecologies.rules import rule_policy
from ecologies.work import WorkRequest, WorkUnit, plan_work
from tests.actors.scripts import short_problems

SPECS = standin_models("http://127.0.0.1:9/v1").specs[:2]
UNITS = plan_work(WorkRequest(short_problems(2), SPECS, ("solo",))).units


def games(problem: int) -> list[WorkUnit]:
    problem_id = short_problems(2)[problem].problem_id
    return [unit for unit in UNITS if unit.problem.problem_id == problem_id]


async def played(unit: WorkUnit, seat: int) -> Trajectory:
    game = opened("run", unit, seat)
    observation = observation_of(game)
    return planned(game, observation, await rule_policy(game.spec.label).decide(observation))


async def test_a_rule_opens_alike_in_every_market_of_a_problem() -> None:
    one, other = games(0)
    known = Openings()
    for seat in range(2, 6):  # the rules of seats 0 and 1 move with the model
        first, again = await played(one, seat), await played(other, seat)
        known.keep(first)
        found = known.known(opened("run", other, seat))
        assert found is not None
        assert found.turn is first.turn
        assert again.turn is not None
        assert found.turn is not None
        assert found.turn.decision == again.turn.decision
        assert found.turn.events == again.turn.events
        assert repr(found.turn.plan) == repr(again.turn.plan)
        assert found.identity == again.identity, "the firm stays that of its own market"


async def test_another_seat_problem_number_of_firms_or_round_is_another_opening() -> None:
    unit, elsewhere = games(0)[0], games(1)[0]
    known = Openings()
    ready = await played(unit, 1)
    known.keep(ready)
    smaller = replace(unit, market=replace(unit.market, seats=unit.market.seats[:3]))
    others = [opened("run", unit, 2), opened("run", elsewhere, 1), opened("run", smaller, 1)]
    later = replace(opened("run", unit, 1), state=replace(ready.state, round_number=2))
    assert [known.known(game) for game in (*others, later)] == [None] * 4
    again = Openings()
    again.keep(replace(ready, state=later.state))
    assert again.known(opened("run", unit, 1)) is None


async def test_the_oldest_opening_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "MOST", 2)
    unit = games(0)[0]
    known = Openings()
    for seat in (1, 2, 3):
        known.keep(await played(unit, seat))
    assert [known.known(opened("run", unit, seat)) is None for seat in (1, 2, 3)] == [True, False, False]
