"""The same run on 1, 2 and 4 shards: processor time by round, and a cap of requests a minute held over all of them.

    python -m benchmarks.shards [--shards 1 2 4] [--problems 8] [--latency 0.2] [--per-minute N] [--nodes 1]

Prints one JSON line. Processor time is that of all processes from the first request at the server to the last commit.
With `--per-minute` the six accounts have a sixth of the cap each, and the line says for the run of every number of
shards: the most requests that the server saw within any minute over the cap (`held`), all accounts together and of the
account that came closest; and the requests of the run's whole minutes over what the cap allows in them (`used`, None
for a run of less than a minute). With `--nodes 2` the run joins a cluster of two Ray nodes on this machine.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ray.cluster_utils import Cluster

from benchmarks.arguments import positive, told_in_a_line
from benchmarks.machine import machine
from benchmarks.model_play import Asked, Played, play, printed

MINUTE_S: Final = 60.0


def most_within_a_minute(times: Sequence[float]) -> int:
    """The most of some ascending times that lie within any half-open minute."""
    most = first = 0
    for last, time in enumerate(times):
        while times[first] <= time - MINUTE_S:
            first += 1
        most = max(most, last - first + 1)
    return most


def found(shards: int, asked: Asked, played: Played) -> dict[str, Any]:
    """The figures of the run on so many shards."""
    rounds, cpu_s = played.summary.progress.rounds_done, played.cpu_s()
    figures: dict[str, Any] = {
        "shards": shards,
        "rounds": rounds,
        "calls": len(played.log),
        "wall_s": round(played.wall_s, 2),
        "cpu_ms_per_round": round(1000 * sum(cpu_s.values()) / rounds, 2),
        "cpu_ms_per_round_by_process": {role: round(1000 * used / rounds, 2) for role, used in cpu_s.items()},
        "sound": played.sound,
    }
    if asked.per_minute is not None:
        figures |= cap_figures(asked.per_minute, played)
    return figures


def cap_figures(per_minute: float, played: Played) -> dict[str, float | None]:
    """How the cap was held and used, by the server's log."""
    each = per_minute / len(played.connections)
    times = [seen.came for seen in played.log]
    own = [[seen.came for seen in played.log if seen.model == label] for label in played.connections]
    minutes = int((times[-1] - times[0]) // MINUTE_S)
    within = sum(time - times[0] < minutes * MINUTE_S for time in times)
    return {
        "held": round(most_within_a_minute(times) / per_minute, 4),
        "held_by_closest_account": round(max(most_within_a_minute(account) for account in own) / each, 4),
        "used": round(within / (per_minute * minutes), 4) if minutes else None,
    }


@contextmanager
def nodes(count: int) -> Iterator[dict[str, Any]]:
    """Settings of a run on so many Ray nodes, which end with the block; one is the run's own Ray."""
    if count == 1:
        yield {}
        return
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(count - 1):
            cluster.add_node(num_cpus=1, include_dashboard=False)
        yield {"address": cluster.address}
    finally:
        cluster.shutdown()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shards", description=__doc__.partition("\n")[0])
    parser.add_argument("--shards", type=positive, nargs="+", default=[1, 2, 4], help="numbers of shards (1 2 4)")
    parser.add_argument("--nodes", type=positive, default=1, help="Ray nodes on this machine (1)")
    parser.add_argument("--problems", default="8", help="number of problems (8)")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds of every answer (0.2)")
    parser.add_argument("--connections", type=positive, default=48, help="of all accounts together (48)")
    parser.add_argument("--per-minute", type=float, default=None, help="requests of all accounts together")
    given = parser.parse_args(arguments)
    runs = []
    with nodes(given.nodes) as settings, told_in_a_line(parser):
        for shards in given.shards:
            asked = Asked(
                given.problems,
                given.latency,
                given.connections,
                per_minute=given.per_minute,
                settings={**settings, "shards": shards},
            )
            with tempfile.TemporaryDirectory() as folder:
                runs.append(found(shards, asked, play(Path(folder), asked)))
    printed(
        {
            "benchmark": "shards",
            "nodes": given.nodes,
            "latency_s": given.latency,
            "connections": given.connections,
            "per_minute": given.per_minute,
            "cpu_ratio": round(runs[-1]["cpu_ms_per_round"] / runs[0]["cpu_ms_per_round"], 3),
            "runs": runs,
            **machine(),
        }
    )


if __name__ == "__main__":
    main()
