"""One market of many firms: what a round takes of the processor and of memory, and how that grows with their number.

    python -m benchmarks.arena [--firms 6 60 600] [--largest] [--repeats 3] [--actors]

The five rules take the seats in turn, so that every decision comes at once. Each number of firms is played in a process
of its own, by the play without Ray, rows of the records included. `--largest` adds 6,000 firms, played once. `--actors`
plays the same numbers by `erpbench run` as well, once: the six stand-ins without delay, cycled, from the first
committed round to the second. The exponent is the slope of log time over log firms from 60 firms up; 1 is a time in
proportion to the firms. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from actors.collector import collect_seldom
from benchmarks.arguments import at_least, positive
from benchmarks.machine import machine
from benchmarks.start import first_rounds
from ecologies.ecology import RULE_NAMES
from ecologies.local import record_rounds
from ecologies.mixed import mixed_market
from ecologies.policy import PolicySpec
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy

ROOT: Final = Path(__file__).parents[1]
FROM_FIRMS: Final = 60
LARGEST: Final = 6_000
ROUNDS: Final = 2
"""Rounds that are played: a firm reads of its market from the second one on."""
STANDINS: Final = tuple(f"standin/{letter}" for letter in "abcdef")


def compare(firms: Sequence[int], repeats: int, largest: bool, actors: bool) -> dict[str, Any]:
    """Play every number of firms, in turn, so many times."""
    seen: dict[int, list[dict[str, Any]]] = {number: [] for number in firms}
    for _ in range(repeats):
        for number in firms:
            seen[number].append(measured(number))
    if largest:
        seen[LARGEST] = [measured(LARGEST)]
    arenas = [summary(number, rows) for number, rows in seen.items()]
    found: dict[str, Any] = {
        "benchmark": "arena",
        "repeats": repeats,
        "arenas": arenas,
        "exponent": exponent({row["firms"]: row["cpu_ms_per_round"] for row in arenas}),
    }
    if actors:
        waited = {number: played_by_actors(number) for number in firms}
        found["actors"] = [{"firms": number, "round_s": round(spent, 2)} for number, spent in waited.items()]
        found["actors_exponent"] = exponent(waited)
    return {**found, **machine()}


def summary(number: int, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Medians of one number of firms."""
    cpu_ms = statistics.median(row["cpu_ms_per_round"] for row in rows)
    return {
        "firms": number,
        "plays": len(rows),
        "cpu_ms_per_round": round(cpu_ms, 2),
        "cpu_ms_per_firm": round(cpu_ms / number, 3),
        "wall_ms_per_round": round(statistics.median(row["wall_ms_per_round"] for row in rows), 2),
        "peak_mb": round(statistics.median(row["peak_mb"] for row in rows), 1),
        "peak_kb_per_firm": round(1000 * statistics.median(row["grown_mb"] for row in rows) / number, 1),
    }


def exponent(times: dict[int, float]) -> float | None:
    """Slope of log time over log firms by least squares, from 60 firms up; None with fewer than two such numbers."""
    large = {number: spent for number, spent in times.items() if number >= FROM_FIRMS}
    if len(large) < 2:
        return None
    return round(float(np.polyfit(np.log(list(large)), np.log(list(large.values())), 1)[0]), 3)


def measured(number: int) -> dict[str, Any]:
    """Figures of one number of firms, from a process of its own."""
    command = [sys.executable, "-m", "benchmarks.arena", "--child", str(number)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - our own module
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def played_by_actors(number: int) -> float:
    """Seconds from the first committed round of one market of stand-ins to the second."""
    each, rest = divmod(number, len(STANDINS))
    counts = [each + (place < rest) for place in range(len(STANDINS))]
    lineup = ",".join(f"{label}*{count}" for label, count in zip(STANDINS, counts, strict=True) if count)
    arguments = ("--problems", "P001", "--delay", "0", "--lineup", lineup)
    before, after = first_rounds(arguments, rounds=2)["rounds_s"]
    return float(after - before)


async def play(number: int, rounds: int = ROUNDS) -> dict[str, Any]:
    """Play the first rounds of one market of rules in this process, with memory looked after as in an actor."""
    problem = shipped_panel().problems[0]
    seats = [PolicySpec("rule", RULE_NAMES[seat % len(RULE_NAMES)]) for seat in range(number)]
    policies = [rule_policy(spec.label) for spec in seats]
    collect_seldom()
    before_mb = peak_mb()
    marks = [(time.process_time(), time.perf_counter())]
    async for records in record_rounds(mixed_market(problem.problem_id, seats), problem, policies):
        marks.append((time.process_time(), time.perf_counter()))
        assert len(records.rounds) == number
        if len(marks) > rounds:
            break
    cpu_s, wall_s = np.subtract(marks[-1], marks[0]) / rounds
    return {
        "cpu_ms_per_round": 1000 * cpu_s,
        "wall_ms_per_round": 1000 * wall_s,
        "peak_mb": peak_mb(),
        "grown_mb": peak_mb() - before_mb,
    }


def peak_mb() -> float:
    """Most memory that this process ever had resident, in MB of 10^6 bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--firms", type=at_least(2), nargs="+", default=[6, 60, 600], help="numbers of firms (6 60 600)"
    )
    parser.add_argument("--repeats", type=positive, default=3, help="plays of each number (3)")
    parser.add_argument("--largest", action="store_true", help=f"{LARGEST:,} firms as well, once")
    parser.add_argument("--actors", action="store_true", help="through actors as well, with stand-ins without delay")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(asyncio.run(play(options.child))))
        return
    print(json.dumps(compare(options.firms, options.repeats, options.largest, options.actors)))


if __name__ == "__main__":
    main()
