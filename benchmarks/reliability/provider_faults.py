"""`erpbench run` against a server that fails in every passing way at 30 % of all calls together.

    python -m benchmarks.reliability.provider_faults [--problems 4] [--rounds 3] [--seed 0]

The same run is played twice, undisturbed and disturbed, each by the command itself in a process of its own. Held
against each other: the graded records, byte for byte, so that no fault was booked to a model; and the faults that the
server counted against the failed attempts on record, by class. `--seed` is that of the panel, so another one meets
other calls. Prints one JSON line; exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from benchmarks.fault_cases import PASSING
from benchmarks.reliability.server import ROOT, logging_server
from benchmarks.reliability.setting import LINEUP, Setting, Size, differing, graded, make_setting

SHARE: Final = 0.3
GOOD_ALL_THE_SAME: Final = ("drip", "text_plain", "octet_stream")
"""Faults that a client need not notice."""
KINDS: Final = (*PASSING, *GOOD_ALL_THE_SAME)
CHANCES: Final = tuple(f"{kind}={SHARE / len(KINDS):.5f}" for kind in KINDS)
PATIENCE: Final = "timeouts = { read = 5.0, total = 10.0 }\n"
"""Of each call, since some never get an answer."""
_LONGEST_SECONDS: Final = 900.0


def compare(size: Size) -> dict[str, Any]:
    """Play both runs; gives the figures of the JSON line."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="erpbench-faults-") as name:
        folder = Path(name)
        with logging_server(folder, 0.02) as server:
            setting = make_setting(folder, server.url, size, PATIENCE)
            calm = _play(setting, folder / "undisturbed")
        with logging_server(folder, 0.02, CHANCES, server.port) as server:  # the address is a part of the run
            stormy = _play(setting, folder / "disturbed")
            injected = server.counted()
        calls = pq.read_table(folder / "disturbed" / "records" / "calls.parquet").to_pylist()
        different = differing(folder / "undisturbed", folder / "disturbed")
        same = graded(folder / "undisturbed") == graded(folder / "disturbed")
    failed = Counter(row["error_class"] for row in calls if row["error_class"])
    wanted = Counter[str]()
    for kind, count in injected.items():
        wanted[PASSING.get(kind, "")] += count
    del wanted[""]
    return {
        "benchmark": "provider_faults",
        "seed": size.seed,
        "calls": len(calls),
        "faults": sum(injected.values()),
        "faults_by_kind": dict(injected),
        "kinds_met": f"{len(injected)} of {len(KINDS)}",
        "failed_attempts_by_class": dict(failed),
        "unrecorded": (wanted - failed).total(),
        "recorded_without_a_fault": (failed - wanted).total(),
        "complete": calm["complete"] and stormy["complete"],
        "identical": same,
        "different_columns": different,
        "seconds": round(time.monotonic() - began, 1),
    }


def _play(setting: Setting, folder: Path) -> dict[str, Any]:
    settings = setting.settings
    command = [sys.executable, "-m", "erpbench", "run", "--problems", "all", "--ecology", "mixed"]
    command += [
        "--lineup",
        ",".join(LINEUP),
        "--panel",
        str(settings.panel_path),
        "--models",
        str(settings.models_path),
    ]
    command += ["--out", str(folder), "--no-preflight", "--no-report", "--json"]
    done = subprocess.run(  # noqa: S603 - our own module
        command, cwd=ROOT, capture_output=True, text=True, timeout=_LONGEST_SECONDS, check=False
    )
    assert done.returncode in (0, 1), f"erpbench run ended with {done.returncode}: {done.stderr[-2000:]}"
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.provider_faults")
    parser.add_argument("--problems", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    figures = compare(Size(given.problems, given.rounds, given.seed))
    print(json.dumps(figures), flush=True)
    wrong = figures["unrecorded"] or figures["recorded_without_a_fault"] or not figures["identical"]
    return 1 if wrong or not figures["complete"] else 0


if __name__ == "__main__":
    sys.exit(main())
