"""The paper's figure 3: execution events by category, for each model and pooled. Categories are diagnostics, no sum."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.canvas import blank, finish, heat, model_axis, nothing
from analysis.interventions import DISPLAYED, WHOLE_MARKET, shares
from analysis.theme import INK, SMALL, Cast, ink_on
from erpsim.events import PAPER_CATEGORIES

NAMES: Final = {
    "production_capacity_skip": "Capacity\nskip",
    "investment_unavailable": "Investment\nunavailable",
    "fallback_decision": "Fallback\ndecision",
    "production_quantity_clamped": "Quantity\nclamped",
    "traceback": "Traceback",
    "experiment_failed": "Experiment\nfailed",
}
"""Of the paper's categories, on two lines."""

_NOTE: Final = (
    "Shares are of the five categories displayed; experiment failed stands beside them, outside the denominator. Counts"
    " pool all ecologies. Categories lie at different layers and overlap: they make no error rate."
)


def audit(counts: pd.DataFrame, cast: Cast) -> Figure:
    """Draw counts and shares by category: panel a for each model, panel b pooled over models and ecologies.

    Args:
        counts: rows of `interventions.counts`.
        cast: names and looks.
    """
    if counts.empty:
        return nothing("no events were recorded for any model.", cast)
    ours = counts[counts["model"].isin(cast.models)]
    failed = counts[(counts["category"] == "experiment_failed") & (counts["model"] == WHOLE_MARKET)]["n"].sum()
    figure = blank(2.1 + 0.32 * len(cast.models) + 1.75)
    above, below = figure.subplots(2, 1, height_ratios=[0.9 + 0.32 * len(cast.models), 1.75])
    _by_model(above, shares(ours, ("model",)), cast)
    _pooled(below, shares(counts))
    notes = [_NOTE]
    if failed:
        notes.append(f"Experiment failed for whole markets, behind which no single model stands: {int(failed):,}.")
    return finish(figure, cast, (), notes)


def _by_model(axes: Axes, shared: pd.DataFrame, cast: Cast) -> None:
    tables = (shared.pivot(index="model", columns="category", values=name) for name in ("n", "share"))
    numbers, parts = (table.reindex(index=list(cast.models), columns=list(PAPER_CATEGORIES)) for table in tables)
    counted, parted = (table.to_numpy(dtype=np.float64, na_value=np.nan) for table in (numbers, parts))
    scale = heat(axes, parted, 1.0)
    for row, column in np.ndindex(parted.shape):
        n, share = float(counted[row, column]), float(parted[row, column])
        colour = ink_on(scale(0.0 if np.isnan(share) else share))
        axes.text(column, row, _cell(n, share), ha="center", va="center", color=colour, fontsize=SMALL)
    axes.axvline(len(DISPLAYED) - 0.5, color=INK, linewidth=0.8)
    axes.set_xticks(range(len(PAPER_CATEGORIES)), [NAMES[name] for name in PAPER_CATEGORIES])
    axes.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    model_axis(axes, cast, cast.models)
    axes.set_title("a  Events and their share, by model (shade: share)")


def _cell(n: float, share: float) -> str:
    if np.isnan(n):
        return "–"
    return f"{int(n):,}" + (f"  ({share * 100.0:.1f} %)" if n > 0 and not np.isnan(share) else "")


def _pooled(axes: Axes, shared: pd.DataFrame) -> None:
    shown = shared.set_index("category").loc[list(DISPLAYED)]
    percent = shown["share"].astype("float64").fillna(0.0) * 100.0
    bars = axes.barh(range(len(DISPLAYED)), percent, color="#2171b5", height=0.6)
    said = [_cell(n, share) for n, share in zip(shown["n"], shown["share"].astype("float64"), strict=True)]
    axes.bar_label(bars, said, padding=3, fontsize=SMALL)
    axes.set_yticks(range(len(DISPLAYED)), [NAMES[name].replace("\n", " ") for name in DISPLAYED])
    axes.set_ylim(len(DISPLAYED) - 0.5, -0.5)
    axes.set_xlim(0.0, 118.0)
    axes.set_xticks(range(0, 101, 20))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Share of displayed events (%)")
    axes.set_title("b  All models and ecologies pooled")
