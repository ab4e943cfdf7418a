"""Who hosts which firm: all rules together, and the models each alone or dealt out over fewer actors."""

import pytest

from actors.assignment import Assignment
from ecologies.models import standin_models
from ecologies.policy import PolicySpec
from ecologies.work import WorkRequest, plan_work
from tests.actors.scripts import short_problems

SPECS = standin_models("http://127.0.0.1:9/v1").specs
UNITS = plan_work(WorkRequest(tuple(short_problems(1)), SPECS)).units
ARENA = next(unit for unit in UNITS if unit.market.ecology == "arena")
SOLO = [unit for unit in UNITS if unit.market.ecology == "solo"]


def test_each_model_has_an_actor_and_all_rules_have_one_unless_told_otherwise() -> None:
    assignment = Assignment("run", UNITS)
    assert set(assignment.hosts) == {"rules", *(f"model {spec.label}" for spec in SPECS)}
    assert assignment.seats_by_host(ARENA) == {f"model {spec.label}": (seat,) for seat, spec in enumerate(SPECS)}
    assert assignment.seats_by_host(SOLO[0]) == {f"model {SPECS[0].label}": (0,), "rules": (1, 2, 3, 4, 5)}


@pytest.mark.parametrize("actors", [1, 2, 4, 6, 50])
def test_fewer_actors_share_the_models_evenly_and_every_seat_has_one_host(actors: int) -> None:
    assignment = Assignment("run", UNITS, model_actors=actors)
    hosts = [host for host in assignment.hosts if host != "rules"]
    played = [assignment.played_by(host) for host in hosts]
    assert len(hosts) == min(actors, len(SPECS))
    assert sorted(spec.label for each in played for spec in each) == [spec.label for spec in SPECS]
    assert max(map(len, played)) - min(map(len, played)) <= 1
    for unit in UNITS:
        seats = assignment.seats_by_host(unit)
        assert sorted(seat for each in seats.values() for seat in each) == list(range(len(unit.market.seats)))
        assert all(list(each) == sorted(each) for each in seats.values())
        assert all(unit.market.seats[seat] in assignment.played_by(host) for host, own in seats.items() for seat in own)


def test_an_actor_is_named_by_its_first_model_and_says_how_many_more_it_plays() -> None:
    assignment = Assignment("run", UNITS, model_actors=4)
    assert [host for host in assignment.hosts if host != "rules"] == [
        "model standin/a and 1 more",
        "model standin/b and 1 more",
        "model standin/c",
        "model standin/d",
    ]
    assert assignment.played_by("model standin/b and 1 more") == (SPECS[1], SPECS[5])


def test_rules_alone_need_one_actor() -> None:
    rules = tuple(PolicySpec("rule", name) for name in ("balanced", "premium"))
    units = plan_work(WorkRequest(tuple(short_problems(1)), SPECS, ("mixed",), rules)).units
    assignment = Assignment("run", units, model_actors=1)
    assert assignment.hosts == ("rules",)
