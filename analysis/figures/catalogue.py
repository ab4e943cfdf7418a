"""The list of figures: their names in the report's order, their captions, and how each is drawn from the findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.aggregate import aggregate
from analysis.figures.audit import audit
from analysis.figures.courses import PRICE, SHARE, VALUATION, course
from analysis.figures.forest import effect_forest, strata
from analysis.figures.reliability import reliability
from analysis.figures.transitions import transitions
from analysis.findings import Findings
from analysis.load import Records
from analysis.material import best_first
from analysis.metrics import CROWD
from analysis.paths import paths
from analysis.theme import Cast, themed


class Drawn(NamedTuple):
    """What figures are drawn from; rounds are the rows of `paths.paths`."""

    findings: Findings
    rounds: pd.DataFrame
    cast: Cast


_AT_AN_END: Final = 6
"""Models drawn of the highest, and of the lowest, where there are many."""

_PRICE_REMARK: Final = (
    " Index: a firm's price over the mean price of all firms in its market and round; 100 = as dear as the market."
)

_DRAWERS: Final[dict[str, Callable[[Drawn], Figure]]] = {
    "aggregate": lambda it: aggregate(it.findings.summary, it.cast),
    "effect_forest": lambda it: effect_forest(it.findings.effects, it.cast),
    "audit": lambda it: audit(it.findings.counts, it.cast),
    "transitions": lambda it: transitions(
        it.findings.transitions,
        it.findings.correlations,
        it.findings.same_winner,
        it.findings.rank_agreement,
        it.cast,
    ),
    "reliability": lambda it: reliability(it.findings.operational, it.findings.summary, it.cast),
    "strata": lambda it: strata(it.findings.stratum_effects, it.cast),
    "valuation_paths": lambda it: course(it.rounds, VALUATION, it.cast),
    "share_paths": lambda it: course(it.rounds, SHARE, it.cast),
    "price_paths": lambda it: course(it.rounds, PRICE, it.cast, _PRICE_REMARK),
}

FIGURES: Final = tuple(_DRAWERS)
"""Names of the figures, in the order of the report."""

CAPTIONS: Final = {
    "aggregate": "Mean terminal valuation and mean rank in each ecology (the paper's figure 2).",
    "effect_forest": "Paired effect of the ecology on each model, with its interval and test.",
    "audit": "Execution events by category, for each model and pooled (the paper's figure 3).",
    "transitions": "Winners from Solo to Arena, and agreement of ranks within problems (the paper's figure 4).",
    "reliability": "Operational reliability and mean valuation in Arena (the paper's figure 5).",
    "strata": "Paired effect within each stratum of problems (the paper's figure 6).",
    "valuation_paths": "Valuation round by round.",
    "share_paths": "Market share round by round.",
    "price_paths": "Price round by round, as it is and against the market.",
}
"""One sentence for each figure."""


def draw(
    findings: Findings, records: Records, standins: frozenset[str] = frozenset(), names: Sequence[str] = FIGURES
) -> dict[str, Figure]:
    """Draw figures by name; one that the data do not allow says why instead.

    Args:
        findings: of the run.
        records: that they were taken from.
        standins: labels of the models that are stand-ins.
        names: of `FIGURES`.
    """
    unknown = sorted(set(names).difference(FIGURES))
    if unknown:
        raise ValueError(f"figures {', '.join(unknown)} are unknown; choose from {', '.join(FIGURES)}")
    drawn = Drawn(findings, paths(records), cast_of(findings, standins))
    with themed():
        return {name: _DRAWERS[name](drawn) for name in names}


def cast_of(findings: Findings, standins: frozenset[str] = frozenset()) -> Cast:
    """Give the models that figures draw: all, or of many those at the head and at the foot by mean valuation."""
    models = findings.models
    if len(models) <= CROWD:
        return Cast(models, standins)
    ordered = best_first(findings.summary, models)
    return Cast((*ordered[:_AT_AN_END], *ordered[-_AT_AN_END:]), standins, len(models))
