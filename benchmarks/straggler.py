"""One of six models ten times slower than the rest: wall time against its own bound, and what the others do meanwhile.

    python -m benchmarks.straggler --latency 2 --connections 200 [--times 10] [--problems 100]

Plays Solo and Arena of six models and prints one JSON line. The slow model's bound is the larger of its calls, by the
server's log, times its latency over its connections; and its longest market's calls, one after another. The others'
connections are taken to be needed from the run's first request until the last Solo market of one of them could have
ended at full use: what a model calls in Solo markets of its own, which wait for nobody.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.arguments import positive, told_in_a_line
from benchmarks.machine import machine
from benchmarks.model_play import Asked, Played, busy_share, longest_chain, play, printed
from ecologies.models import STANDIN_LABELS

SLOW = STANDIN_LABELS[-1]


def found(asked: Asked, played: Played) -> dict[str, Any]:
    """The figures of one run."""
    slow_s = asked.slow[SLOW]
    of_slow = [seen for seen in played.log if seen.model == SLOW]
    by_connections_s = len(of_slow) * slow_s / played.connections[SLOW]
    bound_s = max(by_connections_s, longest_chain(played) * slow_s)
    others = {label: others_use(asked, played, label) for label in played.connections if label != SLOW}
    cpu_s = played.cpu_s()
    return {
        "benchmark": "straggler",
        "latency_s": asked.latency_s,
        "slow_latency_s": slow_s,
        "connections": asked.connections,
        "markets": played.summary.progress.markets_total,
        "calls": len(played.log),
        "calls_of_slow": len(of_slow),
        "ratio": round(played.wall_s / bound_s, 4),
        "wall_s": round(played.wall_s, 2),
        "ideal_s": round(bound_s, 2),
        "ideal": "max(the slow model's calls * its latency / its connections, calls of its longest market * latency)",
        "slow_in_use": round(busy_share(of_slow, played.started, played.ended, played.connections[SLOW]), 3),
        "others_in_use": {label: round(share, 3) for label, share in others.items()},
        "cpu_ms_per_call": round(1000 * sum(cpu_s.values()) / len(played.log), 2),
        "sound": played.sound,
        **machine(),
    }


def others_use(asked: Asked, played: Played, label: str) -> float:
    """Share of a fast model's connections in use while its Solo markets, which wait for nobody, could use them all."""
    log = [seen for seen in played.log if seen.model == label]
    solo_calls = len(log) / 2  # as many as in Arena: one seat a problem and round in either
    needed_s = max(solo_calls * asked.latency_s / played.connections[label], longest_chain(played) * asked.latency_s)
    return busy_share(log, played.started, played.started + needed_s, played.connections[label])


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.straggler", description=__doc__.partition("\n")[0])
    parser.add_argument("--latency", type=float, default=2.0, help="seconds of the others' answers (2)")
    parser.add_argument("--times", type=float, default=10.0, help="how many times slower the slow model is (10)")
    parser.add_argument("--connections", type=positive, default=200, help="of all accounts together (200)")
    parser.add_argument("--problems", default="100", help="number of problems (100)")
    given = parser.parse_args(arguments)
    slow = {SLOW: given.latency * given.times}
    asked = Asked(given.problems, given.latency, given.connections, slow=slow)
    with tempfile.TemporaryDirectory() as folder, told_in_a_line(parser):
        printed(found(asked, play(Path(folder), asked)))


if __name__ == "__main__":
    main()
