"""The capacity model by hand-worked examples."""

from dataclasses import replace

import pytest

from actors.capacity import Costs, Means, Work, predict, throughput

FREE = Costs(call_cpu_s=0.0, journal_s=0.0, round_s=0.0)
PANEL = Work(calls=14_400, path_calls=12, path_rounds=6, at_once=1_200)


def test_calls_that_cost_nothing_take_their_latency_over_the_connections() -> None:
    """14,400 calls of 2 s over 200 connections: 144 s."""
    predicted = predict(PANEL, Means(latency_s=2.0, connections=200, costs=FREE))
    assert predicted.wall_s == pytest.approx(144.0)
    assert predicted.calls_per_s == pytest.approx(100.0)
    assert predicted.bound == "connections"


def test_no_run_is_shorter_than_its_longest_market() -> None:
    """12 calls of 2 s one after another, and six rounds of 0.5 s without a call: 27 s."""
    predicted = predict(
        replace(PANEL, calls=600, at_once=50), Means(2.0, connections=200, costs=replace(FREE, round_s=0.5))
    )
    assert predicted.wall_s == pytest.approx(27.0)
    assert predicted.calls_per_s == pytest.approx(600 / 27)
    assert predicted.bound == "path"


def test_too_few_markets_in_flight_leave_connections_idle() -> None:
    """14,400 calls of 2 s, 60 at a time: 480 s."""
    predicted = predict(replace(PANEL, at_once=60), Means(2.0, connections=200, costs=FREE))
    assert predicted.wall_s == pytest.approx(480.0)
    assert predicted.bound == "markets"


def test_a_limit_of_requests_a_minute_holds_whatever_else_there_is() -> None:
    """14,400 calls at 1,200 a minute: 720 s."""
    means = Means(2.0, connections=200, requests_per_minute=1_200)
    assert predict(PANEL, means).wall_s == pytest.approx(720.0)
    assert predict(PANEL, means).bound == "requests a minute"


def test_mean_value_analysis_of_two_calls_at_one_core() -> None:
    """Away 1 s, worked on for 0.5 s: alone 1/1.5 a second, and a third of the time at the core.

    The second call finds that third of a call there: 2 / (1 + 0.5 (1 + 1/3)) = 1.2 a second.
    """
    means = Means(1.0, connections=1, cores=1, firm_actors=1, costs=Costs(0.5, 0.0, 0.0))
    assert throughput(1, 1.0, means) == pytest.approx(1 / 1.5)
    assert throughput(2, 1.0, means) == pytest.approx(1.2)
    assert throughput(1.5, 1.0, means) == pytest.approx((1 / 1.5 + 1.2) / 2)


@pytest.mark.parametrize(
    ("means", "per_second", "bound"),
    [
        (Means(0.0, 100, nodes=1, cores=2, firm_actors=6, costs=Costs(0.02, 0.001, 0.15)), 100.0, "cores"),
        (Means(0.0, 400, nodes=4, cores=2, firm_actors=24, costs=Costs(0.02, 0.001, 0.15)), 400.0, "cores"),
        (Means(0.0, 400, nodes=4, cores=2, firm_actors=1, costs=Costs(0.02, 0.001, 0.15)), 50.0, "cores"),
        (Means(0.0, 400, nodes=4, cores=8, firm_actors=96, costs=Costs(0.02, 0.005, 0.15)), 200.0, "journal"),
    ],
)
def test_many_calls_come_up_to_what_cores_firm_actors_or_the_journal_can_do(
    means: Means, per_second: float, bound: str
) -> None:
    predicted = predict(PANEL, means)
    assert predicted.bound == bound
    assert 0.97 * per_second < predicted.calls_per_s <= per_second


@pytest.mark.parametrize(
    ("work", "means"),
    [
        (replace(PANEL, calls=0), Means(1.0, 1)),
        (PANEL, Means(1.0, 0)),
        (PANEL, Means(1.0, 1, nodes=-1, cores=-2.0)),
        (PANEL, Means(1.0, 1, firm_actors=0)),
        (PANEL, Means(1.0, 1, requests_per_minute=0)),
        (PANEL, Means(-1.0, 1)),
    ],
)
def test_nothing_to_play_or_to_play_it_with_is_refused(work: Work, means: Means) -> None:
    with pytest.raises(ValueError, match="have to be above 0"):
        predict(work, means)
