"""Tables of the execution audit: what had to be mended in the models' decisions, and the pyramid made from it."""

from __future__ import annotations

from typing import Final

from analysis import interventions
from analysis.interventions import DISPLAYED
from analysis.material import Material, Setting, first, of_model, of_setting, setting_name
from analysis.tables import Cell, Column, Table, share_column, text_column
from erpsim.events import EVENT_TYPES, PAPER_CATEGORIES

Rows = tuple[tuple[Cell, ...], ...]

PAPER_NOTE: Final = (
    "Categories marked * are the ERPBench paper's. Categories measure different things and are never summed into one"
    " error rate."
)
SHARE_NOTE: Final = (
    "Share: of the five categories that the paper displays; experiment_failed stands beside and is not in it."
)


def intervention_totals(it: Material) -> Table:
    """Events of all models' firms by category and ecology, and the shares that the paper displays."""
    summed = interventions.totals(it.findings.counts)
    by_key = {(row["ecology"], row["lineup"], row["category"]): int(row["n"]) for row in summed.to_dict("records")}
    shares = dict(zip(it.findings.shares["category"], it.findings.shares["share"], strict=True))
    columns = (
        text_column("Category"),
        text_column("Layer"),
        *(Column(setting_name(setting)) for setting in it.settings),
        Column("All"),
        share_column("Share"),
    )
    rows = []
    for category in interventions.ordered(summed["category"]):
        counted = [by_key[(*setting, category)] for setting in it.settings]
        share = float(shares[category]) if category in DISPLAYED else None
        rows.append((_category_name(category), _layer(category), *counted, sum(counted), share))
    notes = (PAPER_NOTE, SHARE_NOTE)
    return Table("interventions", "Interventions by category", columns, tuple(rows), notes, ("events",))


def interventions_by_model(it: Material, setting: Setting) -> Table:
    """Events of each model's firms by category, in one ecology."""
    ours = of_setting(it.findings.counts, setting)
    whole = [interventions.WHOLE_MARKET] if (ours["model"] == interventions.WHOLE_MARKET).any() else []
    shown = [*it.entered[setting], *whole]
    by_key = {(row["model"], row["category"]): int(row["n"]) for row in ours.to_dict("records")}
    present = interventions.ordered(ours["category"])
    columns = (
        text_column("Category"),
        *(Column(it.shown(label) if label else "(whole market)") for label in shown),
    )
    rows: Rows = tuple((_category_name(name), *(by_key.get((label, name), 0) for label in shown)) for name in present)
    title = f"Interventions by model: {setting_name(setting)}"
    return Table(_name("interventions", setting), title, columns, rows, (PAPER_NOTE,), ("events",))


def rates_by_model(it: Material, setting: Setting) -> Table:
    """Events per completed trajectory of each model by category, in one ecology."""
    ours = of_setting(it.findings.rates, setting)
    names = it.entered[setting]
    rates = {(row["model"], row["category"]): float(row["rate"]) for row in ours.to_dict("records")}
    columns = (text_column("Category"), *(Column(it.shown(label)) for label in names))
    rows: Rows = tuple(
        (_category_name(category), *(rates.get((label, category)) for label in names))
        for category in interventions.ordered(ours["category"])
    )
    title = f"Interventions per trajectory: {setting_name(setting)}"
    return Table(_name("rates", setting), title, columns, rows, (PAPER_NOTE,), ("events", "trajectories"))


def operational_table(it: Material) -> Table:
    """Operational events per trajectory, as the paper counts them and with all categories, and the score made of it."""
    columns = (
        text_column("Model"),
        *(Column(f"{setting_name(setting)} r") for setting in it.settings),
        *(Column(f"{setting_name(setting)} r, all") for setting in it.settings),
        *(Column(f"{setting_name(setting)} L2", 3) for setting in it.settings),
        Column("L2 of all ecologies", 3),
    )
    rows = []
    for label in it.models:
        frames = [of_model(of_setting(it.findings.operational, setting), label) for setting in it.settings]
        row: list[Cell] = [it.shown(label)]
        row += [first(frame[name]) for name in ("r_paper", "r_operational", "l2") for frame in frames]
        rows.append((*row, first(of_model(it.findings.operational_pooled, label)["l2"])))
    notes = (
        "r: events of the paper's three operational categories per trajectory; r, all: of every operational category.",
        "L2 = 1 - r / highest r among the models of that ecology; the paper's panel is Arena's.",
    )
    return Table("operational", "Operational reliability", columns, tuple(rows), notes, ("events", "trajectories"))


def pyramid_table(it: Material) -> Table:
    """The five levels of decision quality for each ecology and model."""
    columns = (
        text_column("Ecology"),
        text_column("Model"),
        Column("L1 structural validity", 3),
        Column("L2 operational feasibility", 3),
        Column("L3 financial quality", 3),
        Column("L4 disruption response", 3),
        Column("L5 adaptation", 3, signed=True),
    )
    hidden = {*(() if it.audited else ("l1", "l2")), *(("l1",) if it.lacks("events.round") else ())}
    rows: list[tuple[Cell, ...]] = []
    for setting in it.settings:
        ours = of_setting(it.findings.pyramid, setting)
        for label in it.entered[setting]:
            mine = of_model(ours, label)
            levels = (None if name in hidden else first(mine[name]) for name in ("l1", "l2", "l3", "l4", "l5"))
            rows.append((setting_name(setting), it.shown(label), *levels))
    notes = (
        (
            "L1: share of rounds without a structural event. L2: see operational reliability. L3: (M - mean rank) /"
            " (M - 1) of M models. L4: the same over hard and random_hard problems. L5: mean rank after round 1 less"
            " that after the last."
        ),
        "A taxonomy, never one score. The paper calls L3 rank-derived and says no more; the formula is ours.",
    )
    return Table("pyramid", "Decision-quality pyramid", columns, tuple(rows), notes, ("rounds", "events"))


def _category_name(category: str) -> str:
    return category + ("*" if category in PAPER_CATEGORIES else "")


def _layer(category: str) -> str:
    return EVENT_TYPES[category].layer if category in EVENT_TYPES else "unknown"


def _name(kind: str, setting: Setting) -> str:
    return "-".join((kind, *filter(None, setting)))
