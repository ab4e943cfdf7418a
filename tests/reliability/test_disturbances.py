"""A few trials of each disturbance; the commands themselves make as many as they are asked for."""

import pytest

from benchmarks.reliability.host_cases import CASES, Seen, clock_readers
from tests.reliability.commands import figures_of


def test_no_package_that_decides_a_record_reads_a_wall_clock() -> None:
    assert clock_readers() == []


def test_an_error_that_is_a_crash_or_lost_rounds_make_a_case_bad() -> None:
    good = Seen("x", "error: the disk is full", 1.0, kept=True, identical=True)
    assert good.good
    assert not Seen("x", "Traceback (most recent call last):", 1.0, kept=True, identical=True).good
    assert not Seen("x", "error: the disk is full", 1.0, kept=False, identical=True).good
    assert len(CASES) == 7


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_actors_that_are_killed_lose_nothing() -> None:
    figures = figures_of("kill", "actors", "--trials", "2", "--start", "4")
    assert figures["good"] == figures["trials"] == 2 - figures["late"]
    assert (figures["committed_again"], figures["left_over"], figures["left_over_at_the_end"]) == (0, 0, 0)


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_a_driver_that_is_killed_loses_nothing() -> None:
    figures = figures_of("kill", "driver", "--trials", "1")
    assert figures["good"] == figures["trials"] == 1 - figures["late"]


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_g3_01_a_cluster_that_loses_a_node_writes_what_one_process_writes() -> None:
    figures = figures_of("cluster", "--trials", "1", "--problems", "2", "--rounds", "2")
    assert figures["undisturbed_identical"]
    assert figures["identical"] == figures["in_flight_trials"] == figures["trials"] == 1 - figures["late"]
    assert (figures["committed_again"], figures["left_over"], figures["left_over_at_the_end"]) == (0, 0, 0)


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_g3_07_a_run_that_loses_its_only_node_with_cpus_names_its_shards_and_is_finished_later() -> None:
    figures = figures_of("cluster", "--stranded", "--problems", "2", "--rounds", "2")
    assert figures["named"], figures["error"]
    assert (figures["identical"], figures["left_over_at_the_end"]) == (True, 0)


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_provider_faults_are_recorded_and_booked_to_no_model() -> None:
    figures = figures_of("provider_faults", "--problems", "2", "--rounds", "1")
    assert figures["identical"], figures["different_columns"]
    assert figures["faults"] > 0
    assert (figures["unrecorded"], figures["recorded_without_a_fault"]) == (0, 0)


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_a_folder_that_is_moved_away_ends_its_run_at_once_and_plays_on_where_it_is() -> None:
    figures = figures_of("host_faults", "--only", "moved")
    assert figures["bad"] == []
