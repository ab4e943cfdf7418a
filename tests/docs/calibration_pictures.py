"""The picture of the calibration page: how far each main parameter moves the median valuation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

from tests.docs.calibration_sensitivity import Moved

ROW_HEIGHT: Final = 0.24
WIDTH: Final = 7.0
COLOURS: Final = {"low": "#d55e00", "high": "#0072b2"}
STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "calibration",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
}


def tornado(rows: Sequence[Moved]) -> str:
    """The tornado chart as SVG text, the farthest-reaching parameter on top."""
    with mpl.rc_context(STYLE):
        stream = io.StringIO()
        drawn(rows).savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def drawn(rows: Sequence[Moved]) -> Figure:
    """The tornado chart."""
    figure = Figure(figsize=(WIDTH, 0.9 + ROW_HEIGHT * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows), 0, -1)
    for index, (side, colour) in enumerate(COLOURS.items()):
        changes = [100 * row.median[index] for row in rows]
        label = "parameter lower" if side == "low" else "parameter higher"
        shift = 0.2 - 0.4 * index
        axes.barh([place + shift for place in places], changes, height=0.4, color=colour, label=label)
    axes.set_yticks(list(places), [row.name for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.axvline(0.0, color="#444444", linewidth=0.8)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set(xlabel="change of the median valuation, %", ylim=(0.2, len(rows) + 1))
    axes.legend(frameon=False, loc="lower right")
    return figure
