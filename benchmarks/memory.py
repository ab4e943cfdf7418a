"""Memory of a run with instant replies: of each actor by market in flight, and of all processes together.

    python -m benchmarks.memory [--problems 100] [--in-flight 700]

Prints one JSON line. Memory is each process's proportional set size, in which what processes share is counted once.
It is looked at twice a second. Two runs are played, one of a single problem and one of all: what a process of the
second holds at most beyond one of the first, over the markets that it has more in flight, is its memory by market.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks.arguments import positive, told_in_a_line
from benchmarks.machine import machine
from benchmarks.model_play import Asked, Played, play, printed

ACTORS: Final = ("Audit", "Desk", "Firm", "Market")


def found(small: Played, played: Played) -> dict[str, Any]:
    """The figures of a run, beside one of a single problem."""
    watch, before = played.watch, small.watch.most_mb()
    more = max(1, played.in_flight - small.in_flight)
    grown = {role: (most - before[role]) / more for role, most in watch.most_mb().items() if role in before}
    return {
        "benchmark": "memory",
        "markets": played.summary.progress.markets_total,
        "in_flight": played.in_flight,
        "in_flight_small": small.in_flight,
        "calls": len(played.log),
        "mb_per_market": {role: round(mb, 3) for role, mb in sorted(grown.items()) if role in ACTORS},
        "all_mb": round(watch.most_at_once_mb(), 1),
        "most_mb_by_process": {role: round(mb, 1) for role, mb in sorted(watch.most_mb().items())},
        "wall_s": round(played.wall_s, 2),
        "sound": small.sound and played.sound,
        **machine(),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", default="100", help="number of problems (100: 700 markets)")
    parser.add_argument("--in-flight", type=positive, default=None, help="markets in flight (the run's own)")
    parser.add_argument("--connections", type=positive, default=200, help="of all accounts together (200)")
    given = parser.parse_args(arguments)
    settings: dict[str, Any] = {"shards": 1} | ({} if given.in_flight is None else {"in_flight": given.in_flight})
    asked = Asked(given.problems, 0.0, given.connections, settings=settings, memory=True)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, told_in_a_line(parser):
        printed(found(play(Path(one), replace(asked, problems="1")), play(Path(other), asked)))


if __name__ == "__main__":
    main()
