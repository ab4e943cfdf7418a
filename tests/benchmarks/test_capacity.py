"""The capacity benchmark reckons with the cores that are free, and prints stable names; no time is judged."""

import json
import os

import pytest

from actors.capacity import Costs
from benchmarks import capacity
from benchmarks.capacity import Case, Measured, Spent


def test_cores_that_other_work_takes_are_not_free() -> None:
    """Of 20 s of CPU in 10 s of wall time 6 s were the run's: other work had 1.4 cores."""
    measured = Measured(Case(1.0, 8, 1, 4), 100, 10.0, Spent(1.0, 2.0, 3.0, 20.0))
    assert measured.cores_free == pytest.approx(max(0.25, (os.cpu_count() or 1) - 1.4))
    assert measured.costs == Costs(0.03, 0.01, 0.0)


def test_what_was_spent_between_two_looks_is_their_difference() -> None:
    assert Spent(2.0, 3.0, 4.0, 9.0).since(Spent(1.0, 1.0, 1.0, 1.0)) == Spent(1.0, 2.0, 3.0, 8.0)


def test_a_prediction_counts_the_servers_work_on_the_same_cores() -> None:
    """24 seats over 8 connections: 96 calls of 1 s take 12 s, and more for the work on each."""
    idle = Measured(Case(1.0, 8, 1, 4), 96, 12.0, Spent(0.0, 0.0, 0.0, 0.0))
    served = Measured(Case(1.0, 8, 1, 4), 96, 12.0, Spent(0.0, 9.6, 0.0, 9.6))
    free = Costs(0.0, 0.0, 0.0)
    wall_s, bound = idle.predicted_s(free, 2)
    assert wall_s == pytest.approx(12.0)
    assert bound == "connections"
    assert served.predicted_s(free, 2)[0] > 12.5


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_calibrating_prints_what_a_call_and_a_round_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert capacity.main(["--calibrate"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert set(line["costs"]) == set(line["constants"]) == {"call_cpu_s", "journal_s", "round_s"}
    assert (line["benchmark"], line["cases"], line["ratio_lowest"]) == ("capacity", [], None)
    assert {"server_cpu_s", "cores_free", "cores", "python", "load", "ratio_highest", "seconds"} <= set(line)
