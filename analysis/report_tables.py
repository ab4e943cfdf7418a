"""The tables of a report, each from the measures' frames; every one says what it stands on and who is a stand-in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from analysis import interventions, metrics
from analysis.agreement import winners
from analysis.coverage import Coverage
from analysis.measures import Measures, Setting
from analysis.tables import Cell, Column, Table, text_column
from erpsim.events import EVENT_TYPES, PAPER_CATEGORIES

STANDIN_MARK: Final = " (stand-in)"
STANDIN_NOTE: Final = (
    "A stand-in is a seeded program behind a real HTTP server: its numbers show that the pipeline works and say nothing"
    " about any language model."
)


Rows = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Labels:
    """How the models of a run are named in its tables."""

    models: tuple[str, ...]
    standins: frozenset[str]

    def shown(self, label: str) -> str:
        """Name a model, or `label#seat` of one, and say if it is a stand-in."""
        return label + (STANDIN_MARK if label.rpartition("#")[0] in self.standins or label in self.standins else "")


def all_tables(measures: Measures, labels: Labels, coverage: Coverage) -> tuple[Table, ...]:
    """Give every table of the report in reading order."""
    tables = [coverage_table(coverage), results(measures, labels)]
    if measures.seats["entrant"].nunique() > measures.seats["model"].nunique():
        tables.append(seats(measures, labels))
    tables.append(winner_table(measures, labels))
    tables.append(intervention_totals(measures))
    tables += [interventions_by_model(measures, labels, setting) for setting in measures.settings]
    if coverage.missing:
        tables.append(missing_table(coverage, labels))
    notes = (coverage.statement(), *((STANDIN_NOTE,) if labels.standins else ()))
    return tuple(replace(table, notes=(*table.notes, *notes)) for table in tables)


def coverage_table(coverage: Coverage) -> Table:
    """Planned and completed, for each ecology."""
    columns = (text_column("Ecology"), text_column("What"), Column("Planned"), Column("Completed"))
    rows: Rows = tuple(
        (_setting_name((part.ecology, part.lineup)), *row)
        for part in coverage.parts
        for row in (
            ("problems", part.problems_planned, part.problems_complete),
            ("markets", part.markets_planned, part.markets_completed),
            ("model trajectories", part.trajectories_planned, part.trajectories_completed),
            ("model rounds", part.rounds_planned, part.rounds_completed),
        )
    )
    return Table("coverage", "What was played", columns, rows)


def results(measures: Measures, labels: Labels) -> Table:
    """Mean valuation and mean rank of each model in each ecology, and what the change of ecology does."""
    names = [_setting_name(setting) for setting in measures.settings]
    columns = [text_column("Model")]
    for name in names:
        columns += [Column(f"{name} valuation (M EUR)", 3), Column(f"{name} mean rank")]
    columns += [Column("Δ (M EUR)", 3, signed=True)] if measures.paired else []
    columns.append(text_column("Problems"))
    rows = tuple(_result(measures, labels, label) for label in labels.models)
    notes = ["Valuation is the mean over problems; rank 1 is the highest valuation of a problem, ties share the mean."]
    notes += ["Δ is the mean of Arena - Solo over problems completed in both (pairs)."] if measures.paired else []
    behind = ", ".join([*names, *(["pairs"] if measures.paired else [])])
    notes += [f"Problems are those behind the figures; where they differ: {behind}."] if "," in behind else []
    return Table("results", "Valuation and rank", tuple(columns), rows, tuple(notes))


def seats(measures: Measures, labels: Labels) -> Table:
    """Mean valuation and mean rank of each seat, where a model sits in several seats of one market."""
    columns = (
        text_column("Ecology"),
        text_column("Model#seat"),
        Column("Valuation (M EUR)", 3),
        Column("Mean rank"),
    )
    several = measures.seats[measures.seats["entrant"] != measures.seats["model"]]
    rows: Rows = tuple(
        (_setting_name((row["ecology"], row["lineup"])), labels.shown(row["entrant"]), row["valuation_m"], row["rank"])
        for row in several.to_dict("records")
    )
    note = "A model's figures elsewhere are the mean of its seats'."
    return Table("seats", "Seats of one model", columns, rows, (note,))


def winner_table(measures: Measures, labels: Labels) -> Table:
    """Problems that each model won, alone or with others, in each ecology."""
    columns = [text_column("Model")]
    wins: list[dict[str, int]] = []
    for setting, entered in measures.entered.items():
        ours = _of(measures.problems, setting)
        complete = metrics.complete_problems(ours, entered, (setting[0],))
        won = winners(ours[ours["problem_id"].isin(complete)])
        columns.append(Column(f"{_setting_name(setting)} wins of {len(complete)}"))
        wins.append({label: int((won["model"] == label).sum()) for label in entered})
    rows: Rows = tuple((labels.shown(label), *(counted.get(label) for counted in wins)) for label in labels.models)
    notes = ["Every model at a problem's highest valuation wins it; only problems that all models completed count."]
    if measures.paired:
        same, n_problems = measures.agreement
        notes.append(
            f"Solo and Arena have the same set of winners in {same} of {n_problems} problems completed in both."
            if n_problems
            else "Solo and Arena share no problem that every model completed, so their winners cannot be compared."
        )
    return Table("winners", "Winners", tuple(columns), rows, tuple(notes))


def intervention_totals(measures: Measures) -> Table:
    """Events of all models' firms by category and ecology."""
    summed = interventions.totals(measures.events)
    by_key = {(row["ecology"], row["lineup"], row["category"]): int(row["n"]) for row in summed.to_dict("records")}
    columns = (
        text_column("Category"),
        text_column("Layer"),
        *(Column(_setting_name(setting)) for setting in measures.settings),
    )
    rows: Rows = tuple(
        (
            _category_name(category),
            EVENT_TYPES[category].layer if category in EVENT_TYPES else "unknown",
            *(by_key[(*setting, category)] for setting in measures.settings),
        )
        for category in interventions.ordered(summed["category"])
    )
    return Table("interventions", "Interventions by category", columns, rows, (_PAPER_NOTE,))


