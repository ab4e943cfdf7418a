"""`erpbench run --dry-run`: what a run is expected to take, printed before anything is called or written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from analysis.tables import Cell, Column, Table, inert_json, text_column
from erpbench.live import duration
from erpbench.terminal import counted, inert, output, show

if TYPE_CHECKING:
    from actors.expectation import Amounts, Cases, Expectation, Expected, Load
    from actors.run_file import RunPlan, RunSettings
    from ecologies.models import Models
    from ecologies.work import WorkUnit

CASES: Final = ("low", "expected", "high")
TOKENS: Final = {
    "prompt": "prompt tokens",
    "cached": "of them read from a cache",
    "written": "of them written to a cache",
    "completion": "completion tokens",
    "reasoning": "of them reasoning",
}
"""Kinds of tokens, by the fields of `Amounts`."""
BOUNDS: Final = {
    "path": "the calls of the longest market, one after another",
    "markets": "the markets that are played at once",
    "connections": "the connections",
    "cores": "the cores",
    "journal": "the one journal",
}


@dataclass(frozen=True)
class Basis:
    """What a dry run goes by.

    Attributes:
        like: folder of a run whose decisions are taken as the measure; None for assumptions.
        latency_s: assumed seconds of a call; None for what the other sources say.
    """

    like: Path | None = None
    latency_s: float | None = None


def print_expectation(plan: RunPlan, settings: RunSettings, basis: Basis, as_json: bool) -> None:
    """Reckon what a plan takes and print it; nothing is called and nothing is written.

    Raises:
        RunError: the run to go by cannot be read.
    """
    from actors.expectation import expect, loads_of
    from actors.planning import work_of
    from actors.rooms import SHARD_MOST, Rooms, most_at_once, rooms_of
    from actors.sources import read_sources
    from ecologies.models import choose

    sources = read_sources(settings)
    models = choose(sources.models, plan.models)
    units = work_of(plan, sources).units
    loads = loads_of(units, models.entries)
    cases, rests = _measured(loads, basis) if basis.like else _assumed(plan, units, loads, basis, settings.delay)
    if loads and plan.standin_seed is None and not settings.skip_preflight:
        rests = (*rests, "the preflight takes one decision more of each model")
    shards, bound = _shards(settings), settings.in_flight
    rooms = rooms_of(models.entries) if bound is None else Rooms()
    at_once = most_at_once(units, rooms, bound or SHARD_MOST, shards)
    share = min(1.0, at_once / len(units))
    expectation = expect(loads, cases, share)
    rests = (*rests, *_machine(loads, cases, share, settings))
    if as_json:
        typer.echo(inert_json(_figures(plan, len(units), expectation, rests)))
    else:
        _print(plan, models, len(units), (expectation, rests), settings.budget_usd)


def _shards(settings: RunSettings) -> int:
    """Shards that were asked for, or that this machine's cores give."""
    from actors.assignment import shards_for

    return settings.shards or shards_for([_cores()])


def _cores() -> int:
    return os.cpu_count() or 1


def _machine(loads: Sequence[Load], cases: Mapping[str, Cases], share: float, settings: RunSettings) -> Iterator[str]:
    """What the cores of this machine make of the expected calls; a cluster is not reckoned."""
    from actors.expected_time import Machine, on_machine

    if loads and settings.address is None:
        made = on_machine(loads, cases, share, Machine(_cores(), _shards(settings)))
        yield (
            "the time at the models is that of their calls, connections and limits a minute alone; without limits a"
            f" minute, {counted(_cores(), 'core')} here and the journal make the expected calls take about"
            f" {duration(made.wall_s)}, set by {BOUNDS[made.bound]}; what a call costs them was measured elsewhere"
        )


def _measured(loads: Sequence[Load], basis: Basis) -> tuple[dict[str, Cases], tuple[str, ...]]:
    """The cases of one decision by model, as a run that was played has them, and what they rest on."""
    from actors.expectation import Cases
    from actors.like_run import decisions_of, like_grounds, measured

    assert basis.like is not None
    decisions = decisions_of(basis.like)
    labels = [load.entry.label for load in loads]
    cases = {label: measured(decisions, label) for label in labels}
    if basis.latency_s is not None:
        cases = {
            label: Cases(*(replace(case, latency_s=basis.latency_s) for case in each)) for label, each in cases.items()
        }
    return cases, like_grounds(decisions, labels, basis.like)


