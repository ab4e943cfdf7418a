"""CPU per call and memory of our client beside the vendors' own, in one run against one server on loopback.

    python -m benchmarks.client [--calls 200] [--repeats 5]

Every client sends the same request, the real one of a first round (system prompt, sheet, seven tools), one call after
another, in a process of its own that imports nothing else. Prints one JSON line; of each figure the median over the
repeats. Vendors' clients that are not installed (`bash scripts/peers clients`) are left out with a word.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from actors.llm.prompts.render import round_prompt, system_prompt
from actors.llm.toolbox import standard_toolbox
from benchmarks.arguments import positive
from ecologies.problems import shipped_panel
from erpsim.observe import observe
from erpsim.opening import open_firm

ROOT: Final = Path(__file__).parents[1]
VENDORS: Final = ROOT / ".venv" / "peers" / "clients"
CLIENTS: Final = {"ours": "", "ours-anthropic": "", "openai": "openai", "anthropic": "anthropic"}
"""Each with the package that it needs."""
FIGURES: Final = {"cpu_ms_per_call": 3, "import_cpu_s": 2, "first_call_cpu_s": 3, "rss_mb": 1}
"""Figures of a client, with their decimals."""


def real_request() -> dict[str, Any]:
    """What a model is sent first in round 1 of the panel's first problem."""
    problem = shipped_panel().problems[0]
    seen = observe(open_firm(problem, 0), problem, 6)
    messages = [
        {"role": "system", "content": system_prompt(6, problem.horizon, 6)},
        {"role": "user", "content": round_prompt(seen)},
    ]
    return {"messages": messages, "tools": list(standard_toolbox().offered())}


def compare(calls: int, repeats: int) -> dict[str, Any]:
    """Measure every client that is there, in turn, so many times."""
    asked = real_request()
    names = [name for name, package in CLIENTS.items() if not package or installed(package)]
    seen: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder, serving() as port:
        request = Path(folder, "request.json")
        request.write_text(json.dumps(asked))
        for _ in range(repeats):
            for name in names:
                before = counted(port)
                seen[name].append(measured(name, port, calls, request))
                assert counted(port) - before == seen[name][-1]["requests"], f"{name}: calls are missing at the server"
    clients = [summary(name, rows) for name, rows in seen.items()]
    for row in clients:
        row["ratio"] = round(row["cpu_ms_per_call"] / clients[0]["cpu_ms_per_call"], 2)
    return {
        "benchmark": "client",
        "calls": calls,
        "repeats": repeats,
        "request_bytes": len(json.dumps(asked)),
        "tools": len(asked["tools"]),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "clients": clients,
        "skipped": [name for name in CLIENTS if name not in names],
    }


def summary(name: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Medians of a client's figures, and the range of its CPU per call."""
    medians = {key: round(statistics.median(row[key] for row in rows), digits) for key, digits in FIGURES.items()}
    spent = sorted(row["cpu_ms_per_call"] for row in rows)
    spread = {"cpu_ms_per_call_range": [round(spent[0], 3), round(spent[-1], 3)]}
    return {"client": name, "version": rows[0]["version"], **medians, **spread}


def installed(package: str) -> bool:
    """Whether a vendor's package is there; it is not imported for that."""
    return importlib.machinery.PathFinder.find_spec(package, [str(VENDORS), *sys.path]) is not None


def measured(name: str, port: int, calls: int, request: Path) -> dict[str, Any]:
    """Figures of one client, from a process of its own."""
    command = [sys.executable, "-m", "benchmarks.client_child", name, str(port), str(calls), str(request)]
    path = str(VENDORS) if CLIENTS[name] else str(ROOT)
    environment = {**os.environ, "PYTHONPATH": path, "no_proxy": "127.0.0.1"}
    done = subprocess.run(  # noqa: S603 - our own module
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{name}: {done.stderr}"
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@contextmanager
def serving() -> Iterator[int]:
    """Run the server in a process of its own and give its port."""
    command = [sys.executable, "-m", "benchmarks.client_server"]
    with subprocess.Popen(  # noqa: S603 - our own module
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline().split()[1])
        finally:
            process.kill()


def counted(port: int) -> int:
    """Requests that the server itself counted."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/count", timeout=10) as answer:
        return int(json.load(answer)["requests"])


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.client", description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=positive, default=200, help="calls of each client and repeat (200)")
    parser.add_argument("--repeats", type=positive, default=5, help="processes of each client (5)")
    options = parser.parse_args()
    found = compare(options.calls, options.repeats)
    for name in found["skipped"]:
        print(f"{name}: not installed (bash scripts/peers clients)", file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
