"""Every fault class of the stand-in server against the real client: what was expected beside what came of it.

    python -m benchmarks.faults [--decisions 200] [--only KIND …]

Prints a table and one JSON line; exit code 1 if any figure is not as expected. Expected figures follow from the fault
that is configured and from the server's own log of what it injected, measured ones from decisions and records.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

from actors.llm.standin_faults import read_faults
from actors.llm.standin_kinds import NETWORK
from benchmarks.arguments import positive
from benchmarks.fault_cases import CASES, Case, Result, expected
from benchmarks.fault_play import observations, panel_size, play

HEAD: Final = (
    "fault",
    "injected",
    "logged",
    "decisions: expected",
    "measured",
    "failed attempts: expected",
    "on record",
    "early",
    "as expected",
)
OF_THE_MODEL: Final = frozenset({"filter_400"})
"""The one answer of a provider that speaks of the conversation, and so of the model."""


class Row(NamedTuple):
    """One case: what it was to come to, and what it came to."""

    case: Case
    wanted: Result
    measured: Result

    @property
    def as_expected(self) -> bool:
        """Whether nothing differs."""
        return self.wanted == self.measured


async def rows_of(cases: Sequence[Case], decisions: int) -> AsyncIterator[Row]:
    """Play cases one after the other, so many decisions each, and give each row as soon as it is played."""
    seen = await observations(decisions)
    for case in cases:
        measured = await play(case, seen)
        yield Row(case, expected(case, len(seen), panel_size(), measured), measured)


def booked_to_the_model(row: Row) -> int:
    """Decisions in which a provider or the network was taken for the model: none may be."""
    if not set(read_faults(row.case.faults)) <= set(NETWORK) - OF_THE_MODEL:
        return 0
    return sum(
        count
        for outcome, count in row.measured.outcomes.items()
        if outcome.startswith(("recovered", "reasked", "fallback"))
    )


def as_text(row: Row) -> str:
    """One case on one line: expected | measured, in pairs; each part that differs follows on a line of its own."""
    wanted, measured = row.wanted, row.measured
    cells = [
        *(str(result.faults.total()) for result in (wanted, measured)),
        *(_said(result.outcomes) for result in (wanted, measured)),
        *(_said(result.failed) for result in (wanted, measured)),
    ]
    line = _line((_title(row.case), *cells, str(measured.early), "yes" if row.as_expected else "NO"))
    more = [
        f"    {name} DIFFERS: expected {_said(getattr(wanted, name))}, measured {_said(getattr(measured, name))}"
        for name in ("faults", "outcomes", "failed", "events", "attempts", "early")
        if getattr(wanted, name) != getattr(measured, name)
    ]
    return "\n".join((line, *more))


def main(arguments: Sequence[str]) -> int:
    """Play, print, and give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--decisions", type=positive, default=200, help="of each case")
    parser.add_argument("--only", nargs="*", help="kinds to play; by default all")
    given = parser.parse_args(arguments)
    cases = [case for case in CASES if not given.only or case.name in given.only]
    started = time.perf_counter()
    print(_line(HEAD), flush=True)
    rows = asyncio.run(_printed(cases, given.decisions))
    differing = [_title(row.case) for row in rows if not row.as_expected]
    figures = {
        "benchmark": "faults",
        "cases": len(rows),
        "decisions_each": given.decisions,
        "requests": sum(row.measured.requests for row in rows),
        "faults_injected": sum(row.measured.faults.total() for row in rows),
        "outcomes": sum((row.measured.outcomes for row in rows), Counter()),
        "provider_faults_booked_to_the_model": sum(map(booked_to_the_model, rows)),
        "early_retries": sum(row.measured.early for row in rows),
        "differing": differing,
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(figures))
    return 1 if differing else 0


async def _printed(cases: Sequence[Case], decisions: int) -> list[Row]:
    rows = []
    async for row in rows_of(cases, decisions):
        print(as_text(row), flush=True)
        rows.append(row)
    return rows


def _title(case: Case) -> str:
    if len(case.faults) > 1:
        return f"{case.name} at {sum(chance.share for chance in read_faults(case.faults).values()):.0%}"
    return case.faults[0] + (f" of {case.retry_after_s} s" if case.retry_after_s > 1 else "")


def _line(cells: Sequence[str]) -> str:
    widths = (22, 8, 8, 25, 25, 25, 25, 5)
    return " | ".join(f"{cell:<{width}}" for cell, width in zip(cells, (*widths, 0), strict=True))


def _said(counts: object) -> str:
    if not isinstance(counts, Counter):
        return str(counts)
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
