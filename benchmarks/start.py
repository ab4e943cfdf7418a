"""What a person waits for: the help, and a run until its first round counts.

    python -m benchmarks.start [--helps 15] [--runs 3] [--no-run]

`erpbench --help` and `python -c pass` are started in turn, so many times each. Then `erpbench run` is started as a
person would (6 problems, both ecologies, stand-in models), and stopped by SIGINT as soon as its journal holds a
committed round. Prints one JSON line; of each figure the median.
"""

from __future__ import annotations

import argparse
import json
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TextIO

from benchmarks.arguments import positive
from benchmarks.machine import machine

ROOT: Final = Path(__file__).parents[1]
HELP: Final = ("-m", "erpbench", "--help")
NOTHING: Final = ("-c", "pass")
LOOK_SECONDS: Final = 0.02
PATIENCE_SECONDS: Final = 1200.0


def helps(repeats: int) -> dict[str, Any]:
    """Start the help and an empty Python in turn, and compare their medians."""
    times: dict[tuple[str, ...], list[float]] = {NOTHING: [], HELP: []}
    for command in (*times, *(tuple(times) * repeats)):  # the first of each fills the caches, and is left out
        started = time.perf_counter()
        subprocess.run([sys.executable, *command], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - ours
        times[command].append(time.perf_counter() - started)
    empty_s, help_s = (statistics.median(times[command][1:]) for command in (NOTHING, HELP))
    return {
        "python_ms": round(1000 * empty_s, 1),
        "help_ms": round(1000 * help_s, 1),
        "help_ratio": round(help_s / empty_s, 2),
    }


def runs(repeats: int) -> dict[str, Any]:
    """Start a run so many times, each stopped at its first round."""
    seen = [first_rounds() for _ in range(repeats)]
    waited = [row["rounds_s"][0] for row in seen]
    stages = {name: [row["stages_s"].get(name, 0.0) for row in seen] for name in seen[0]["stages_s"]}
    return {
        "first_round_s": round(statistics.median(waited), 2),
        "first_round_s_range": [round(min(waited), 2), round(max(waited), 2)],
        "stages_s": {name: round(statistics.median(times), 2) for name, times in stages.items()},
        "stop_s": round(statistics.median(row["stop_s"] for row in seen), 2),
    }


def first_rounds(arguments: Sequence[str] = (), rounds: int = 1) -> dict[str, Any]:
    """Start a run and stop it once so many rounds count.

    Gives the seconds from the launch to each of them (`rounds_s`), those of each stage up to the first and of the stop.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, said = Path(name, "run"), Path(name, "progress")
        command = [sys.executable, "-m", "erpbench", "run", *arguments, "--no-report", "--out", str(folder)]
        started = time.perf_counter()
        with (
            said.open("w") as written,
            said.open() as read,
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=written) as process,  # noqa: S603 - ours
        ):
            try:
                stages, moments = _watch(process, (folder / "journal.db", rounds), read, started)
            finally:
                stopping = time.perf_counter()
                process.send_signal(signal.SIGINT)
                process.wait()
        stop_s = time.perf_counter() - stopping
    return {"rounds_s": moments, "stop_s": stop_s, "stages_s": spans(stages, moments[0])}


def spans(begun: dict[str, float], end: float) -> dict[str, float]:
    """Seconds of each stage, from when each was first seen to when the next one was; before the first is loading."""
    names = ["loading", *begun]
    marks = [0.0, *begun.values(), end]
    return {name: after - before for name, before, after in zip(names, marks[:-1], marks[1:], strict=True)}


def committed(journal: Path) -> int:
    """Committed rounds of a journal that another process writes."""
    if not journal.exists():
        return 0
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM commits").fetchone()[0])
        except sqlite3.OperationalError:  # its tables are being made
            return 0


def _watch(
    process: subprocess.Popen[bytes], awaited: tuple[Path, int], said: TextIO, started: float
) -> tuple[dict[str, float], list[float]]:
    """Wait until a journal holds so many rounds; gives when each stage was first seen, and when each round was."""
    stages: dict[str, float] = {}
    moments: list[float] = []
    journal, rounds = awaited
    while len(moments) < rounds:
        waited = time.perf_counter() - started
        for line in said:
            name, colon, _ = line.partition(":")
            if colon and not moments:
                stages.setdefault(name.partition(" (")[0], waited)
        moments += [waited] * (committed(journal) - len(moments))
        assert process.poll() is None or len(moments) >= rounds, f"the run ended early, with {process.returncode}"
        assert waited < PATIENCE_SECONDS, f"{len(moments)} of {rounds} rounds count after {waited:.0f} s"
        time.sleep(LOOK_SECONDS)
    return stages, moments


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=__doc__.partition("\n")[0])
    parser.add_argument("--helps", type=positive, default=15, help="starts of the help, and of an empty Python (15)")
    parser.add_argument("--runs", type=positive, default=3, help="starts of a run (3)")
    parser.add_argument("--no-run", action="store_true", help="leave the run out")
    options = parser.parse_args()
    started = 0 if options.no_run else options.runs
    found = helps(options.helps) | (runs(started) if started else {})
    print(json.dumps({"benchmark": "start", "helps": options.helps, "runs": started, **found, **machine()}))


if __name__ == "__main__":
    main()
