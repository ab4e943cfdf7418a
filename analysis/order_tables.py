"""Tables about the order of models: winners and their change, agreement of ranks, places and how sure they are."""

from __future__ import annotations

import math
from typing import Final

from analysis import metrics
from analysis.agreement import winners
from analysis.material import Material, Setting, first, of_model, of_setting, setting_name
from analysis.tables import Cell, Column, Table, share_column, text_column

Rows = tuple[tuple[Cell, ...], ...]

CROWD_NOTE: Final = (
    f"Of more than {metrics.CROWD} models not each two are compared: the first with each other one, and each with the"
    " next."
)
TIE_NOTE: Final = "Models with a common letter are not told apart: the interval of their difference holds 0."


def winner_table(it: Material) -> Table:
    """Problems that each model won, alone or with others, in each ecology."""
    columns = [text_column("Model")]
    wins: list[dict[str, int]] = []
    for setting, names in it.entered.items():
        ours = of_setting(it.problems, setting)
        compared = metrics.contenders(ours, names, (setting[0],))
        complete = metrics.complete_problems(ours, compared, (setting[0],)) if compared else []
        won = winners(ours[ours["problem_id"].isin(complete)])
        columns.append(Column(f"{setting_name(setting)} wins of {len(complete)}"))
        wins.append({label: int((won["model"] == label).sum()) for label in names})
    rows: Rows = tuple((it.shown(label), *(counted.get(label) for counted in wins)) for label in it.models)
    notes = [
        "Every model at a problem's highest valuation wins it; only problems that all compared models completed count."
    ]
    return Table("winners", "Winners", tuple(columns), rows, (*notes, *agreement_notes(it)), ("trajectories",))


def agreement_notes(it: Material) -> tuple[str, ...]:
    """Say in sentences how far Solo and Arena agree; nothing where they are not both planned."""
    if not it.paired:
        return ()
    same, n_problems = it.findings.same_winner
    if not n_problems:
        return (
            "Solo and Arena share no problem that every compared model completed, so their winners cannot be compared.",
        )
    told = [f"Solo and Arena have the same set of winners in {same} of {n_problems} problems completed in both."]
    compared = set(it.findings.compared)
    out = [it.shown(label) for label in it.models if label not in compared]
    told += [f"Not compared, without a valuation in one of them: {', '.join(out)}."] if out else []
    return tuple(told)


def agreement_table(it: Material) -> Table:
    """The figures of agreement of Solo and Arena in one place."""
    same, n_problems = it.findings.same_winner
    ranks = it.findings.rank_agreement
    columns = (text_column("Figure"), Column("Value", 3), Column("95 % from", 3), Column("95 % to", 3), Column("n"))
    rows: Rows = (
        ("problems with the same set of winners", same, None, None, n_problems),
        ("mean rank correlation within problems (Spearman)", ranks.mean, *ranks.interval, ranks.n_defined),
        ("problems where it is undefined", ranks.n_undefined, None, None, n_problems),
    )
    return Table("agreement", "Agreement of Solo and Arena", columns, rows, behind=("correlations", "trajectories"))


def transition_table(it: Material) -> Table:
    """From the winner in Solo (rows) to the winner in Arena (columns), in numbers of problems."""
    names = it.findings.compared
    columns = (text_column("Solo winner"), *(Column(f"Arena: {it.shown(name)}") for name in names))
    counted = {
        (row["winner_base"], row["winner_other"]): float(row["n"]) for row in it.findings.transitions.to_dict("records")
    }
    rows: Rows = tuple((it.shown(one), *(_whole(counted[one, two]) for two in names)) for one in names)
    note = "Where several models share a win, a problem is divided among the pairs."
    return Table("transitions", "Winners from Solo to Arena", columns, rows, (note,), ("trajectories",))


