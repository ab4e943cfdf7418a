"""The paper's published figures beside the run's own: for orientation, never as a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from analysis.material import ARENA, SOLO, Material, of_setting, setting_name
from analysis.reference import Published, PublishedModel, PublishedTail, published
from analysis.tables import Cell, Column, Table, p_column, text_column

Rows = tuple[tuple[Cell, ...], ...]

NO_TARGET: Final = (
    "Other models, problems and simulation: the published figures stand here for orientation. They are no target and"
    " nothing is fitted to them."
)


def published_table() -> Table:
    """The paper's tables 1 and 2 as published."""
    columns = (
        text_column("Model (paper)"),
        Column("Solo valuation (M)"),
        Column("Solo mean rank"),
        Column("Arena valuation (M)"),
        Column("Arena mean rank"),
        Column("Δ (M)", signed=True),
        Column("95 % from", signed=True),
        Column("95 % to", signed=True),
        p_column("q"),
    )
    paper = published()
    source = paper.sources["models"]
    return Table("paper-results", "As published: tables 1 and 2", columns, paper.models, (f"Source: {source}.",))


def places_beside(it: Material) -> Table:
    """Models by place in each ecology: the paper's and the run's."""
    columns = (
        text_column("Ecology"),
        Column("Place"),
        text_column("Paper"),
        Column("Valuation (M)"),
        Column("Mean rank"),
        text_column("This run"),
        Column("Valuation (M EUR)", 3),
        Column("Mean rank "),
    )
    keys: dict[tuple[str, str], Callable[[PublishedModel], tuple[float, float]]] = {
        SOLO: lambda row: (row.solo_valuation_m, row.solo_rank),
        ARENA: lambda row: (row.arena_valuation_m, row.arena_rank),
    }
    rows: list[tuple[Cell, ...]] = []
    for setting in (SOLO, ARENA):
        if setting not in it.entered:
            continue
        paper = sorted(published().models, key=keys[setting], reverse=True)
        theirs: list[tuple[Cell, ...]] = [(row.model, *keys[setting](row)) for row in paper]
        ours = _ordered(it, setting)
        for place in range(max(len(theirs), len(ours))):
            left = theirs[place] if place < len(theirs) else (None, None, None)
            right = ours[place] if place < len(ours) else (None, None, None)
            rows.append((setting_name(setting), place + 1, *left, *right))
    return Table("paper-places", "Beside the paper: places", columns, tuple(rows), (NO_TARGET,), ("trajectories",))


def figures_beside(it: Material) -> Table:
    """Every other published figure with the run's own."""
    paper = published()
    columns = (text_column("Figure"), text_column("Paper"), text_column("This run"), text_column("Place in the paper"))
    rows: Rows = (*_agreement_rows(it, paper), *_tail_rows(it, paper), *_intervention_rows(it, paper))
    return Table("paper-figures", "Beside the paper: headline figures", columns, rows, (NO_TARGET,))


def _ordered(it: Material, setting: tuple[str, str]) -> list[tuple[Cell, ...]]:
    frame = of_setting(it.findings.summary, setting).dropna(subset=["valuation_m"])
    frame = frame.sort_values(["valuation_m", "model"], ascending=[False, True])
    return [(it.shown(row["model"]), row["valuation_m"], row["rank"]) for row in frame.to_dict("records")]


def _agreement_rows(it: Material, paper: Published) -> Rows:
    source = paper.sources["agreement"]
    same, n_problems = it.findings.same_winner
    ranks, change = it.findings.rank_agreement, paper.largest_transition
    low, high = paper.spearman_ci
    return (
        (
            "problems with the same winner",
            f"{paper.same_winner} of {paper.n_problems}",
            f"{same} of {n_problems}" if n_problems else None,
            source,
        ),
        ("largest change of winner", f"{change.solo} → {change.arena}: {change.n}", _largest_change(it), source),
        (
            "mean rank correlation within problems",
            f"{paper.spearman_mean:.3f} [{low:.3f}, {high:.3f}]",
            None
            if math.isnan(ranks.mean)
            else f"{ranks.mean:.3f} [{ranks.interval.low:.3f}, {ranks.interval.high:.3f}]",
            source,
        ),
    )


def _largest_change(it: Material) -> str | None:
    moves = it.findings.transitions
    moves = moves[(moves["winner_base"] != moves["winner_other"]) & (moves["n"] > 0)]
    if not len(moves):
        return None
    top = moves.sort_values(["n", "winner_base", "winner_other"], ascending=[False, True, True]).iloc[0]
    return f"{it.shown(str(top['winner_base']))} → {it.shown(str(top['winner_other']))}: {top['n']:g}"


def _tail_rows(it: Material, paper: Published) -> Rows:
    def ours(column: str, percent: bool) -> str | None:
        frame = it.findings.summary
        spans = []
        for setting in (SOLO, ARENA):
            values = of_setting(frame, setting)[column].dropna()
            if len(values):
                ends = [f"{value:.0%}" if percent else f"{value:.2f}" for value in (values.min(), values.max())]
                spans.append(f"{setting_name(setting)} {ends[0]} to {ends[1]}")
        return "; ".join(spans) or None

    def theirs(row: PublishedTail, percent: bool) -> str:
        one, two = (f"{value:.0%}" if percent else f"{value:.2f}" for value in (row.solo, row.arena))
        return f"{row.model}: Solo {one}, Arena {two}"

    source = paper.sources["tails"]
    return (
        *(("bottom rate", theirs(row, True), ours("bottom_rate", True), source) for row in paper.bottom_rate),
        *(("P90 regret", theirs(row, False), ours("p90_regret", False), source) for row in paper.p90_regret),
    )


def _intervention_rows(it: Material, paper: Published) -> Rows:
    source = paper.sources["interventions"]
    ours = {row["category"]: row for row in it.findings.shares.to_dict("records")}
    rows = []
    for row in paper.interventions:
        theirs = f"{row.n:,}" + ("" if row.share_percent is None else f" ({row.share_percent:.1f} %)")
        mine = None
        if it.audited and row.category in ours:
            count, share = int(ours[row.category]["n"]), float(ours[row.category]["share"])
            mine = f"{count:,}" + ("" if math.isnan(share) else f" ({share:.1%})".replace("%", " %"))
        rows.append((row.category, theirs, mine, source))
    return tuple(rows)
