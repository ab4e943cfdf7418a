"""The loads of a run's models in the capacity model."""

import pytest

from actors.capacity import Costs
from actors.expectation import Cases, Load, Taking
from actors.expected_time import Machine, on_machine
from tests.actors.test_expectation import model


def cases(calls: float, latency_s: float) -> Cases:
    return Cases(*[Taking(calls, latency_s=latency_s)] * 3)


def test_many_calls_at_connections_that_are_short_take_their_latency_over_the_connections() -> None:
    """Two models, each 240 decisions of 2 calls of 5 s over 4 connections: 4,800 s over 8, little for the cores."""
    loads = [Load(model(label, limits={"connections": 4}), 240, 40, 6) for label in "ab"]
    made = on_machine(loads, dict.fromkeys("ab", cases(2, 5.0)), 1.0, Machine(2, 1))
    assert made.bound == "connections"
    assert made.wall_s == pytest.approx(600, rel=0.02)


def test_one_market_takes_its_calls_one_after_another_and_what_they_cost() -> None:
    """12 calls of 5 s, each worked on by its model's actor and those beside it, and six rounds between them."""
    made = on_machine([Load(model(), 6, 1, 6)], {"a": cases(2, 5.0)}, 1.0, Machine(2, 1))
    costs = Costs()
    assert made.wall_s == pytest.approx(60 + 12 * (costs.call_cpu_s / 2 + costs.journal_s) + 6 * costs.round_s)
    assert made.bound == "path"


def test_calls_that_come_at_once_are_set_by_the_cores_and_more_shards_use_more_of_them() -> None:
    loads = [Load(model(limits={"connections": 256}), 6_000, 1_000, 6)]
    one, four = (on_machine(loads, {"a": cases(2, 0.1)}, 1.0, Machine(8, shards)) for shards in (1, 4))
    assert (one.bound, four.bound) == ("cores", "cores")
    assert one.wall_s == pytest.approx(12_000 * Costs().call_cpu_s / 2, rel=0.05)
    assert 0.2 < four.wall_s / one.wall_s < 0.3


def test_the_models_of_a_small_machine_share_an_actor_and_those_of_a_large_one_do_not() -> None:
    loads = [Load(model(label, limits={"connections": 64}), 6_000, 1_000, 6) for label in "abcdef"]
    small, large = (on_machine(loads, dict.fromkeys("abcdef", cases(2, 0.1)), 1.0, Machine(n, 1)) for n in (2, 16))
    assert small.wall_s == pytest.approx(72_000 * Costs().call_cpu_s / 2, rel=0.05)
    assert large.wall_s == pytest.approx(72_000 * Costs().call_cpu_s / 7, rel=0.1)
