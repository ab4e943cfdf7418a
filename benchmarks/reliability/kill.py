"""SIGKILL at uniformly random moments of the busy interval, and what is lost by it: nothing may be.

    python -m benchmarks.reliability.kill actors  --trials 70
    python -m benchmarks.reliability.kill node    --trials 5
    python -m benchmarks.reliability.kill driver  --trials 25      (a third each of SIGKILL, SIGINT, SIGTERM)

Each trial plays one short run and disturbs it once: one actor's process in one warm Ray, all processes of one node of a
two-node cluster, or the driver. Then it holds the records against those of the undisturbed run, byte for byte, and the
server's log against the journal. Trial number and seed determine what is killed and when, as a share of the undisturbed
run's busy time; `--start` names the first trial of a part. Each trial is a line on standard error, with pid and phase;
the last line on standard output is JSON. A trial whose play was over before its moment counts as late and as nothing
else. Exit code 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, NamedTuple

from actors import processes
from benchmarks.reliability.kill_actors import Stage, actor_trial, node_trial, two_nodes, warm_ray
from benchmarks.reliability.kill_driver import driver_trial, no_ray
from benchmarks.reliability.server import LoggingServer, logging_server
from benchmarks.reliability.setting import Setting, Size, make_setting
from benchmarks.reliability.trial import Trial

DELAY_S: Final = 0.25
_END_SECONDS: Final = 5.0


class Suite(NamedTuple):
    """Where the trials of one kind play, and how one is made."""

    stage: Callable[[LoggingServer, Setting, Path], AbstractContextManager[Stage]]
    trial: Callable[[Stage, int, int], Trial]


SUITES: Final = {
    "actors": Suite(warm_ray, actor_trial),
    "node": Suite(two_nodes, node_trial),
    "driver": Suite(no_ray, driver_trial),
}


def kill(what: str, numbers: Sequence[int], seed: int, size: Size = Size()) -> tuple[dict[str, Any], list[Trial]]:  # noqa: B008 - frozen
    """Make trials of one kind; gives the figures of the JSON line, and the trials."""
    suite, trials = SUITES[what], list[Trial]()
    began = time.monotonic()
    before = processes.descendants()
    with tempfile.TemporaryDirectory(prefix="erpbench-kill-") as name, logging_server(Path(name), DELAY_S) as server:
        setting = make_setting(Path(name), server.url, size)
        with suite.stage(server, setting, Path(name)) as stage:
            stage.reference()
            for number in numbers:
                trials.append(suite.trial(stage, number, seed))
                print(json.dumps(trials[-1].shown()), file=sys.stderr, flush=True)
    left = processes.descendants() - before
    processes.end(left, _END_SECONDS)
    return {**summary(what, trials), "seed": seed, "numbers": _span(numbers), **_ended(left, began)}, trials


def summary(what: str, trials: Sequence[Trial]) -> dict[str, Any]:
    """Counts over the trials that struck."""
    struck = [trial for trial in trials if not trial.late]
    recovered = sorted(trial.recover_s for trial in struck if trial.recover_s is not None)
    return {
        "benchmark": "kill",
        "what": what,
        "trials": len(struck),
        "late": len(trials) - len(struck),
        "identical": sum(trial.identical for trial in struck),
        "good": sum(trial.good for trial in struck),
        "in_flight_trials": sum(trial.in_flight > 0 for trial in struck),
        "uncommitted": sum(trial.uncommitted for trial in struck),
        "repeats": sum(trial.repeats for trial in struck),
        "committed_again": sum(trial.committed_again for trial in struck),
        "left_over": sum(trial.left_over for trial in struck),
        "targets": dict(Counter(trial.target for trial in struck)),
        "phases": dict(Counter(trial.phase for trial in struck)),
        "recover_s_median": round(statistics.median(recovered), 2) if recovered else None,
        "recover_s_longest": recovered[-1] if recovered else None,
        "errors": [trial.error for trial in struck if trial.error][:5],
    }


def _span(numbers: Sequence[int]) -> list[int]:
    return [numbers[0], numbers[-1]] if numbers else []


def _ended(left: frozenset[processes.Descendant], began: float) -> dict[str, Any]:
    return {"left_over_at_the_end": len(left), "seconds": round(time.monotonic() - began, 1)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, make the trials, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.kill", description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=SUITES)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first trial")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    numbers = range(given.start, given.start + given.trials)
    figures, _ = kill(given.what, numbers, given.seed)
    print(json.dumps(figures), flush=True)
    return 0 if figures["good"] == figures["trials"] and not figures["left_over_at_the_end"] else 1


if __name__ == "__main__":
    sys.exit(main())
