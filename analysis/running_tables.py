"""Tables about the run itself: which services answered, what it cost, and its certificate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from analysis.attempts import PREFLIGHT
from analysis.material import Material, first, of_model, of_setting, setting_name
from analysis.spending import AMOUNTS
from analysis.tables import Cell, Column, Table, share_column, text_column
from analysis.times import PARTS

Rows = tuple[tuple[Cell, ...], ...]

AMOUNT_NAMES: Final = {
    "llm_calls": "calls",
    "tool_calls": "tool calls",
    "tokens_in": "tokens in",
    "tokens_out": "tokens out",
    "cost_usd": "cost (USD)",
}


TOKEN_KINDS: Final = ("tokens_in", "tokens_cached", "tokens_cache_write", "tokens_out", "tokens_reasoning")
"""Columns of `attempts.attempts`, as the table has them."""
NO_ANSWER_NOTE: Final = (
    "No answer: rounds in which the fallback decision was played because replies were empty or cut off at their"
    " limit (as when reasoning eats it), or because tools were called to the last turn."
)
TIME_NOTES: Final = (
    (
        "Waiting of all firms and markets added up, of committed rounds; many wait at the same time, so it is more than"
        " passed by the clock. The parts do not overlap."
    ),
    (
        "Queue: for a free connection, and between attempts. Model: for replies. Market: clearing. Journal: until the"
        " rows of a finished round were durable. Overhead: the rest of deciding and booking, such as prompts, reading,"
        " repair, planning, replies being journaled, and waiting for the processor."
    ),
)
PREFLIGHT_NOTE: Final = "Preflight: one decision of each model before the run; it is part of no result."
ATTEMPTS_NOTES: Final = (
    "Of all markets, also those given up. A failed attempt brought no reply, an unused reply entered no decision.",
    "Cached and cache-written tokens are part of the prompt's, reasoning is part of the completion's.",
    "Unknown: a server did not count, or a price is not stated.",
    NO_ANSWER_NOTE,
)


def route_table(it: Material) -> Table:
    """Whether the same services answered for a model in both ecologies."""
    columns = (
        text_column("Model"),
        text_column("Same routes in both"),
        text_column("Only in Solo"),
        text_column("Only in Arena"),
        Column("Rounds without a route"),
    )
    rows: Rows = tuple(
        (
            it.shown(row["model"]),
            "yes" if row["same_routes"] else "no",
            row["only_base"],
            row["only_other"],
            int(row["unknown_rounds"]),
        )
        for row in it.findings.route_check.to_dict("records")
    )
    note = "A change of service is a rival explanation of an effect. A route is model|fingerprint|provider."
    return Table("routes", "Route check", columns, rows, (note,), ("rounds",))


def spending_table(it: Material) -> Table:
    """Calls, tokens and money of each model in each ecology: in all, per problem and per million of valuation."""
    columns = [text_column("Model"), text_column("What")]
    for setting in it.settings:
        name = setting_name(setting)
        columns += [Column(f"{name} total"), Column(f"{name} per problem"), Column(f"{name} per M EUR", 3)]
    known = [name for name in AMOUNTS if not it.lacks(f"rounds.{name}")]
    frame = it.findings.spending
    by_key = {(row["ecology"], row["lineup"], row["model"], row["amount"]): row for row in frame.to_dict("records")}
    rows: list[tuple[Cell, ...]] = []
    for name in known:
        for label in it.models:
            spent = [by_key.get((*setting, label, name)) for setting in it.settings]
            cells = [cell for row in spent for cell in _spent(row, name)]
            rows.append((it.shown(label), AMOUNT_NAMES[name], *cells))
    unknown = int(frame["unpriced"][frame["amount"].isin(known)].sum())
    notes = ["Of completed trajectories, per trajectory and per million EUR of their summed valuation."]
    notes += [f"Undefined where a round does not say what it spent: {unknown:,} figures of rounds."] if unknown else []
    return Table("spending", "Cost and tokens", tuple(columns), tuple(rows), tuple(notes), ("rounds",))


def time_table(it: Material) -> Table:
    """Seconds of each part of the run and their share, in each ecology and in all."""
    frame, names = it.findings.times, [setting_name(setting) for setting in it.settings]
    columns = [text_column("Part")]
    for name in (*names, "All") if len(names) > 1 else names:
        columns += [Column(f"{name} (s)", 1), share_column(f"{name} share")]
    rows: list[tuple[Cell, ...]] = []
    for part in PARTS if len(frame) else ():
        ours = frame[frame["part"] == part]
        cells: list[Cell] = [part]
        for setting in it.settings:
            mine = of_setting(ours, setting)
            cells += [first(mine["seconds"]), first(mine["share"])]
        whole, spent = frame["seconds"].sum(), ours["seconds"].sum()
        cells += [spent, spent / whole if whole else None] if len(names) > 1 else []
        rows.append(tuple(cells))
    return Table("times", "Where the time went", tuple(columns), tuple(rows), TIME_NOTES)


def attempts_table(it: Material) -> Table:
    """Every call of each model in each ecology, with its tokens by kind and what was paid for."""
    tokens = ("prompt tokens", "cached", "cache-written", "completion tokens", "reasoning")
    columns = (
        text_column("Model"),
        text_column("Ecology"),
        *(Column(name) for name in ("Calls", "Failed", "Unused", *(name.capitalize() for name in tokens))),
        Column("Used replies (USD)"),
        Column("The rest (USD)"),
        Column("No answer"),
    )
    frame = it.findings.attempts
    place = {label: number for number, label in enumerate(it.models)}
    kept = [row for row in frame.to_dict("records") if row["model"] in place]
    rows: Rows = tuple(
        (
            it.shown(row["model"]),
            setting_name((row["ecology"], row["lineup"])),
            *(int(row[name]) for name in ("calls", "failed", "unused")),
            *(_or_unknown(row[name], whole=True) for name in TOKEN_KINDS),
            *(_or_unknown(row[name]) for name in ("cost_used_usd", "cost_unused_usd")),
            _ended(it, row),
        )
        for row in sorted(kept, key=lambda row: place[row["model"]])
    )
    asked_before = any(row["ecology"] == PREFLIGHT for row in kept)
    notes = (PREFLIGHT_NOTE, *ATTEMPTS_NOTES) if asked_before else ATTEMPTS_NOTES
    return Table("attempts", "Calls, failed attempts and tokens by kind", columns, rows, notes, ("rounds", "events"))


def _ended(it: Material, row: Mapping[Any, Any]) -> Cell:
    """Decisions without an answer, as "3 of 216"; of the preflight none is counted."""
    if not it.audited:
        return None
    mine = of_model(of_setting(it.findings.no_answer, (row["ecology"], row["lineup"])), row["model"])
    return f"{int(mine['ended'].iloc[0]):,} of {int(mine['n'].iloc[0]):,}" if len(mine) else None


def _or_unknown(value: float, *, whole: bool = False) -> Cell:
    if math.isnan(value):
        return "unknown"
    return int(value) if whole else value


def certificate_table(certificate: Mapping[str, Any]) -> Table:
    """What a run is, in one list: coverage, routes, seeds, rules version, digests, bounds of interventions, cost."""
    rows: Rows = tuple(_flat(certificate, ()))
    columns = (text_column("Fact"), text_column("Value"))
    return Table("certificate", "Run certificate", columns, rows, behind=())


def _spent(row: Mapping[Any, Any] | None, amount: str) -> tuple[Cell, Cell, Cell]:
    if row is None or math.isnan(row["total"]):
        return (None, None, None)
    total = row["total"] if amount == "cost_usd" else int(row["total"])
    return (total, row["per_problem"], row["per_million"])


def _flat(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(inner, (*path, str(name)))
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for number, inner in enumerate(value, 1):
            yield from _flat(inner, (*path, str(number)))
    else:
        yield " › ".join(path), _fact(value)


def _fact(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple | Mapping):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
