"""First turns of rules: worked out once a problem, and never taken for those of another firm, problem or round."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from actors import openings
from actors.deciders import RuleDecider
from actors.firm import Decider
from actors.journal_link import JournalRecorder
from actors.llm.calls import DecisionKey, InfraFailure
from actors.openings import Openings
from actors.trajectory import Trajectory, observation_of, opened, planned
from ecologies.local import play_market
from ecologies.models import standin_models
from ecologies.policy import Policy, PolicySpec
from ecologies.rules import rule_policy
from ecologies.work import WorkRequest, WorkUnit, plan_work
from erpsim.observation import Observation
from erpsim.proposal import Proposal
from tests.actors.scripts import RUN_ID, Script, Stage, graded_rows, short_problems, small_work
from tests.actors.test_stage import finish, played_files, reference_files

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


@dataclass(frozen=True)
class Counted(RuleDecider):
    """A rule that writes down what it is asked for."""

    asked: tuple[list[DecisionKey], ...] = ()

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure:
        self.asked[0].append(key)
        return await super().decide(observation, key)


@pytest.mark.parametrize("model_actors", [None, 1])
async def test_a_run_with_rules_records_what_the_reference_does_and_asks_each_opening_once(
    tmp_path: Path, model_actors: int | None
) -> None:
    asked: list[DecisionKey] = []

    def deciders(spec: PolicySpec, recorder: JournalRecorder) -> Decider:
        del recorder
        return Counted(rule_policy(spec.label), asked=(asked,)) if spec.kind == "rule" else Script()

    def policy(spec: PolicySpec) -> Policy:
        return rule_policy(spec.label) if spec.kind == "rule" else Script()

    units = small_work(short_problems(1))
    stage = Stage.build(tmp_path, units, deciders, model_actors)
    await asyncio.gather(*(stage.market.play(unit.market.market_id, True) for unit in units))
    await finish(stage, tmp_path)
    local = [
        await play_market(unit.market, unit.problem, [policy(spec) for spec in unit.market.seats], RUN_ID)
        for unit in units
    ]
    assert played_files(tmp_path) == reference_files(tmp_path / "reference", graded_rows(local))
    # Two Solo markets, whose models sit at 0 and 3: the rules of seats 4 and 5 open alike, the others do not.
    assert sum(key.round_number == 1 for key in asked) == 8
    assert sum(key.round_number == 2 for key in asked) == 10
