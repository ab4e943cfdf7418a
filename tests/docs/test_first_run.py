"""The tutorial's blocks run on the records of a run."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from actors.store import write_table
from ecologies.arena import arena_market
from ecologies.local import MarketRecords, play_market
from ecologies.policy import PolicySpec
from ecologies.problems import select, shipped_panel
from ecologies.rules import RulePolicy, rule_policy
from erpsim.records import CallRow, CellRow, EventRow, RoundRow
from tests.docs.pages import DOCS, blocks

PAGE = DOCS / "tutorial" / "first-run.md"
BODY = '{"choices": [{"message": {"role": "assistant", "content": "{}"}}]}'


async def _played() -> MarketRecords:
    """The tutorial's market, played by a rule under the names of six models."""
    (problem,) = select(shipped_panel().problems, "P001")
    market = arena_market("P001", [PolicySpec("model", f"standin/{letter}") for letter in "abcdef"])
    policies: list[RulePolicy] = [rule_policy("balanced")] * len(market.seats)
    return await play_market(market, problem, policies)


def _call() -> CallRow:
    return CallRow(
        run_id="0" * 12,
        market_id="arena/P001",
        seat=1,
        model="standin/b",
        round=5,
        ask=0,
        turn=0,
        attempt=1,
        status=200,
        error_class="",
        tokens_in=10,
        tokens_cached=None,
        tokens_cache_write=None,
        tokens_out=2,
        tokens_reasoning=None,
        latency_s=0.1,
        cost_usd=0.0,
        route="",
        used=True,
        request="{}",
        reply=BODY,
    )


def _write(folder: Path, records: MarketRecords) -> None:
    tables: list[tuple[type, Sequence[RoundRow | EventRow | CallRow]]] = [
        (RoundRow, records.rounds),
        (EventRow, records.events),
        (CallRow, [_call()]),
    ]
    for name, (row_type, rows) in zip(("rounds", "events", "calls"), tables, strict=True):
        write_table(folder / f"{name}.parquet", row_type, [asdict(row) for row in rows])
    write_table(folder / "cells.parquet", CellRow, [row._asdict() for row in records.cells])


@pytest.mark.slow
def test_the_blocks_of_the_page_run_in_turn(tmp_path: Path) -> None:
    records = asyncio.run(_played())
    _write(tmp_path / "runs" / "first" / "records", records)
    script = "\n".join(block.text for block in blocks(PAGE, "python"))
    (tmp_path / "first_run.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "first_run.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    own = next(row for row in records.rounds if (row.seat, row.round) == (1, 5))
    assert f"firm             {own.firm}" in ran.stdout
    assert f"sum of price x sold {own.revenue:,.2f} EUR" in ran.stdout
