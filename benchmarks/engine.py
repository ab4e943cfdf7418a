"""Market-rounds a second on one core: six rule firms on problems of the panel, with all that a run does but its actors.

    python -m benchmarks.engine [--problems 20] [--repeats 5] [--no-kernel]

Every firm observes, decides, is repaired, planned, cleared and settled, and gives its rows, in this process and pinned
to one core (`ecologies.local`, the reference that a run through actors must equal); the rows of each round go into a
journal's SQLite file in the form and the order in which the firm and audit actors write them, one transaction a round,
and at the end the record tables are written from it as parquet. Prints one JSON line. Times are CPU of this process,
ms a market-round, each the median over the repeats; a repeat plays every problem once. `ms` names the parts, timed
where `ecologies.local` calls them; `other` is what stands between them. `ideal` is the clearing alone, by the compiled
loop of `benchmarks.kernel`: no engine can be faster.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from actors.collector import collect_seldom
from actors.entries import MARKET_SEAT, FirmRecords, Spent, commit_entry, firm_entries, timing_entry
from actors.journal import Entry, Journal
from actors.store import export_from
from benchmarks import kernel
from benchmarks.arguments import positive
from benchmarks.machine import machine
from ecologies import RULE_NAMES, Market, local, rule_policy, shipped_panel
from ecologies.policy import Policy, PolicySpec
from erpsim import conditions, distribution, exogenous
from erpsim.catalogue import ACTIVE
from erpsim.observation import Observation
from erpsim.problem import Problem
from erpsim.proposal import Proposal

RULES: Final = (*RULE_NAMES, "balanced")
CELLS: Final = int(ACTIVE.sum())
RUN_ID: Final = "engine"
PARTS: Final = {
    "observe": ("observe",),
    "repair": ("repair", "cuts"),
    "plan": ("plan",),
    "clear": ("clear",),
    "settle": ("settle_all",),
    "records": ("round_row", "cell_rows", "event_rows"),
}
"""Parts of a market-round by the names under which `ecologies.local` calls them."""


class Stopwatch:
    """CPU seconds by part."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def on(self, part: str) -> Iterator[None]:
        """Count what happens meanwhile as a part."""
        started = time.process_time()
        try:
            yield
        finally:
            self.seconds[part] += time.process_time() - started

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Make a function count its calls as a part."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            started = time.process_time()
            result = function(*args, **kwargs)
            self.seconds[part] += time.process_time() - started
            return result

        return call


@dataclass(frozen=True)
class Timed:
    """A policy whose decisions are timed."""

    policy: Policy
    watch: Stopwatch

    async def decide(self, observation: Observation) -> Proposal:
        """Ask the policy."""
        with self.watch.on("decide"):
            return await self.policy.decide(observation)


def play(problems: Sequence[Problem], folder: Path) -> dict[str, float]:
    """Play and record every problem once; CPU ms a market-round by part, and of all."""
    watch = Stopwatch()
    rounds = sum(problem.horizon for problem in problems)
    with ExitStack() as patches:
        for part, names in PARTS.items():
            for name in names:
                patches.enter_context(patch.object(local, name, watch.timed(part, getattr(local, name))))
        started = time.process_time()
        journal = Journal(folder / "journal.db", writable=True)
        for problem in problems:
            asyncio.run(_play(problem, watch, journal))
        journal.close()
        with watch.on("export"):
            export_from(folder / "journal.db", folder / "records", RUN_ID, n_models=len(RULES))
        total = time.process_time() - started
    seconds = {**watch.seconds, "other": total - sum(watch.seconds.values()), "total": total}
    return {part: 1e3 * spent / rounds for part, spent in seconds.items()}


async def _play(problem: Problem, watch: Stopwatch, journal: Journal) -> None:
    seats = tuple(PolicySpec("rule", name) for name in RULES)
    market = Market(f"arena/{problem.problem_id}", "arena", "", 0, problem.problem_id, seats)
    policies = [Timed(rule_policy(name), watch) for name in RULES]
    number = 0
    async for records in local.record_rounds(market, problem, policies, RUN_ID):
        number += 1
        with watch.on("journal"):
            journal.write(_entries(records, market.market_id, number, last=number == problem.horizon))


def _entries(records: local.RoundRecords, market_id: str, number: int, *, last: bool) -> list[Entry]:
    entries: list[Entry] = []
    for row in records.rounds:
        cells = records.cells[CELLS * row.seat : CELLS * (row.seat + 1)]
        events = [event for event in records.events if event.seat == row.seat]
        entries += firm_entries(FirmRecords(row, cells, events))
    entries += [timing_entry(market_id, number, seat, Spent()) for seat in (*range(len(RULES)), MARKET_SEAT)]
    return [*entries, commit_entry(market_id, number, last)]


def forget() -> None:
    """Empty the caches of what holds for a problem, which no run meets again and again."""
    for module in (conditions, distribution, exogenous):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def measure(n_problems: int, repeats: int, kernel_row: dict[str, Any] | None) -> dict[str, Any]:
    """Play so many problems, spread over the panel, so many times."""
    panel = shipped_panel().problems
    problems = panel[:: max(1, len(panel) // n_problems)][:n_problems]
    runs: list[dict[str, float]] = []
    for repeat in range(repeats + 1):
        forget()
        with tempfile.TemporaryDirectory() as folder:
            found = play(problems, Path(folder))
        if repeat:  # the first one only warms up
            runs.append(found)
    median = {part: round(statistics.median(run.get(part, 0.0) for run in runs), 3) for part in runs[0]}
    total = median.pop("total")
    totals = sorted(run["total"] for run in runs)
    return {
        "benchmark": "engine",
        "market_rounds_per_s": round(1e3 / total, 1),
        "range": [round(1e3 / totals[-1], 1), round(1e3 / totals[0], 1)],
        "ms_total": total,
        "ms": median,
        "kernel_ratio": kernel_row and kernel_row["ratio"],
        "ideal": kernel_row and _ideal(kernel_row["compiled_ms"]),
        "firms": len(RULES),
        "problems": len(problems),
        "repeats": repeats,
        "machine": platform.machine(),
        **machine(),
    }


def _ideal(compiled_ms: float) -> dict[str, Any]:
    how = "the compiled loop's clearing of six firms (benchmarks.kernel), all else for nothing"
    return {"ms": compiled_ms, "market_rounds_per_s": round(1e3 / compiled_ms), "how": how}


def like_an_actor() -> None:
    """Keep this process on the first core it may use, where the system can, and look for dead cycles as actors do."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    collect_seldom()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=positive, default=20, help="problems, spread over the panel (20)")
    parser.add_argument("--repeats", type=positive, default=5, help="times that each is played (5)")
    parser.add_argument("--no-kernel", action="store_true", help="leave the compiled loop out")
    options = parser.parse_args(arguments)
    kernel_row = None
    if not options.no_kernel and kernel.compiler() is not None:
        kernel_row = kernel.compare([len(RULES)], repeats=30)["by_firms"][0]
    like_an_actor()
    print(json.dumps(measure(options.problems, options.repeats, kernel_row)))


if __name__ == "__main__":
    main()
