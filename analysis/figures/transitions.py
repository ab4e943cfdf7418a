"""The paper's figure 4: which winner follows which from Solo to Arena, and how far the orders of models agree."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from analysis.agreement import Agreement, RankAgreement
from analysis.figures.canvas import blank, finish, heat, model_axis, nothing
from analysis.theme import INK, SMALL, TEXT, Cast, ink_on

BINS = np.linspace(-1.0, 1.0, 11)
"""Edges of the bins of rank correlation, each 0.2 wide."""


def transitions(
    moves: pd.DataFrame, correlations: pd.DataFrame, agreement: Agreement, ranks: RankAgreement, cast: Cast
) -> Figure:
    """Draw the transitions of winners as a heat map and the rank correlations of the problems as a histogram.

    Args:
        moves: rows of `agreement.transitions`.
        correlations: rows of `agreement.rank_correlations`.
        agreement: of the winners.
        ranks: mean of the correlations and its interval.
        cast: names and looks.
    """
    if agreement.same_winner is None or moves.empty:
        return nothing("no problem was completed by every compared model in both Solo and Arena.", cast)
    models = [model for model in cast.models if model in set(moves["winner_base"])]
    size = 0.25 * max(len(models), 6)
    figure = blank(max(3.2, 1.7 + size))
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
    _heat(left, moves, models, cast)
    _histogram(right, correlations, ranks)
    notes = [_winner_note(agreement), _rank_note(ranks)]
    left_out = [cast.shown(model) for model in cast.models if model not in models]
    if left_out:
        notes.append(f"Not compared, for want of a valuation in one ecology: {', '.join(left_out)}.")
    return finish(figure, cast, (), notes)


def _heat(axes: Axes, moves: pd.DataFrame, models: list[str], cast: Cast) -> None:
    table = moves.pivot(index="winner_base", columns="winner_other", values="n")
    numbers = table.reindex(index=models, columns=models).to_numpy(dtype=np.float64)
    highest = max(float(numbers.max()), 1.0)
    scale = heat(axes, numbers, highest)
    for row, column in np.ndindex(numbers.shape):
        n = float(numbers[row, column])
        if n > 0:
            colour = ink_on(scale(n / highest))
            axes.text(column, row, _number(n), ha="center", va="center", color=colour, fontsize=SMALL)
    for place in range(len(models)):
        outline = Rectangle((place - 0.5, place - 0.5), 1.0, 1.0, fill=False, edgecolor=INK, linewidth=0.9)
        axes.add_patch(outline)
    model_axis(axes, cast, models)
    names = [cast.shown(model) for model in models]
    axes.set_xticks(range(len(models)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("Winner in Arena")
    axes.set_ylabel("Winner in Solo")
    axes.set_title("a  Problems by winner")


def _number(n: float) -> str:
    return f"{n:.0f}" if abs(n - round(n)) < 0.005 else f"{n:.2f}".rstrip("0")


def _histogram(axes: Axes, correlations: pd.DataFrame, ranks: RankAgreement) -> None:
    defined = correlations["rho"].dropna().to_numpy(dtype=np.float64)
    numbers, _ = np.histogram(np.round(defined, 9), bins=BINS)
    axes.bar(BINS[:-1], numbers, width=np.diff(BINS), align="edge", color="#9ecae1", edgecolor="#ffffff")
    if ranks.n_defined:
        if not np.isnan(ranks.interval.low):
            axes.axvspan(*ranks.interval, color=INK, alpha=0.18, linewidth=0.0)
        axes.axvline(ranks.mean, color=INK, linewidth=1.2)
    else:
        axes.text(0.5, 0.5, "undefined", ha="center", va="center", fontsize=TEXT, transform=axes.transAxes)
    axes.set_xlim(-1.05, 1.05)
    axes.set_xticks([-1.0, -0.5, 0.0, 0.5, 1.0])
    axes.set_ylim(0.0, max(1.0, float(numbers.max())) * 1.08)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Spearman's ρ within a problem")
    axes.set_ylabel("Problems")
    axes.grid(visible=False, axis="x")
    axes.set_title("b  Agreement of ranks")


def _winner_note(agreement: Agreement) -> str:
    return (
        f"Problems completed by every compared model in both ecologies: {agreement.n_problems}; same winner in"
        f" {agreement.same_winner}. Outlined: the winner stays. Shared wins: in parts."
    )


def _rank_note(ranks: RankAgreement) -> str:
    undefined = f" Undefined, and left out: {ranks.n_undefined}." if ranks.n_undefined else ""
    if not ranks.n_defined:
        return f"The rank correlation ρ is defined in no problem.{undefined}"
    low, high = ranks.interval
    interval = "" if np.isnan(low) else f", 95 % interval {low:.3f} to {high:.3f} by resampling problems (shaded)"
    mean = f"Mean ρ of the ranks in Solo and in Arena (line): {ranks.mean:.3f}"
    return f"{mean}{interval}; n = {ranks.n_defined}.{undefined}"
