"""Findings as Markdown tables: medians and extremes over problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from ecologies.hunt.findings import Finding
from ecologies.hunt.profile import Profile

MILLION: Final = 1e6


def tables(findings: Sequence[Finding]) -> str:
    """All tables of the page, ready to be pasted between its headings."""
    parts = (_worths(findings), _named(findings), _signature(findings), _probes(findings), _harm(findings))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _worths(findings: Sequence[Finding]) -> Iterator[str]:
    plays = sum(count for one in findings for count in one["plays"].values())
    yield f"{plays} plays on {len(findings)} problems."
    yield ""
    yield "| stratum | problems | balanced, M EUR | best parameters | all genes over these | last round's only |"
    yield "|---|---|---|---|---|---|"
    for stratum in [*dict.fromkeys(one["stratum"] for one in findings), "all"]:
        rows = [one["worth"] for one in findings if stratum in (one["stratum"], "all")]
        gains = (
            [row[search] / row[over] - 1 for row in rows]
            for search, over in (("management", "balanced"), ("tricks", "management"), ("endgame", "before_endgame"))
        )
        median = float(np.median([row["balanced"] for row in rows])) / MILLION
        yield f"| {stratum} | {len(rows)} | {median:.1f} | " + " | ".join(map(_percent, gains)) + " |"


def _named(findings: Sequence[Finding]) -> Iterator[str]:
    yield "| element | worth to the winner, M EUR: median (lowest to highest) | problems in which it is named |"
    yield "|---|---|---|"
    for name in findings[0]["worth_of"]:
        named = sum(name in one["named"] for one in findings)
        yield f"| {name} | {_millions([one['worth_of'][name] for one in findings])} | {named} |"


def _signature(findings: Sequence[Finding]) -> Iterator[str]:
    yield "| signature, median over problems | balanced | best parameters | all genes | last round's | most harm |"
    yield "|---|---|---|---|---|---|"
    for field in Profile._fields:
        shown = [
            float(np.median([one["profiles"][search][field] for one in findings]))
            for search in ("balanced", "management", "tricks", "endgame", "harm")
        ]
        yield f"| `{field}` | " + " | ".join(f"{figure:.2f}" for figure in shown) + " |"


def _probes(findings: Sequence[Finding]) -> Iterator[str]:
    yield "| tried by hand; median (lowest to highest), M EUR | over balanced | over best parameters | over all genes |"
    yield "|---|---|---|---|"
    for name in findings[0]["probes"]["balanced"]:
        gains = [[one["probes"][play][name] for one in findings] for play in ("balanced", "management", "tricks")]
        yield f"| {name} | {' | '.join(map(_millions, gains))} |"


def _harm(findings: Sequence[Finding]) -> Iterator[str]:
    yield "| problem | own loss, M EUR | the five rivals' loss, M EUR | of their valuation | for each euro |"
    yield "|---|---|---|---|---|"
    for one in findings:
        row = one["harm"]
        own, rivals = row["own_loss"] / MILLION, row["rivals_loss"] / MILLION
        share = 100 * row["rivals_loss"] / row["rivals_worth"]
        yield f"| {one['problem_id']} | {own:.1f} | {rivals:.1f} | {share:.1f} % | {row['ratio']:.2f} |"


def _millions(amounts: Sequence[float]) -> str:
    figures = np.array(amounts) / MILLION
    # Adding 0 takes the sign off a zero.
    middle, low, high = (round(float(figure), 2) + 0.0 for figure in (np.median(figures), figures.min(), figures.max()))
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _percent(fractions: Sequence[float]) -> str:
    figures = np.array(fractions) * 100
    return f"{np.median(figures):.1f} % ({figures.min():.1f} to {figures.max():.1f})"
