"""The paper's figure 5: operational reliability (L2) against mean valuation, both in Arena."""

from __future__ import annotations

from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.canvas import blank, finish, nothing, without_data
from analysis.theme import Cast

_NOTE: Final = (
    "r: events of the paper's three operational categories per completed trajectory. L2 = 1 − r / highest r is relative"
    " to these models: the highest r stands at 0, r = 0 at 1. Descriptive; so few points allow no inference."
)


def reliability(operational: pd.DataFrame, summary: pd.DataFrame, cast: Cast, ecology: str = "arena") -> Figure:
    """Draw one point per model.

    Args:
        operational: rows of `pyramid.reliability`, for each setting.
        summary: rows of `metrics.summary`.
        cast: names and looks.
        ecology: that is drawn.
    """
    key = ["ecology", "lineup", "model"]
    joined = operational.merge(summary[[*key, "valuation_m"]], on=key)
    points = joined[joined["ecology"] == ecology].dropna(subset=["l2", "valuation_m"])
    name = ecology.capitalize()
    if points.empty:
        return nothing(f"no model has both a reliability and a valuation in {name}.", cast)
    figure = blank(3.2)
    axes = figure.add_subplot()
    drawn = [model for model in cast.models if model in set(points["model"])]
    for model in drawn:
        own = points[points["model"] == model]
        look = cast.look(model)
        axes.plot(
            own["l2"], own["valuation_m"], look.marker, color=look.colour, markersize=8, markeredgecolor="#ffffff"
        )
    axes.set_xlim(-0.06, 1.06)
    axes.margins(y=0.15)
    axes.set_xlabel(f"Operational reliability L2 in {name}  (no unit; 1 = no interventions)")
    axes.set_ylabel(f"Mean valuation in {name} (millions of EUR)")
    absent = without_data(cast, [(model, name) for model in cast.models if model not in drawn])
    return finish(figure, cast, drawn, (_NOTE, absent), lines=False)
