"""What every figure shares: its size, the legend of the models and the notes beneath, and what stands for no data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from analysis.bootstrap import FloatArray
from analysis.theme import POINTS, QUIET, RULE, SMALL, TEXT, WIDTH, Cast, shades, width_of, wrapped

MARGIN = 6.0
"""Around a figure, in points."""

_LINE = 1.3
_HANDLE_WIDTH, _SPACING = 3.2, 1.6
_ENTRY = (_HANDLE_WIDTH + _SPACING + 0.8) * SMALL  # of an entry beside its name, in points

QUANTILES = (0.1, 0.25, 0.75, 0.9)
"""Of the models, where there are too many to draw each."""
AREAS = "the middle half and the middle four fifths of all models"

Setting = tuple[str, str]


def blank(height: float) -> Figure:
    """Make a figure of the common width whose panels are `height` inches high in all, before `finish` adds the rest."""
    return Figure(figsize=(WIDTH, height))


def finish(figure: Figure, cast: Cast, models: Sequence[str], notes: Iterable[str], *, lines: bool = True) -> Figure:
    """Set the legend of some models and the notes beneath the panels; the figure grows by what they need.

    Args:
        figure: with its panels.
        cast: names and looks.
        models: that the legend names; none where the panels' own labels do.
        notes: one paragraph each; those of the cast come last.
        lines: whether the legend shows the models' lines beside their markers.
    """
    room = 0.98 * (WIDTH * POINTS - 2 * MARGIN)  # a renderer may round the widths of letters up
    said = [line for note in (*notes, *cast.notes()) if note for line in wrapped(note, SMALL, room)]
    note_height = len(said) * SMALL * _LINE + (MARGIN if said else 0.0)
    columns = _legend_columns([cast.shown(model) for model in models], room)
    legend_height = math.ceil(len(models) / columns) * TEXT * 1.5 + (2 * MARGIN if models else 0.0)
    body = figure.get_figheight() * POINTS
    whole = body + note_height + legend_height + MARGIN
    figure.set_figheight(whole / POINTS)
    bottom = (note_height + legend_height + MARGIN) / whole
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=(0.0, bottom, 1.0, 1.0 - bottom)))
    if said:
        left, low = MARGIN / (WIDTH * POINTS), MARGIN / whole
        text = figure.text(left, low, "\n".join(said), fontsize=SMALL, color=QUIET, va="bottom", linespacing=_LINE)
        text.set_in_layout(False)
    if models:
        across = [model for column in range(columns) for model in models[column::columns]]
        legend = _add_legend(figure, [handle(cast, model, line=lines) for model in across], columns)
        legend.set_bbox_to_anchor((0.5, (note_height + 1.5 * MARGIN) / whole))
        for text, model in zip(legend.get_texts(), across, strict=True):
            text.set_text(cast.shown(model))
    return figure


def nothing(reason: str, cast: Cast) -> Figure:
    """Make the figure that says why there is none."""
    figure = blank(1.2)
    axes = figure.add_subplot()
    axes.set_axis_off()
    lines = wrapped(f"Not drawn: {reason}", TEXT, WIDTH * POINTS * 0.9)
    axes.text(0.5, 0.5, "\n".join(lines), ha="center", va="center", transform=axes.transAxes)
    return finish(figure, cast, (), ())


def handle(cast: Cast, model: str, *, line: bool = True) -> Line2D:
    """Make a model's entry for a legend, or the artist to copy its look from."""
    look = cast.look(model)
    return Line2D(
        [], [], color=look.colour, marker=look.marker, linestyle=look.dash if line else "none", markersize=5.0
    )


def setting_name(setting: Setting) -> str:
    """Name an ecology, with its line-up if it has several."""
    ecology, lineup = setting
    return ecology.capitalize() + (f" {lineup[:8]}" if lineup else "")


def settings_in_order(frame: pd.DataFrame) -> list[Setting]:
    """List the settings of a frame: Solo, Arena, then any others by name."""
    first = {("solo", ""): 0, ("arena", ""): 1}
    found = set(zip(frame["ecology"], frame["lineup"], strict=True))
    return sorted(found, key=lambda setting: (first.get(setting, 2), setting))


def of_setting(frame: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Give the rows of one setting."""
    return frame[(frame["ecology"] == setting[0]) & (frame["lineup"] == setting[1])]


def span(numbers: pd.Series) -> str:
    """Say which whole numbers there are: "100", or "78 to 100"; "0" when there are none."""
    found = numbers.dropna()
    low, high = (int(found.min()), int(found.max())) if len(found) else (0, 0)
    return f"{low}" if low == high else f"{low} to {high}"


def without_data(cast: Cast, absent: Iterable[tuple[str, str]]) -> str:
    """Say which models have no value somewhere, as (model, place) pairs; empty when none lacks one."""
    places: dict[str, list[str]] = {}
    for model, place in absent:
        places.setdefault(model, []).append(place)
    parts = (cast.shown(model) + _where(names) for model, names in places.items())
    said = "; ".join(parts)
    return f"Without data: {said}." if said else ""


def heat(axes: Axes, values: FloatArray, highest: float) -> Colormap:
    """Fill a table of cells, row by row from the top, with shades from 0 to the highest; NaN is left white.

    Args:
        axes: to draw on; cell (row, column) has its middle at x = column, y = row.
        values: (rows, columns).
        highest: value of the darkest shade.
    """
    scale = shades()
    rows, columns = values.shape
    edges = (np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5)
    filled = np.nan_to_num(values)
    axes.pcolormesh(*edges, filled, cmap=scale, vmin=0.0, vmax=highest, edgecolors=RULE, linewidth=0.5)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.grid(visible=False)
    return scale


def model_axis(axes: Axes, cast: Cast, models: Sequence[str]) -> None:
    """Name the models down the y axis, the first on top."""
    axes.set_yticks(range(len(models)), [cast.shown(model) for model in models])
    axes.set_ylim(len(models) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _where(names: Sequence[str]) -> str:
    stated = ", ".join(name for name in names if name)
    return f" ({stated})" if stated else ""


def _legend_columns(names: Sequence[str], room: float) -> int:
    if not names:
        return 1
    widest = max(width_of(name, SMALL) for name in names) + _ENTRY
    fitting = max(1, int(room // widest))
    return math.ceil(len(names) / math.ceil(len(names) / fitting))


def _add_legend(figure: Figure, handles: list[Line2D], columns: int) -> Legend:
    placeholders = [str(number) for number in range(len(handles))]  # a label that starts with "_" would be left out
    legend = figure.legend(
        handles,
        placeholders,
        loc="lower center",
        ncols=columns,
        borderaxespad=0.0,
        borderpad=0.0,
        handlelength=_HANDLE_WIDTH,
        columnspacing=_SPACING,
    )
    legend.set_in_layout(False)
    return legend
