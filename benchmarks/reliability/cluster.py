"""A run on a cluster of two nodes that loses one of them in the middle, held against the same run in one process.

    python -m benchmarks.reliability.cluster --trials 3 --problems 3
    python -m benchmarks.reliability.cluster --stranded

Two Ray nodes stand on this machine, each with a raylet and workers of its own. Each trial is one whole play as
`erpbench run --address` makes it: the driver joins as a guest, checks the code of both nodes, and plays two shards, one
on each. At a uniformly random moment of the middle half of its busy time, as soon as a request is in flight, the second
node's raylet and all its workers get SIGKILL; afterwards a new node takes its place. The records are held, byte for
byte, against those of the plain classes in this process, and the server's log against the journal. Trial number and
seed determine the moment. Each trial is a line on standard error, the last line on standard output is JSON; exit code 1
if anything was lost.

`--stranded` kills the only node with CPUs, so that there is none to take its place: the play has to end with an error
that names the shards, and `resume` to finish it once a node is there again.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from actors import driver, processes
from actors.run_file import RunSettings
from benchmarks.machine import machine
from benchmarks.reliability import local_play, warm
from benchmarks.reliability.kill import summary
from benchmarks.reliability.kill_actors import Pair, begun, cluster_of_two
from benchmarks.reliability.server import LoggingServer, logging_server
from benchmarks.reliability.setting import Setting, Size, graded, make_setting
from benchmarks.reliability.trial import Reference, Striker, Trial, judged
from erpsim.errors import ErpbenchError

DELAY_S: Final = 0.5
SHARDS: Final = 2
_END_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Ground:
    """Where the trials play: the server, the run, a folder for each play, and the cluster."""

    server: LoggingServer
    setting: Setting
    folder: Path
    pair: Pair

    def settings(self, ready_seconds: int) -> RunSettings:
        """How the run is played: two shards on the cluster."""
        address = self.pair.cluster.address
        return replace(self.setting.settings, address=address, shards=SHARDS, ready_seconds=ready_seconds)

    def play(self, folder: Path, ready_seconds: int = 300) -> None:
        """Play the run on the cluster.

        Raises:
            ErpbenchError: the play ended without its records.
        """
        driver.play(folder, self.setting.plan, self.settings(ready_seconds), lambda _: None)


def cluster(numbers: Sequence[int], seed: int, size: Size) -> tuple[dict[str, Any], list[Trial]]:
    """Make trials; gives the figures of the JSON line, and the trials."""
    began, before, trials = time.monotonic(), processes.descendants(), list[Trial]()
    with tempfile.TemporaryDirectory(prefix="erpbench-cluster-") as name, logging_server(Path(name), DELAY_S) as server:
        folder = Path(name)
        setting = make_setting(folder, server.url, size)
        local_play.play(setting, folder / "in-process", 0)
        with cluster_of_two() as pair:
            ground = Ground(server, setting, folder, pair)
            reference, undisturbed = _reference(ground)
            for number in numbers:
                trials.append(_trial(ground, reference, number, seed))
                print(json.dumps(trials[-1].shown()), file=sys.stderr, flush=True)
    left = processes.descendants() - before
    processes.end(left, _END_SECONDS)
    counts = {name: value for name, value in summary("node", trials).items() if not name.startswith("recover_s")}
    figures = {
        **counts,
        "benchmark": "cluster",
        "in_flight": sum(trial.in_flight for trial in trials),
        "undisturbed_identical": undisturbed,
        "busy_s_undisturbed": round(reference.busy_s, 1),
        "wall_s": [trial.wall_s for trial in trials],
        "shards": SHARDS,
        "nodes": 2,
        "problems": size.problems,
        "seed": seed,
        "left_over_at_the_end": len(left),
        **machine(),
        "seconds": round(time.monotonic() - began, 1),
    }
    return figures, trials


def stranded(size: Size, ready_seconds: int = 60) -> dict[str, Any]:
    """Kill the only node with CPUs in the middle of a play, then go on with the run on another."""
    began, before, error = time.monotonic(), processes.descendants(), ""
    with tempfile.TemporaryDirectory(prefix="erpbench-cluster-") as name, logging_server(Path(name), DELAY_S) as server:
        folder = Path(name)
        setting = make_setting(folder, server.url, size)
        local_play.play(setting, folder / "in-process", 0)
        with cluster_of_two(head_cpus=0) as pair:
            ground = Ground(server, setting, folder, pair)
            try:
                with Striker(server, folder / "run", 2.0 * DELAY_S, pair.kill, 1) as striker:
                    ground.play(folder / "run", ready_seconds)
            except ErpbenchError as met:
                error = str(met)
            ended, struck = time.monotonic(), striker.struck
            pair.renew()
            driver.resume(folder / "run", lambda _: None, ground.settings(300))
        same = graded(folder / "run") == graded(folder / "in-process")
    left = processes.descendants() - before
    processes.end(left, _END_SECONDS)
    return {
        "benchmark": "cluster",
        "what": "the only node with CPUs",
        "error": error.replace(name, "RUNS"),
        "named": all(f"shard {number + 1}" in error for number in range(SHARDS)),
        "ended_s": round(ended - struck.at, 1) if struck else None,
        "in_flight": struck.in_flight if struck else 0,
        "identical": same,
        "left_over_at_the_end": len(left),
        "seconds": round(time.monotonic() - began, 1),
    }


def _reference(ground: Ground) -> tuple[Reference, bool]:
    """The tables of the run in one process, what an undisturbed run asks for, and whether its tables are the same."""
    folder, mark, spans = ground.folder / "undisturbed", ground.server.mark(), list[float]()
    with Striker(ground.server, folder, 0.0, lambda: begun(spans)):
        ground.play(folder)
        ended = (folder / "journal.db").stat().st_mtime - time.time() + time.monotonic()
    tables = graded(ground.folder / "in-process")
    return Reference(tables, ground.server.seen(mark).came, ended - spans[0]), graded(folder) == tables


def _trial(ground: Ground, reference: Reference, number: int, seed: int) -> Trial:
    rng = Random(f"{seed} cluster {number}")  # noqa: S311 - when
    trial, folder = Trial(number, "node"), ground.folder / f"node-{number}"
    began = time.monotonic()
    striker = Striker(ground.server, folder, (0.25 + 0.5 * rng.random()) * reference.busy_s, ground.pair.kill, 1)
    try:
        with striker:
            ground.play(folder)
        trial = judged(trial, striker, reference, ground.server, folder)
    except ErpbenchError as error:
        pid = striker.struck.pid if striker.struck else 0
        trial = replace(trial, pid=pid, error=f"{type(error).__name__}: {error}")
    if striker.struck is not None:
        ground.pair.renew()
    return replace(trial, left_over=warm.left_over(10.0), wall_s=round(time.monotonic() - began, 1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, make the trials, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.cluster")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--problems", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first trial")
    parser.add_argument("--stranded", action="store_true", help="lose the only node with CPUs, once")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    if given.stranded:
        figures = stranded(Size(given.problems, given.rounds))
        print(json.dumps(figures), flush=True)
        return 0 if figures["named"] and figures["identical"] and not figures["left_over_at_the_end"] else 1
    numbers = range(given.start, given.start + given.trials)
    figures, _ = cluster(numbers, given.seed, Size(given.problems, given.rounds))
    print(json.dumps(figures), flush=True)
    kept = figures["undisturbed_identical"] and figures["good"] == figures["trials"]
    return 0 if kept and not figures["left_over_at_the_end"] else 1


if __name__ == "__main__":
    sys.exit(main())
