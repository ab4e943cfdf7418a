"""The paper's two tables and what stands around them: coverage, valuation and rank, the effect of the ecology."""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis import metrics
from analysis.material import Material, first, of_model, of_setting, setting_name
from analysis.running_tables import NO_ANSWER_NOTE
from analysis.tables import Cell, Column, Table, p_column, share_column, text_column

Rows = tuple[tuple[Cell, ...], ...]

NORMAL_NOTE: Final = "Test: Wilcoxon's signed-rank test, two-sided, zeros left out, without continuity correction."


def coverage_table(it: Material) -> Table:
    """Planned and completed, for each ecology."""
    columns = (text_column("Ecology"), text_column("What"), Column("Planned"), Column("Completed"), Column("Missing"))
    rows: Rows = tuple(
        (setting_name((part.ecology, part.lineup)), what, planned, done, planned - done)
        for part in it.coverage.parts
        for what, planned, done in (
            ("problems", part.problems_planned, part.problems_complete),
            ("markets", part.markets_planned, part.markets_completed),
            ("model trajectories", part.trajectories_planned, part.trajectories_completed),
            ("model rounds", part.rounds_planned, part.rounds_completed),
        )
    )
    return Table("coverage", "What was played", columns, rows, behind=("outcomes", "rounds"))


def missing_table(it: Material) -> Table:
    """Every planned trajectory that has no outcome, with its cause."""
    columns = (text_column("Market"), Column("Seat"), text_column("Model"), text_column("Cause"))
    rows: Rows = tuple(
        (item.trajectory.market_id, item.trajectory.seat, it.shown(item.trajectory.model), item.cause)
        for item in it.coverage.missing
    )
    return Table("missing", "Missing trajectories", columns, rows)


def results(it: Material) -> Table:
    """The paper's table 1: mean valuation and mean rank of each model in each ecology, and what their change does."""
    names = [setting_name(setting) for setting in it.settings]
    columns = [text_column("Model")]
    for name in names:
        columns += [Column(f"{name} valuation (M EUR)", 3), Column(f"{name} mean rank")]
    columns += [Column("Δ (M EUR)", 3, signed=True), p_column("q")] if it.paired else []
    columns += [share_column("No answer")] if it.audited else []
    columns.append(text_column("Problems"))
    rows = tuple(_result(it, label) for label in it.models)
    notes = ["Valuation is the mean over problems; rank 1 is the highest valuation of a problem, ties share the mean."]
    notes += ["Δ is the mean of Arena - Solo over problems completed in both (pairs)."] if it.paired else []
    notes += [NO_ANSWER_NOTE] if it.audited else []
    behind = ", ".join([*names, *(["pairs"] if it.paired else [])])
    notes += [f"Problems are those behind the figures; where they differ: {behind}."] if "," in behind else []
    return Table("results", "Valuation and rank", tuple(columns), rows, tuple(notes), ("trajectories", "pairs"))


def effects(it: Material) -> Table:
    """The paper's table 2: the paired effect of the ecology with its interval and test, and what could be detected."""
    columns = (
        text_column("Model"),
        Column("Pairs"),
        Column("Δ (M EUR)", 3, signed=True),
        Column("95 % from", 3, signed=True),
        Column("95 % to", 3, signed=True),
        p_column("p"),
        p_column("q"),
        text_column("Test"),
        Column("Detectable (M EUR)", 3),
    )
    smallest = it.findings.detectable.set_index("model")["detectable_m"]
    rows: Rows = tuple(
        (
            it.shown(row["model"]),
            int(row["n"]),
            row["delta_m"],
            row["ci_low_m"],
            row["ci_high_m"],
            row["p"],
            row["q"],
            row["method"] + _zeros_and_ties(row["zeros"], row["tied"]),
            float(smallest[row["model"]]),
        )
        for row in it.findings.effects.to_dict("records")
    )
    drawn = it.findings.certificate["statistics"]
    family = int(it.findings.effects["family_size"].max()) if len(it.findings.effects) else 0
    notes = (
        (
            "Δ = Arena - Solo on the same problem, mean over pairs."
            f" Interval: {drawn['interval']}, {drawn['resamples']:,} resamples, seed {drawn['seed']}."
        ),
        f"{NORMAL_NOTE} q: p adjusted over the {family} tests that are defined (Benjamini-Hochberg).",
        "Detectable: the smallest true effect that such a test finds with a power of 80 % at the level of 5 %.",
    )
    return Table("effects", "Effect of the ecology", columns, rows, notes, ("pairs",))


