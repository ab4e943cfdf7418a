"""The small pictures of the rules page, drawn from the rules' own functions."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from erpsim.catalogue import CHANNELS
from erpsim.conditions import reference_potential
from erpsim.loans import RISK_LINE, company_risk
from erpsim.parameters import RULES
from erpsim.units import DAYS

FIRMS: Final = 6
SIZE: Final = (6.0, 2.6)
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73")
STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "rules",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def pictures() -> dict[str, str]:
    """Every picture as SVG text by its name."""
    return {"demand": _drawn(_demand), "goodwill": _drawn(_goodwill), "risk": _drawn(_risk)}


def _drawn(draw: Callable[[Axes], None]) -> str:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        draw(figure.subplots())
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _demand(axes: Axes) -> None:
    """One of six firms moves all its prices; the others stay at list."""
    level = np.linspace(0.6, 2.2, 60)
    outside = FIRMS * RULES.outside_share / (1 - RULES.outside_share)
    for k, potential in enumerate(reference_potential(RULES.outside_share)):
        own = level ** -RULES.price_exponent[k]
        units = FIRMS * potential * own / (outside + own + FIRMS - 1)
        axes.plot(level, units / 1000, color=COLOURS[k], label=f"{CHANNELS[k]}, b = {RULES.price_exponent[k]:g}")
    axes.axvline(1.0, color="#888888", linewidth=0.8, linestyle=":")
    axes.set(xlabel="own price, x list", ylabel="thousand units a day", ylim=(0, None))
    axes.legend(frameon=False)


def _goodwill(axes: Axes) -> None:
    """Thirty days of 100 EUR a day in one cell, then none."""
    day = np.arange(1, 2 * DAYS + 1)
    kept = RULES.goodwill_decay ** np.minimum(day, DAYS)
    goodwill = 100 * (1 - kept) * RULES.goodwill_decay ** np.maximum(0, day - DAYS)
    for k, exponent in enumerate(RULES.goodwill_exponent):
        lifted = (1 + goodwill / RULES.goodwill_scale[k]) ** exponent
        axes.plot(day, 100 * (lifted - 1), color=COLOURS[k], label=f"{CHANNELS[k]}, c = {exponent:g}")
    axes.axvline(DAYS, color="#888888", linewidth=0.8, linestyle=":")
    axes.set(xlabel="day; 100 EUR a day are spent up to day 30", ylabel="attraction, + %", ylim=(0, None))
    axes.legend(frameon=False)


def _risk(axes: Axes) -> None:
    debt = np.array([0.0, *(knot.net_debt / 1e8 for knot in RISK_LINE), 47.0])
    axes.plot(debt, [100 * company_risk(round(one * 1e8)) for one in debt], color=COLOURS[0], marker=".")
    axes.set(xlabel="net debt, M EUR", ylabel="company risk, % a year", ylim=(0, None))