def standing_table(it: Material, setting: Setting) -> Table:
    """How firm each model's place is in one ecology, best first."""
    ours = of_setting(it.findings.standings, setting)
    groups = of_setting(it.findings.tie_groups, setting).set_index("model")["groups"]
    columns = (
        text_column("Model"),
        Column("Valuation (M EUR)", 3),
        Column("Place", 1),
        text_column("Place, 95 %"),
        share_column("Chance of being best"),
        text_column("Ties"),
        Column("Mean rank"),
        text_column("Mean rank, 95 %"),
        Column("Problems"),
    )
    # Without any outcome there is a frame without columns.
    known = ours.dropna(subset=["valuation_m"]) if "valuation_m" in ours else ours.iloc[:0]
    absent = [name for name in it.entered[setting] if name not in set(known["model"])]
    ordered = known.sort_values(["place", "model"], kind="stable") if len(known) else known
    rows: Rows = tuple(
        (
            it.shown(row["model"]),
            row["valuation_m"],
            _whole(row["place"]),
            _range(row["place_low"], row["place_high"], 1),
            row["p_best"],
            str(groups.get(row["model"], "")),
            row["rank"],
            _range(row["rank_low"], row["rank_high"], 2),
            int(row["n"]),
        )
        for row in ordered.to_dict("records")
    )
    rows += tuple((it.shown(name), None, None, None, None, None, None, None, 0) for name in absent)
    ties = CROWD_NOTE if it.crowded else TIE_NOTE
    notes = (ties, "Chance of being best: share of resamples of problems where the mean valuation is the highest.")
    title = f"How firm the order is: {setting_name(setting)}"
    return Table(_name("standings", setting), title, columns, rows, notes, ("trajectories",))


def difference_table(it: Material, setting: Setting) -> Table:
    """The difference between each two models in one ecology."""
    columns = (
        text_column("Model"),
        text_column("Less"),
        Column("Problems"),
        Column("Difference (M EUR)", 3, signed=True),
        Column("95 % from", 3, signed=True),
        Column("95 % to", 3, signed=True),
        text_column("Told apart"),
        Column("Detectable (M EUR)", 3),
    )
    rows: Rows = tuple(
        (
            it.shown(row["model"]),
            it.shown(row["other"]),
            int(row["n"]),
            row["difference_m"],
            row["ci_low_m"],
            row["ci_high_m"],
            "yes" if row["apart"] else "no",
            row["detectable_m"],
        )
        for row in of_setting(it.findings.differences, setting).to_dict("records")
    )
    title = f"Differences between models: {setting_name(setting)}"
    notes = (CROWD_NOTE,) if it.crowded else ()
    return Table(_name("differences", setting), title, columns, rows, notes, ("trajectories",))


def win_rate_table(it: Material, setting: Setting) -> Table:
    """Share of problems in which the row's model beats the column's, a tie counted as half."""
    names = it.entered[setting]
    ours = of_setting(it.findings.win_rates, setting)
    rates = {(row["model"], row["opponent"]): row["win_rate"] for row in ours.to_dict("records")}
    columns = (text_column("Model"), *(share_column(f"over {it.shown(name)}") for name in names))
    rows: Rows = tuple((it.shown(one), *(rates.get((one, two)) for two in names)) for one in names)
    title = f"Wins in pairs: {setting_name(setting)}"
    return Table(_name("win-rates", setting), title, columns, rows, behind=("trajectories",))


def bounds_table(it: Material) -> Table:
    """What the missing could change: each figure with every missing trajectory at its worst and at its best."""
    columns = (
        text_column("Ecology"),
        text_column("Model"),
        Column("Planned"),
        Column("Missing"),
        Column("Valuation at least (M EUR)", 3),
        Column("At most", 3),
        Column("Mean rank at best"),
        Column("At worst"),
        Column("Δ at least (M EUR)", 3, signed=True),
        Column("Δ at most", 3, signed=True),
    )
    deltas = it.findings.delta_bounds
    rows: list[tuple[Cell, ...]] = []
    for setting in it.settings:
        for row in of_setting(it.findings.bounds, setting).to_dict("records"):
            mine = of_model(deltas, row["model"])
            numbers = (row[name] for name in ("valuation_low_m", "valuation_high_m", "rank_best", "rank_worst"))
            change = (first(mine["delta_low_m"]), first(mine["delta_high_m"])) if it.paired else (None, None)
            counts = (int(row["planned"]), int(row["missing"]))
            rows.append((setting_name(setting), it.shown(row["model"]), *counts, *numbers, *change))
    note = "A missing valuation is put at the lowest and highest of its problem and ecology, a missing rank at 1 and M."
    return Table("bounds", "What the missing could change", columns, tuple(rows), (note,), ("outcomes",))


def _name(kind: str, setting: Setting) -> str:
    return "-".join((kind, *filter(None, setting)))


def _whole(value: float | None) -> float | int | None:
    if value is None or math.isnan(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


def _range(low: float, high: float, decimals: int) -> str:
    if math.isnan(low) or math.isnan(high):
        return "–"
    texts = [
        f"{value:.0f}" if decimals == 1 and value.is_integer() else f"{value:.{decimals}f}" for value in (low, high)
    ]
    return texts[0] if texts[0] == texts[1] and decimals == 1 else f"{texts[0]} to {texts[1]}"
