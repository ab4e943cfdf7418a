"""The benchmarks of a whole run, with a problem each: they print one line with the names that are documented."""

import json
import subprocess
import sys
from typing import Any

import pytest

from actors.imports import code_root

pytestmark = [pytest.mark.slow]
MACHINE = {"cores", "python", "load", "pace_ms"}


def printed(name: str, *options: str) -> dict[str, Any]:
    """The line of a benchmark in a process of its own, for a Ray of its own."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *options]
    done = subprocess.run(command, cwd=code_root(), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    line = done.stdout.strip()
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.mark.ray
def test_panel_counts_at_the_server_and_its_records_hold() -> None:
    found = printed("panel", "--latency", "0.01", "--connections", "12", "--problems", "1")
    assert found["calls"] == 144
    assert found["sound"]
    assert found["ideal_s"] == 0.12  # both bounds: 144 calls over 12 connections, and 12 calls one after another
    assert found.keys() >= {
        "benchmark",
        "ratio",
        "wall_s",
        "ideal_s",
        "ideal",
        "cpu_ms_per_call",
        "in_flight",
        *MACHINE,
    }


@pytest.mark.ray
@pytest.mark.long
def test_straggler_tells_the_slow_models_own_bound() -> None:
    found = printed("straggler", "--latency", "0.01", "--connections", "12", "--problems", "1")
    assert found["calls_of_slow"] == 24
    assert found["ideal_s"] == 1.2
    assert found["sound"]
    assert found.keys() >= {"ratio", "wall_s", "ideal", "slow_in_use", "others_in_use", *MACHINE}


@pytest.mark.ray
@pytest.mark.long
def test_shards_tell_processor_time_and_the_cap_of_each_run() -> None:
    found = printed("shards", "--shards", "2", "--problems", "1", "--latency", "0.01", "--per-minute", "6000")
    assert found["runs"][0].keys() == {
        *("shards", "rounds", "calls", "wall_s", "cpu_ms_per_round", "sound"),
        *("held", "held_by_closest_account", "used"),
    }
    assert found["runs"][0]["sound"]
    assert found.keys() >= {"benchmark", "nodes", "per_minute", "cpu_ratio", *MACHINE}


@pytest.mark.ray
@pytest.mark.long
def test_memory_is_told_by_market_for_each_kind_of_actor() -> None:
    found = printed("memory", "--problems", "2", "--connections", "12")
    assert {"Audit", "Firm", "Market"} <= found["mb_per_market"].keys()
    assert found["all_mb"] > 0
    assert found["sound"]


def test_governor_tells_both_halves() -> None:
    found = printed("governor", "--seconds", "2", "--latency", "0.02", "--connections", "8", "--open-most", "2")
    assert [half["limit"] for half in found["halves"]] == [2, 4]
    names = {"limit", "requests", "refused_share", "mean_cap_at_its_end", "limit_in_use"}
    assert all(half.keys() == names for half in found["halves"])
    assert found.keys() >= {"benchmark", "seconds", *MACHINE}
