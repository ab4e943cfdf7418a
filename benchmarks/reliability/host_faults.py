"""A full disk, a folder that cannot be written, two runs in one, and other faults of the machine under a run.

    python -m benchmarks.reliability.host_faults [--only full-disk two-runs …]

Each case is a line on standard error: what was said, how many seconds after the fault, whether what had been committed
was still there, and whether the run, gone on with, ended in the bytes of the undisturbed one. A small disk is mounted,
so those cases need that right and are skipped with a word without it. The last line on standard output is JSON; exit
code 1 if any case went wrong.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks.reliability.host import driver
from benchmarks.reliability.host_cases import CASES, Host, Seen
from benchmarks.reliability.server import logging_server
from benchmarks.reliability.setting import Size, graded, make_setting

DELAY_S: Final = 0.3


def play(names: Sequence[str]) -> tuple[dict[str, Any], list[Seen]]:
    """Play cases; gives the figures of the JSON line, and what was seen."""
    began, seen = time.monotonic(), list[Seen]()
    with tempfile.TemporaryDirectory(prefix="erpbench-host-") as name, logging_server(Path(name), DELAY_S) as server:
        setting = make_setting(Path(name), server.url, Size(1, 3))
        with driver(setting, Path(name) / "undisturbed") as first:
            code = first.ended()
            assert code == 0, f"the undisturbed run ended with {code}: {first.last_line()}"
        host = Host(setting, Path(name), graded(Path(name) / "undisturbed"))
        for case in names:
            seen.append(CASES[case](host))
            print(json.dumps({**asdict(seen[-1]), "good": seen[-1].good}), file=sys.stderr, flush=True)
    waited = [item.error_s for item in seen if item.error_s is not None]
    figures = {
        "benchmark": "host_faults",
        "cases": len(seen),
        "good": sum(item.good for item in seen),
        "skipped": [item.case for item in seen if item.skipped],
        "bad": [item.case for item in seen if not item.good],
        "longest_error_s": max(waited, default=None),
        "seconds": round(time.monotonic() - began, 1),
    }
    return figures, seen


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.host_faults")
    parser.add_argument("--only", nargs="*", choices=tuple(CASES), help="by default all")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    figures, _ = play(given.only or tuple(CASES))
    print(json.dumps(figures), flush=True)
    return 1 if figures["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
