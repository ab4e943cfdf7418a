"""Ours: the course of valuation, of market share and of price, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures.canvas import (
    AREAS,
    QUANTILES,
    Setting,
    blank,
    finish,
    nothing,
    of_setting,
    setting_name,
    settings_in_order,
    span,
    without_data,
)
from analysis.paths import RULES
from analysis.theme import QUIET, Cast

_CROWD: Final = 8
_SPREAD: Final = 0.5
"""Part of the way to the next round that the models of a round are spread over, so that none hides another."""


class Measure(NamedTuple):
    """A measure of `paths.paths`, what its axis says, and a value to mark with a line."""

    column: str
    label: str
    line: float | None = None


VALUATION = (Measure("valuation_m", "Valuation (millions of EUR)"),)
SHARE = (Measure("share_percent", "Share of units sold (%)"),)
PRICE = (
    Measure("price", "Price (EUR/unit sold)"),
    Measure("price_index", "Index (market mean = 100)", 100.0),
)


def course(paths: pd.DataFrame, measures: Sequence[Measure], cast: Cast, remark: str = "") -> Figure:
    """Draw means by round, with the middle half of the problems: a column per setting, a row per measure.

    Args:
        paths: rows of `paths.paths`.
        measures: the rows, on one scale each.
        cast: names and looks.
        remark: for the notes.
    """
    ours = paths[paths["measure"].isin([measure.column for measure in measures])]
    settings = settings_in_order(ours[ours["model"] != RULES])
    if not settings:
        return nothing("no completed trajectory has the figures for it.", cast)
    figure = blank(0.5 + 2.4 * len(measures))
    panels = figure.subplots(len(measures), len(settings), sharex=True, sharey="row", squeeze=False)
    for row, measure in zip(panels, measures, strict=True):
        for axes, setting in zip(row, settings, strict=True):
            own = of_setting(ours[ours["measure"] == measure.column], setting)
            _draw(axes, own, cast)
            if measure.line is not None:
                axes.axhline(measure.line, color=QUIET, linewidth=0.8)
        row[0].set_ylabel(measure.label)
    for axes, setting in zip(panels[0], settings, strict=True):
        axes.set_title(setting_name(setting))
    for axes in panels[-1]:
        axes.set_xlabel("Round")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(figure, cast, cast.models, _notes(ours, settings, measures, cast, remark))


def band(axes: Axes, own: pd.DataFrame) -> None:
    """Shade where the means of all models lie, round by round.

    Args:
        axes: to draw on.
        own: rows of `paths.paths` of one setting and measure, of models.
    """
    shares = own.groupby("round")["mean"].quantile(np.array(QUANTILES)).unstack()
    for low, high in ((0, -1), (1, -2)):
        axes.fill_between(
            shares.index, shares[QUANTILES[low]], shares[QUANTILES[high]], color=QUIET, alpha=0.15, linewidth=0.0
        )


def _draw(axes: Axes, own: pd.DataFrame, cast: Cast) -> None:
    axes.grid(visible=False, axis="x")
    rules = own[own["model"] == RULES].sort_values("round")
    if len(rules):
        axes.plot(rules["round"], rules["mean"], color=QUIET, linewidth=1.0, linestyle=(0, (1, 1)))
    if own[own["model"] != RULES].empty:
        axes.text(0.5, 0.6, "no data", ha="center", transform=axes.transAxes)
    if cast.of:
        band(axes, own[own["model"] != RULES])
    faint = 0.45 if len(cast.models) <= _CROWD else 0.25
    places = np.linspace(-_SPREAD / 2, _SPREAD / 2, len(cast.models)) if len(cast.models) > 1 else np.zeros(1)
    for place, model in zip(places, cast.models, strict=True):
        rows = own[own["model"] == model].sort_values("round")
        if rows.empty:
            continue
        look = cast.look(model)
        rounds = rows["round"].to_numpy(dtype=np.float64) + place
        axes.vlines(rounds, rows["low"], rows["high"], color=look.colour, linewidth=0.8, alpha=faint)
        axes.plot(
            rounds,
            rows["mean"],
            color=look.colour,
            marker=look.marker,
            linestyle=look.dash,
            linewidth=1.0,
            markersize=3.5,
        )


def _notes(
    ours: pd.DataFrame, settings: Sequence[Setting], measures: Sequence[Measure], cast: Cast, remark: str
) -> list[str]:
    present = set(zip(ours["ecology"], ours["lineup"], ours["measure"], ours["model"], strict=True))
    absent = [
        (model, setting_name(setting) + (f" {measure.column.replace('_', ' ')}" if len(measures) > 1 else ""))
        for model in cast.models
        for setting in settings
        for measure in measures
        if (*setting, measure.column, model) not in present
    ]
    rules = " Grey, dotted: mean of the rule firms." if (ours["model"] == RULES).any() else ""
    rules += f" Grey areas: {AREAS}." if cast.of else ""
    points = (
        f"Points: means over completed trajectories (problems: {span(ours['n'])}), moved apart within a round."
        f" Bars: the middle half of the problems.{rules}{remark}"
    )
    return [points, without_data(cast, absent)]
