"""A run folder without a run: records of the real simulation whose models are rules, each a little apart.

Every market of the plan is played without Ray, and the tables are written as a run writes them. Calls and times are
made up, two calls a decision, so that a report has something to count; nothing may be read from them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from actors.planning import RunRequest, make_plan, work_of
from actors.run_file import RECORDS_NAME, RunSettings, create
from actors.sources import read_sources
from actors.store import ROW_TYPES, ranked, write_table
from ecologies.ecology import RULE_NAMES
from ecologies.local import play_market
from ecologies.policy import PolicySpec
from ecologies.rule_parameters import RULE_PARAMETERS
from ecologies.rules import RulePolicy, rule_policy
from ecologies.work import WorkUnit
from erpsim.records import CallRow, CellRow, RoundRow, TimingRow

CALLS_A_DECISION: Final = 2
APART: Final = 0.01
"""By how much the opening price of a model is above that of the one before that plays by the same rule."""

Rows = dict[str, list[dict[str, Any]]]


def make_run(folder: Path, problems: str, models: int = 6, lineup: Sequence[str] = ()) -> int:
    """Play a run by rules into a new folder; gives the number of its markets.

    Args:
        folder: to be made.
        problems: as on the command line.
        models: number of models, `model-001` and so on; 6 for the stand-ins.
        lineup: seats of a mixed market; empty for Solo and Arena, or for one seat of each model if these are not six.
    """
    settings = RunSettings()
    if models != 6:
        names = [f"model-{number:03}" for number in range(1, models + 1)]
        listed = folder.with_name(folder.name + "-models.toml")
        listed.write_text("".join(_entry(name) for name in names))
        settings, lineup = RunSettings(models_path=str(listed.absolute())), tuple(lineup) or tuple(names)
    plan = make_plan(RunRequest(problems, lineup=tuple(lineup)), settings)
    run = create(folder, plan, settings)
    units = work_of(plan, read_sources(settings)).units
    policies = {PolicySpec("model", label): _policy(place) for place, label in enumerate(plan.models)}
    write(folder / RECORDS_NAME, asyncio.run(_played(units, policies, run.run_id)), len(plan.models))
    return len(units)


def write(folder: Path, rows: Rows, models: int) -> None:
    """Write every table of a run's records."""
    for name, row_type in ROW_TYPES.items():
        found = ranked(rows[name], models) if name == "outcomes" else rows[name]
        write_table(folder / f"{name}.parquet", row_type, found)


async def _played(units: Sequence[WorkUnit], policies: dict[PolicySpec, RulePolicy], run_id: str) -> Rows:
    rows: Rows = defaultdict(list)
    for unit in units:
        seats = [policies[spec] if spec.kind == "model" else rule_policy(spec.label) for spec in unit.market.seats]
        played = await play_market(unit.market, unit.problem, seats, run_id)
        for name in ("rounds", "cells", "outcomes", "events"):
            rows[name] += [_columns(row) for row in getattr(played, name)]
        rows["calls"] += [vars(call) for row in played.rounds if row.model for call in _calls(row)]
        rows["timings"] += [vars(_timing(unit, number)) for number in range(1, unit.problem.horizon + 1)]
    return rows


def _columns(row: Any) -> dict[str, Any]:
    return row._asdict() if isinstance(row, CellRow) else vars(row)


def _policy(place: int) -> RulePolicy:
    turn, rule = divmod(place, len(RULE_NAMES))
    parameters = RULE_PARAMETERS[RULE_NAMES[rule]]
    return RulePolicy(replace(parameters, opening_price=parameters.opening_price * (1.0 + APART * turn)))


def _calls(row: RoundRow) -> Iterator[CallRow]:
    for turn in range(CALLS_A_DECISION):
        yield CallRow(
            run_id=row.run_id,
            market_id=row.market_id,
            seat=row.seat,
            model=str(row.model),
            round=row.round,
            ask=0,
            turn=turn,
            attempt=1,
            status=200,
            error_class="",
            tokens_in=9_000,
            tokens_cached=0,
            tokens_cache_write=0,
            tokens_out=800,
            tokens_reasoning=0,
            latency_s=2.0,
            cost_usd=0.01,
            route="made-up||",
            used=True,
            request="{}",
            reply="{}",
        )


def _timing(unit: WorkUnit, number: int) -> TimingRow:
    made_up = {name: 1.0 for name in TimingRow.__dataclass_fields__ if name.endswith("_s")}
    return TimingRow(unit.market.market_id, number, **made_up)


def _entry(name: str) -> str:
    return f'[models."{name}"]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "none"\n'