def _assumed(
    plan: RunPlan, units: Sequence[WorkUnit], loads: Sequence[Load], basis: Basis, delay_s: float | None
) -> tuple[dict[str, Cases], tuple[str, ...]]:
    """The cases of one decision by model, from its prompts and bounds, and what they rest on."""
    import asyncio

    from actors.expected_decision import LATENCY_S, assumed, grounds, measure
    from actors.llm.agent import AgentOptions
    from actors.llm.standin_styles import STYLES

    if not loads:
        return {}, ()
    options = AgentOptions(plan.tool_turns, plan.reasks)
    texts = asyncio.run(measure(units[0].problem, max(len(unit.market.seats) for unit in units), plan.tool_turns))
    latencies_s = {load.entry.label: LATENCY_S if basis.latency_s is None else basis.latency_s for load in loads}
    if plan.standin_seed is not None and basis.latency_s is None:
        latencies_s = {label: STYLES[label].delay_s if delay_s is None else delay_s for label in latencies_s}
    cases = {load.entry.label: assumed(texts, load.entry, options, latencies_s[load.entry.label]) for load in loads}
    return cases, grounds(texts, options, sorted(set(latencies_s.values())))


def _print(
    plan: RunPlan, models: Models, markets: int, made: tuple[Expectation, tuple[str, ...]], budget_usd: float | None
) -> None:
    expectation, rests = made
    console = output()
    console.print(
        f"Dry run: {counted(len(plan.problems), 'problem')}, {counted(markets, 'market')},"
        f" {expectation.total.decisions:,} decisions of {counted(len(expectation.models), 'model')}"
        f" ({inert(models.source)}). Nothing is called or written.",
        soft_wrap=True,
    )
    everyone = (*expectation.models, expectation.total) if len(expectation.models) > 1 else expectation.models
    show(console, _table(everyone))
    grounds = (*rests, *_priceless(expectation))
    if grounds:
        console.print("It rests on:")
    for sentence in grounds:
        console.print(f"  {inert(sentence)}", soft_wrap=True)
    expected_usd = expectation.total.expected.cost_usd
    if budget_usd is not None and expected_usd is not None and expected_usd > budget_usd:
        console.print(f"The budget of {budget_usd:,.2f} USD would be spent before the end.", soft_wrap=True)


def _table(models: tuple[Expected, ...]) -> Table:
    columns = (text_column("Model"), text_column("What"), *(Column(case.capitalize()) for case in CASES))
    rows = tuple(row for model in models for row in _rows(model))
    return Table("expectation", "What the run is expected to take", columns, rows)


def _rows(model: Expected) -> Iterator[tuple[Cell, ...]]:
    amounts = [getattr(model, case) for case in CASES]
    yield (model.label, "decisions", *[model.decisions] * 3)
    yield ("", "calls", *(round(one.calls) for one in amounts))
    for kind, name in TOKENS.items():
        values = [getattr(one, kind) for one in amounts]
        if kind in ("prompt", "completion") or any(value is not None for value in values):
            yield ("", name, *(_whole(value) for value in values))
    yield ("", "money (USD)", *("unknown" if one.cost_usd is None else f"{one.cost_usd:,.2f}" for one in amounts))
    yield ("", "time at the models", *(duration(one.seconds) for one in amounts))


def _whole(value: float | None) -> Cell:
    return "unknown" if value is None else round(value)


def _priceless(expectation: Expectation) -> Iterator[str]:
    unknown = [model.label for model in expectation.models if model.expected.cost_usd is None]
    known = [model.expected.cost_usd for model in expectation.models if model.expected.cost_usd is not None]
    if unknown:
        rest = f"; the others are expected to cost {sum(known):,.2f} USD" if known else ""
        yield f"prices or counts are unknown, which is not 0, of: {', '.join(unknown)}{rest}"


def _figures(plan: RunPlan, markets: int, expectation: Expectation, rests: tuple[str, ...]) -> dict[str, Any]:
    return {
        "problems": list(plan.problems),
        "ecologies": list(plan.ecologies),
        "markets": markets,
        "models": {model.label: _case_figures(model) for model in expectation.models},
        "total": _case_figures(expectation.total),
        "rests_on": [*rests, *_priceless(expectation)],
    }


def _case_figures(model: Expected) -> dict[str, Any]:
    return {"decisions": model.decisions, **{case: _amounts(getattr(model, case)) for case in CASES}}


def _amounts(amounts: Amounts) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 6) for name, value in asdict(amounts).items()}
