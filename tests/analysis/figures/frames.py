"""Small frames made by hand, as the statistics give them, and ways to read a figure."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from analysis.theme import Cast
from erpsim.events import PAPER_CATEGORIES

CAST = Cast(("model/a", "model/b"), frozenset({"model/b"}))


def summary(values: Mapping[tuple[str, str], tuple[float, float, int]]) -> pd.DataFrame:
    """Rows of valuation_m, rank and n by (ecology, model)."""
    rows = [(ecology, "", model, *figures) for (ecology, model), figures in values.items()]
    return pd.DataFrame(rows, columns=["ecology", "lineup", "model", "valuation_m", "rank", "n"])


def effects(values: Mapping[str, tuple[float, float, float]], n: int = 3) -> pd.DataFrame:
    """Rows of delta_m and its limits by model; tests are all the same."""
    rows = [(model, n, *figures, 0.25, "exact", 0.5, 2) for model, figures in values.items()]
    return pd.DataFrame(
        rows, columns=["model", "n", "delta_m", "ci_low_m", "ci_high_m", "p", "method", "q", "family_size"]
    )


def counts(numbers: Mapping[str, Sequence[int]], ecology: str = "arena") -> pd.DataFrame:
    """Rows of n by model and the paper's categories in their order."""
    rows = [
        (ecology, "", model, category, n)
        for model, ours in numbers.items()
        for category, n in zip(PAPER_CATEGORIES, ours, strict=True)
    ]
    return pd.DataFrame(rows, columns=["ecology", "lineup", "model", "category", "n"])


def moves(models: Sequence[str], numbers: Sequence[float]) -> pd.DataFrame:
    """Rows of n for each pair of winners, row by row."""
    pairs = product(models, models)
    rows = [(one, two, n) for (one, two), n in zip(pairs, numbers, strict=True)]
    return pd.DataFrame(rows, columns=["winner_base", "winner_other", "n"])


def said(figure: Figure) -> str:
    """Everything written on a figure, legend and tick labels included, on one line."""
    texts = [text.get_text() for text in figure.findobj() if isinstance(text, Text)]
    return " ".join(" ".join(texts).split())


def lines(axes: Axes) -> list[tuple[list[float], list[float]]]:
    """The x and the y values of each line of some panel, in the order drawn."""
    return [(_numbers(line.get_xdata()), _numbers(line.get_ydata())) for line in axes.get_lines()]


def curves(axes: Axes) -> list[list[float]]:
    """The y values alone."""
    return [values for _, values in lines(axes)]


def _numbers(values: Any) -> list[float]:
    found: list[float] = np.asarray(values, dtype=float).tolist()
    return found
