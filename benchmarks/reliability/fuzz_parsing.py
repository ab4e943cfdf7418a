"""Coverage-guided fuzzing of the reading of models' text, which must raise on nothing and never be slow.

    .venv/bin/python -m pip install --target .venv/peers/atheris atheris==3.0.0
    python -m benchmarks.reliability.fuzz_parsing [--seconds 600] [--seed 1] [--corpus FOLDER]

The fuzzer, atheris, is no part of the project's environment; without it this says so and ends with exit code 0. It
works in a process of its own. A corpus folder that is named keeps what was found, so that a later part goes on from it.
Prints one JSON line; exit code 1 if a text made the reading raise, disagree with itself, or take more than ten seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
ATHERIS: Final = ROOT / ".venv" / "peers" / "atheris"
SLOW_SECONDS: Final = 10
MOST_BYTES: Final = 4_096
SEEDS: Final = (
    '{"prices": {"NUT-500": 4.5, "NUT-1000": {"grocery": 5}}, "production": [{"sku": "NUT-500", "quantity": 16000}]}',
    'Here it is:\n```json\n{"marketing": [{"channel": "grocery", "amount": 1e3}], "finance": {"repay": "1.000"}}\n```',
    '<think>{"prices": {}}</think>{"purchase_orders": [{"material": "oats", "quantity": 5e3, "vendor": "B"}]}',
    "{\u201cfinance\u201d: {\u201cdividend\u201d: 1_000, investments: [{kind: \u201ccapacity\u201d, amount: 2,},]}}",
    '[{"decision": "{\\"prices\\": {\\"nut 500\\": \\"EUR 4.20\\"}}"}]',
    '{"production": {"Nut-500": "24k", "MIXED-1000": null}, "prices": {"NUT-500": NaN, "NUT-500": -Infinity}',
    "I cannot help with that.",
)
_STAT: Final = re.compile(r"stat::(\w+):\s+(\d+)")
_COVERAGE: Final = re.compile(r"cov: (\d+)")


def fuzz(seconds: int, seed: int, corpus: Path) -> dict[str, Any]:
    """Fuzz for so long; gives the figures of the JSON line."""
    corpus.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(SEEDS):
        (corpus / f"seed-{number}").write_text(text, encoding="utf-8")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="erpbench-fuzz-") as found:
        command = [sys.executable, "-m", "benchmarks.reliability.fuzz_parsing_child", str(corpus)]
        command += [f"-max_total_time={seconds}", f"-seed={seed}", f"-timeout={SLOW_SECONDS}"]
        command += [f"-max_len={MOST_BYTES}", "-print_final_stats=1", f"-artifact_prefix={found}/"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ATHERIS)))}
        done = subprocess.run(  # noqa: S603 - our own module
            command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", check=False
        )
        texts = [path.read_bytes()[:300].decode(errors="replace") for path in sorted(Path(found).iterdir())]
    stats = {name: int(count) for name, count in _STAT.findall(done.stderr)}
    coverage = [int(count) for count in _COVERAGE.findall(done.stderr)]
    return {
        "benchmark": "fuzz_parsing",
        "seed": seed,
        "texts": stats.get("number_of_executed_units", 0),
        "slowest_s": stats.get("slowest_unit_time_sec", 0),
        "coverage": coverage[-1] if coverage else 0,
        "corpus": len(list(corpus.iterdir())),
        "findings": len(texts),
        "first_findings": texts[:3],
        "exit_code": done.returncode,
        "last_words": "" if done.returncode == 0 else done.stderr[-1500:],
        "seconds": round(time.monotonic() - began, 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, fuzz, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.fuzz_parsing")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1, help="from 1 on; 0 is a new one every time")
    parser.add_argument("--corpus", type=Path, help="folder that keeps what was found")
    given = parser.parse_args(arguments)
    if not (ATHERIS / "atheris").is_dir():
        print(f"atheris is not installed in {ATHERIS}; see the first lines of this module", file=sys.stderr)
        print(json.dumps({"benchmark": "fuzz_parsing", "skipped": "atheris is not installed"}))
        return 0
    with tempfile.TemporaryDirectory(prefix="erpbench-corpus-") as fresh:
        figures = fuzz(given.seconds, given.seed, given.corpus or Path(fresh))
    print(json.dumps(figures), flush=True)
    return 1 if figures["findings"] or figures["exit_code"] else 0


if __name__ == "__main__":
    sys.exit(main())
