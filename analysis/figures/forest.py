"""Effects with their intervals: of every model with its test, and the paper's figure 6, within each stratum."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures.canvas import blank, finish, model_axis, nothing, span, without_data
from analysis.strata import ordered_strata
from analysis.theme import QUIET, SMALL, Cast

EFFECT: Final = "Arena − Solo (millions of EUR)"
_INTERVALS: Final = (
    "Effect: Arena − Solo, millions of EUR (M EUR). n: complete pairs. Points: means. Bars: 95 % percentile bootstrap"
    " intervals over problems; none with fewer than two pairs."
)
_IN_A_ROW: Final = 4


def effect_forest(effects: pd.DataFrame, cast: Cast) -> Figure:
    """Draw each model's mean paired effect with its interval, and write n, effect, interval, p and q beside it.

    Args:
        effects: rows of `paired.effects`.
        cast: names and looks.
    """
    if not effects["delta_m"].notna().any():
        return nothing("no model has a valuation in both Solo and Arena of any problem.", cast)
    rows = effects.set_index("model").reindex(list(cast.models))
    figure = blank(1.0 + 0.26 * len(cast.models))
    axes, table = figure.subplots(1, 2, width_ratios=[1.0, 0.95])
    draw_effects(axes, rows, cast)
    axes.set_xlabel(f"Effect, {EFFECT}")
    _write_tests(table, rows)
    notes = [_INTERVALS, _test_note(rows), _without_effect(rows, cast)]
    return finish(figure, cast, (), notes)


def strata(effects: pd.DataFrame, cast: Cast) -> Figure:
    """Draw each model's mean paired effect with its interval in a panel for each stratum, all on one scale.

    Args:
        effects: rows of `strata.stratum_effects`.
        cast: names and looks.
    """
    if effects.empty or not effects["delta_m"].notna().any():
        return nothing("no model has a valuation in both Solo and Arena of any problem.", cast)
    names = ordered_strata(effects["stratum"])
    columns = min(len(names), _IN_A_ROW)
    lines = math.ceil(len(names) / columns)
    figure = blank(lines * (0.75 + 0.24 * len(cast.models)))
    panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
    absent = []
    for axes, name in zip(panels, names, strict=False):
        rows = effects[effects["stratum"] == name].set_index("model").reindex(list(cast.models))
        draw_effects(axes, rows, cast)
        absent += [(str(model), _stratum_name(name)) for model in rows.index[rows["delta_m"].isna()]]
        axes.set_title(f"{_stratum_name(name)}\nn = {span(rows['n'].fillna(0))}", fontsize=SMALL)
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    for axes in panels[max(0, len(names) - columns) : len(names)]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("Effect (M EUR)")
    notes = [_INTERVALS, without_data(cast, absent)]
    return finish(figure, cast, (), notes)


def draw_effects(axes: Axes, rows: pd.DataFrame, cast: Cast) -> None:
    """Draw a point and an interval per model, the first on top, and a line at no effect.

    Args:
        axes: to draw on.
        rows: delta_m, ci_low_m and ci_high_m, indexed by the models of the cast in their order.
        cast: names and looks.
    """
    axes.axvline(0.0, color=QUIET, linewidth=0.9)
    for place, (model, row) in enumerate(rows.iterrows()):
        look = cast.look(str(model))
        if np.isfinite(row["ci_low_m"]) and np.isfinite(row["ci_high_m"]):
            axes.plot([row["ci_low_m"], row["ci_high_m"]], [place, place], color=look.colour, linewidth=1.6)
        if np.isfinite(row["delta_m"]):
            axes.plot([row["delta_m"]], [place], color=look.colour, marker=look.marker, linestyle="none", markersize=6)
    model_axis(axes, cast, cast.models)
    axes.grid(visible=False, axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(5, prune="both"))
    axes.margins(x=0.08)


def _write_tests(axes: Axes, rows: pd.DataFrame) -> None:
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0.0, 1.0)
    axes.set_axis_off()
    places = (0.08, 0.64, 0.83, 1.0)
    for place, heading in zip(places, ("n", "effect [95 % interval]", "p", "q"), strict=True):
        axes.text(place, -0.6, heading, ha="right", va="bottom", fontsize=SMALL, fontweight="bold")
    for line, (_, row) in enumerate(rows.iterrows()):
        pairs = "0" if pd.isna(row["n"]) else f"{int(row['n'])}"
        for place, said in zip(places, (pairs, _effect(row), _chance(row["p"]), _chance(row["q"])), strict=True):
            axes.text(place, line, said, ha="right", va="center", fontsize=SMALL)


def _test_note(rows: pd.DataFrame) -> str:
    family = int(rows["family_size"].max()) if rows["family_size"].notna().any() else 0
    methods = ", ".join(sorted({str(name) for name in rows["method"][rows["p"].notna()]}))
    return (
        f"p: two-sided Wilcoxon signed-rank test ({methods or 'undefined'}). q: p adjusted for {family}"
        " tests (Benjamini-Hochberg)."
    )


def _effect(row: pd.Series) -> str:
    if pd.isna(row["delta_m"]):
        return "–"
    if pd.isna(row["ci_low_m"]):
        return f"{row['delta_m']:+.2f} [–]"
    return f"{row['delta_m']:+.2f} [{row['ci_low_m']:+.2f}, {row['ci_high_m']:+.2f}]".replace("-", "−")


def _chance(value: float) -> str:
    if pd.isna(value):
        return "–"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}".replace("-", "−")


def _stratum_name(name: str) -> str:
    return name.replace("_", " ")


def _without_effect(rows: pd.DataFrame, cast: Cast) -> str:
    return without_data(cast, [(str(model), "") for model in rows.index[rows["delta_m"].isna()]])
