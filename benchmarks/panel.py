"""Wall time of a whole run against the least that its model server allows.

    python -m benchmarks.panel --latency 2 --connections 200 [--problems 100]

Plays Solo and Arena of six models on so many problems against a server of fixed latency on the same cores, and prints
one JSON line. The ideal is the larger of two bounds, both from the server's log: the calls that it counted, times the
latency, over all connections; and the longest market's calls, one after another.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.arguments import positive, told_in_a_line
from benchmarks.machine import machine
from benchmarks.model_play import Asked, Played, longest_chain, play, printed

IDEAL: Final = "max(calls * latency / connections, calls of the longest market * latency), calls by the server's log"


def found(asked: Asked, played: Played) -> dict[str, Any]:
    """The figures of one run."""
    calls = len(played.log)
    by_connections_s = calls * asked.latency_s / asked.connections
    by_market_s = longest_chain(played) * asked.latency_s
    ideal_s = max(by_connections_s, by_market_s)
    cpu_s = played.cpu_s()
    return {
        "benchmark": "panel",
        "latency_s": asked.latency_s,
        "connections": asked.connections,
        "markets": played.summary.progress.markets_total,
        "rounds": played.summary.progress.rounds_done,
        "calls": calls,
        "ratio": round(played.wall_s / ideal_s, 4),
        "wall_s": round(played.wall_s, 2),
        "ideal_s": round(ideal_s, 2),
        "ideal": IDEAL,
        "in_flight": played.in_flight,
        "cpu_ms_per_call": round(1000 * sum(cpu_s.values()) / calls, 2),
        "cpu_ms_per_call_by_process": {role: round(1000 * used / calls, 2) for role, used in cpu_s.items()},
        "sound": played.sound,
        **machine(),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel", description=__doc__.partition("\n")[0])
    parser.add_argument("--latency", type=float, default=2.0, help="seconds of every answer (2)")
    parser.add_argument("--connections", type=positive, default=200, help="of all accounts together (200)")
    parser.add_argument("--problems", default="100", help="number of problems (100: 14,400 calls)")
    parser.add_argument("--in-flight", type=positive, default=None, help="markets in flight (the run's own)")
    given = parser.parse_args(arguments)
    settings = {} if given.in_flight is None else {"in_flight": given.in_flight}
    asked = Asked(given.problems, given.latency, given.connections, settings=settings)
    with tempfile.TemporaryDirectory() as folder, told_in_a_line(parser):
        printed(found(asked, play(Path(folder), asked)))


if __name__ == "__main__":
    main()
