"""The paper's figure 2: mean valuation and mean rank in Solo and in Arena, and how far each model moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.bootstrap import FloatArray
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
from analysis.theme import QUIET, Cast


class Panel(NamedTuple):
    """One measure of the summary and what its axis says."""

    column: str
    title: str
    label: str


_HALF_WIDTH = 0.32
"""Of the shade of all models, where a setting is 1 wide."""

PANELS = (
    Panel("valuation_m", "a  Mean terminal valuation", "Valuation (millions of EUR)"),
    Panel("rank", "b  Mean rank within a problem", "Rank (1 = best)"),
)


def aggregate(summary: pd.DataFrame, cast: Cast) -> Figure:
    """Draw one line per model from setting to setting, a panel for valuation and one for rank.

    Args:
        summary: rows of `metrics.summary`.
        cast: names and looks.
    """
    settings = settings_in_order(summary)
    if not summary["valuation_m"].notna().any():
        return nothing("no model has a valuation.", cast)
    figure = blank(3.1)
    for axes, panel in zip(figure.subplots(1, 2), PANELS, strict=True):
        for place, model in zip(_places(settings, cast.models), cast.models, strict=True):
            values = [_value(summary, setting, model, panel.column) for setting in settings]
            look = cast.look(model)
            axes.plot(
                np.arange(len(settings)) + place, values, color=look.colour, marker=look.marker, linestyle=look.dash
            )
        if cast.of:
            _spread(axes, summary, settings, panel)
        _dress(axes, panel, [setting_name(setting) for setting in settings])
    last = max(cast.of or len(cast.models), 2)
    margin = 0.3 + 0.02 * cast.of
    figure.axes[1].set_ylim(last + margin, 1 - margin)
    figure.axes[1].yaxis.set_major_locator(MaxNLocator(integer=True))
    absent = [
        (model, setting_name(setting))
        for model in cast.models
        for setting in settings
        if pd.isna(_value(summary, setting, model, "valuation_m"))
    ]
    over = f"Means over the problems that a model completed ({span(summary['n'])}). Lines only join a model's points."
    over += f" Grey: {AREAS}." if cast.of else ""
    return finish(figure, cast, cast.models, (over, without_data(cast, absent)))


def _places(settings: Sequence[Setting], models: Sequence[str]) -> FloatArray:
    """Where the models' points stand beside the middle: apart when there is one setting and no line to follow."""
    spread = 0.3 if len(settings) == 1 and len(models) > 1 else 0.0
    return np.linspace(-spread, spread, len(models))


def _spread(axes: Axes, summary: pd.DataFrame, settings: Sequence[Setting], panel: Panel) -> None:
    """Shade where all models lie in each setting."""
    for place, setting in enumerate(settings):
        marks = of_setting(summary, setting)[panel.column].quantile(list(QUANTILES)).tolist()
        for low, high in ((0, -1), (1, -2)):
            axes.fill_between(
                [place - _HALF_WIDTH, place + _HALF_WIDTH],
                marks[low],
                marks[high],
                color=QUIET,
                alpha=0.15,
                linewidth=0,
            )


def _value(summary: pd.DataFrame, setting: Setting, model: str, column: str) -> float:
    rows = of_setting(summary, setting)
    found = rows[column][rows["model"] == model]
    return float(found.iloc[0]) if len(found) else float("nan")


def _dress(axes: Axes, panel: Panel, names: list[str]) -> None:
    axes.set_title(panel.title)
    axes.set_ylabel(panel.label)
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.35, len(names) - 0.65)
    axes.margins(y=0.1)
    axes.grid(visible=False, axis="x")