def interventions_by_model(measures: Measures, labels: Labels, setting: Setting) -> Table:
    """Events of each model's firms by category, in one ecology."""
    ours = _of(measures.events, setting)
    whole = [interventions.WHOLE_MARKET] if (ours["model"] == interventions.WHOLE_MARKET).any() else []
    shown = [*measures.entered[setting], *whole]
    by_key = {(row["model"], row["category"]): int(row["n"]) for row in ours.to_dict("records")}
    present = interventions.ordered(ours["category"])
    columns = (
        text_column("Category"),
        *(Column(labels.shown(label) if label else "(whole market)") for label in shown),
    )
    rows: Rows = tuple((_category_name(name), *(by_key.get((label, name), 0) for label in shown)) for name in present)
    title = f"Interventions by model: {_setting_name(setting)}"
    return Table(f"interventions-{'-'.join(filter(None, setting))}", title, columns, rows, (_PAPER_NOTE,))


def missing_table(coverage: Coverage, labels: Labels) -> Table:
    """Every planned trajectory that has no outcome, with its cause."""
    columns = (text_column("Market"), Column("Seat"), text_column("Model"), text_column("Cause"))
    rows: Rows = tuple(
        (item.trajectory.market_id, item.trajectory.seat, labels.shown(item.trajectory.model), item.cause)
        for item in coverage.missing
    )
    return Table("missing", "Missing trajectories", columns, rows)


_PAPER_NOTE: Final = (
    "Categories marked * are the ERPBench paper's. Categories measure different things and are never summed into one"
    " error rate."
)


def _result(measures: Measures, labels: Labels, label: str) -> tuple[Cell, ...]:
    row: list[Cell] = [labels.shown(label)]
    counts: list[int] = []
    for setting in measures.settings:
        frame = _of(measures.summary, setting)
        mine = frame[frame["model"] == label]
        row += [_first(mine["valuation_m"]), _first(mine["rank"])]
        counts.append(int(mine["n"].sum()))
    if measures.paired:
        delta = measures.deltas[measures.deltas["model"] == label]
        row.append(_first(delta["delta_m"]))
        counts.append(int(delta["n"].sum()))
    return (*row, str(counts[0]) if len(set(counts)) == 1 else ", ".join(map(str, counts)))


def _category_name(category: str) -> str:
    return category + ("*" if category in PAPER_CATEGORIES else "")


def _setting_name(setting: Setting) -> str:
    ecology, lineup = setting
    return ecology.capitalize() + (f" {lineup}" if lineup else "")


def _of(frame: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    return frame[(frame["ecology"] == setting[0]) & (frame["lineup"] == setting[1])]


def _first(values: pd.Series) -> float | None:
    return float(values.iloc[0]) if len(values) else None