def tails(it: Material) -> Table:
    """How often each model is last, and how far it falls behind in the worst tenth of problems."""
    columns = [text_column("Model")]
    for setting in it.settings:
        name = setting_name(setting)
        columns += [
            share_column(f"{name} bottom rate"),
            Column(f"{name} P90 regret"),
            Column(f"{name} mean regret"),
            Column(f"{name} shared last places"),
        ]
    rows = []
    for label in it.models:
        row: list[Cell] = [it.shown(label)]
        for setting in it.settings:
            mine = of_model(of_setting(it.findings.summary, setting), label)
            tied = first(mine["bottom_tied"])
            row += [first(mine["bottom_rate"]), first(mine["p90_regret"]), first(mine["regret"])]
            row.append(tied if tied is None or tied % 1 else int(tied))
        rows.append(tuple(row))
    notes = (
        "Bottom rate: share of problems where the model has the lowest valuation, alone or with others.",
        "Regret: (highest - own) / (highest - lowest) valuation of a problem, 0 to 1; P90 by linear interpolation.",
    )
    return Table("tails", "Last places and regret", tuple(columns), tuple(rows), notes, ("trajectories",))


def strata(it: Material) -> Table:
    """The effect of the ecology and the levels within each stratum of problems."""
    columns = [text_column("Stratum"), text_column("Model")]
    for setting in it.settings:
        name = setting_name(setting)
        columns += [Column(f"{name} valuation (M EUR)", 3), Column(f"{name} mean rank")]
    if it.paired:
        columns += [Column("Pairs"), Column("Δ (M EUR)", 3, signed=True)]
        columns += [Column("95 % from", 3, signed=True), Column("95 % to", 3, signed=True)]
    levels, deltas = it.findings.stratum_levels, it.findings.stratum_effects
    rows = []
    for stratum in dict.fromkeys(levels["stratum"]):
        for label in it.models:
            row: list[Cell] = [stratum, it.shown(label)]
            for setting in it.settings:
                mine = of_model(of_setting(levels[levels["stratum"] == stratum], setting), label)
                row += [first(mine["valuation_m"]), first(mine["rank"])]
            if it.paired:
                mine = of_model(deltas[deltas["stratum"] == stratum], label)
                row += [int(mine["n"].sum()), *(first(mine[name]) for name in ("delta_m", "ci_low_m", "ci_high_m"))]
            rows.append(tuple(row))
    notes = ("Problems are resampled within their stratum.",) if it.paired else ()
    return Table("strata", "By stratum of problems", tuple(columns), tuple(rows), notes, ("trajectories", "pairs"))


def seats(it: Material) -> Table:
    """Mean valuation and mean rank of each seat, where a model sits in several seats of one market."""
    columns = (text_column("Ecology"), text_column("Model#seat"), Column("Valuation (M EUR)", 3), Column("Mean rank"))
    frame = metrics.seat_summary(it.played)
    several = frame[frame["entrant"] != frame["model"]]
    rows: Rows = tuple(
        (setting_name((row["ecology"], row["lineup"])), it.shown(row["entrant"]), row["valuation_m"], row["rank"])
        for row in several.to_dict("records")
    )
    note = "A model's figures elsewhere are the mean of its seats'."
    return Table("seats", "Seats of one model", columns, rows, (note,), ("trajectories",))


def _result(it: Material, label: str) -> tuple[Cell, ...]:
    row: list[Cell] = [it.shown(label)]
    counts: list[int] = []
    for setting in it.settings:
        mine = of_model(of_setting(it.findings.summary, setting), label)
        row += [first(mine["valuation_m"]), first(mine["rank"])]
        counts.append(int(mine["n"].sum()))
    if it.paired:
        delta: pd.DataFrame = of_model(it.findings.effects, label)
        row += [first(delta["delta_m"]), first(delta["q"])]
        counts.append(int(delta["n"].sum()))
    row += [first(of_model(it.findings.no_answer_pooled, label)["share"])] if it.audited else []
    return (*row, str(counts[0]) if len(set(counts)) == 1 else ", ".join(map(str, counts)))


def _zeros_and_ties(zeros: int, tied: int) -> str:
    told = [f"{number} {word}" for number, word in ((zeros, "zero"), (tied, "tied")) if number]
    return f" ({', '.join(told)})" if told else ""
