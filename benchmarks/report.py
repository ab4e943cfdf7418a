"""The report of a full-size run: seconds from its records to the page, and how large the page is.

    python -m benchmarks.report [--problems all] [--models 6] [--repeats 3] [--run RUN]

Without --run a run is made first, in this process and by rules (`made_run`): Solo and Arena of six models on every
problem, 700 markets. `--models 600` makes one mixed market a problem of so many models instead. Then
`erpbench report RUN --format html` is started as a person would, so many times. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from benchmarks.arguments import positive, told_in_a_line
from benchmarks.machine import machine
from benchmarks.made_run import make_run
from erpsim.errors import RunError

ROOT: Final = Path(__file__).parents[1]


def compare(run: Path, repeats: int) -> dict[str, Any]:
    """Report a run so many times."""
    seen = [reported(run) for _ in range(repeats)]
    records = {path.stem: pq.read_metadata(path).num_rows for path in sorted((run / "records").glob("*.parquet"))}
    walls = sorted(row["page_s"] for row in seen)
    return {
        "benchmark": "report",
        "repeats": repeats,
        "rows": records,
        "page_s": round(statistics.median(walls), 2),
        "page_s_range": [round(walls[0], 2), round(walls[-1], 2)],
        "page_cpu_s": round(statistics.median(row["page_cpu_s"] for row in seen), 2),
        "peak_mb": round(max(row["peak_mb"] for row in seen), 1),
        "page_mb": round(seen[-1]["page_mb"], 2),
        "all_mb": round(seen[-1]["all_mb"], 2),
        **machine(),
    }


def reported(run: Path) -> dict[str, float]:
    """Report a run once: seconds, processor time and memory of the command, and sizes in MB of 10^6 bytes."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-m", "erpbench", "report", str(run), "--format", "html", "--out", name]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - ours
        page_s, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            raise RunError(done.stderr.strip())
        sizes = {path.relative_to(name): path.stat().st_size for path in Path(name).rglob("*") if path.is_file()}
    return {
        "page_s": page_s,
        "page_cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak_mb": after.ru_maxrss * 1024 / 1e6,
        "page_mb": sizes[Path("index.html")] / 1e6,
        "all_mb": sum(sizes.values()) / 1e6,
    }


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", default="all", help="problems of the run that is made (all)")
    parser.add_argument("--models", type=positive, default=6, help="models of the run that is made (6)")
    parser.add_argument("--repeats", type=positive, default=3, help="reports (3)")
    parser.add_argument("--run", type=Path, help="folder of a run that was played, instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, told_in_a_line(parser):
        run = options.run
        if run is None:
            run = Path(name, "run")
            made = make_run(run, options.problems, options.models)
            print(f"made a run of {made} markets", file=sys.stderr)
        print(json.dumps(compare(run, options.repeats)))


if __name__ == "__main__":
    main()
