"""Whether two panels are alike: per stratum the distribution of every figure and how often each disturbance comes.

A panel may be made from any seed and of any size; these bands say that it is one of the same kind as another. Bands:

- The market's figures but its size are spread evenly over each stratum (`panel.generate`), so that a sample of n lies
  nowhere farther than 1/n from its distribution: two samples of n and m no farther than 1/n + 1/m.
- Other figures are drawn, or moved by what is drawn: Kolmogorov's and Smirnov's distance of two samples, beyond which
  they come once in 10,000 times by chance, 2.23 √(1/n + 1/m) (Smirnov 1948).
- Shares: 3.89 standard errors of a difference of two shares, as often exceeded, and a problem more in each sample,
  since shares are of whole problems.
- A stratum's share of the panel: a problem in each panel, which is what rounding to whole problems can do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ecologies.disturbances import KINDS
from erpsim.problem import STRATA, Problem, Stratum
from erpsim.units import FloatArray

CHANCE: Final = 1e-4
"""How often a figure that is drawn lies beyond its band by chance."""
NORMAL: Final = 3.89
"""Standard errors that are exceeded, to either side, so often."""
SMIRNOV: Final = math.sqrt(-math.log(CHANCE / 2) / 2)
QUANTILES: Final = (0.1, 0.5, 0.9)

Kind = Literal["share of the panel", "even", "drawn", "disturbance"]


@dataclass(frozen=True)
class Likeness:
    """One statistic of two panels.

    Attributes:
        stratum: what it is of.
        name: the figure or the kind of disturbance.
        kind: which band holds.
        ours: mean and quantiles of a figure, or one share, in the first panel.
        theirs: the same in the second.
        distance: of the two distributions, or of the two shares; 0 to 1.
        band: what the distance may be at most; 1 can not be missed.
    """

    stratum: Stratum
    name: str
    kind: Kind
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    distance: float
    band: float

    @property
    def within(self) -> bool:
        """Whether the band is met."""
        return self.distance <= self.band + 1e-9


def likeness(ours: Sequence[Problem], theirs: Sequence[Problem]) -> tuple[Likeness, ...]:
    """Compare two panels, statistic by statistic; of a stratum that one of them lacks, only its share."""
    found: list[Likeness] = []
    for stratum in STRATA:
        mine, others = ([one for one in panel if one.stratum == stratum] for panel in (ours, theirs))
        shares = len(mine) / len(ours), len(others) / len(theirs)
        band = 1 / len(ours) + 1 / len(theirs)
        found.append(_of_shares(stratum, "share", "share of the panel", shares, band))
        if mine and others:
            found += _of_figures(stratum, mine, others)
            found += _of_disturbances(stratum, mine, others)
    return tuple(found)


def summary(found: Sequence[Likeness]) -> str:
    """One line: how many statistics lie within their bands, how many could not miss them, and which are outside."""
    outside = [f"{one.name} in {one.stratum}" for one in found if not one.within]
    idle = sum(one.band >= 1 for one in found)
    line = f"{len(found) - len(outside)} of {len(found)} statistics within their bands"
    line += f" ({idle} cannot miss: too few problems)" if idle else ""
    return line if not outside else f"{line}; outside: {', '.join(outside)}"


_EVEN: Final = ("trend", "sensitivity", "outside_share", "material_level")

_DRAWN: Final[dict[str, Callable[[Problem], float]]] = {
    "size": lambda problem: problem.market.size,
    "cash": lambda problem: problem.opening.cash / 1e6,
    "loan": lambda problem: problem.opening.loan / 1e6,
    "disturbances": lambda problem: len(problem.disturbances),
    "announced": lambda problem: sum(one.announced for one in problem.disturbances),
    "strong": lambda problem: sum(one.level == "strong" for one in problem.disturbances),
}
"""Figures by name; cash and loan in M EUR."""


def _of_figures(stratum: Stratum, ours: Sequence[Problem], theirs: Sequence[Problem]) -> Iterator[Likeness]:
    parts = 1 / len(ours) + 1 / len(theirs)
    for name in _EVEN:
        mine, others = (np.array([getattr(one.market, name) for one in panel]) for panel in (ours, theirs))
        yield _of_samples((stratum, name, "even"), mine, others, parts)
    for name, read in _DRAWN.items():
        mine, others = (np.array([read(one) for one in panel], dtype=np.float64) for panel in (ours, theirs))
        yield _of_samples((stratum, name, "drawn"), mine, others, SMIRNOV * math.sqrt(parts))


def _of_samples(what: tuple[Stratum, str, Kind], ours: FloatArray, theirs: FloatArray, band: float) -> Likeness:
    at = np.concatenate([ours, theirs])
    below = (np.searchsorted(np.sort(sample), at, side="right") / len(sample) for sample in (ours, theirs))
    distance = float(np.abs(np.subtract(*below)).max())
    stratum, name, kind = what
    return Likeness(stratum, name, kind, _described(ours), _described(theirs), distance, min(band, 1.0))


def _described(sample: FloatArray) -> tuple[float, ...]:
    return float(sample.mean()), *np.quantile(sample, QUANTILES).tolist()


def _of_disturbances(stratum: Stratum, ours: Sequence[Problem], theirs: Sequence[Problem]) -> Iterator[Likeness]:
    parts = 1 / len(ours) + 1 / len(theirs)
    for kind in KINDS:
        hits = [sum(any(d.kind == kind for d in one.disturbances) for one in panel) for panel in (ours, theirs)]
        pooled = sum(hits) / (len(ours) + len(theirs))
        band = NORMAL * math.sqrt(pooled * (1 - pooled) * parts) + parts
        yield _of_shares(stratum, kind, "disturbance", (hits[0] / len(ours), hits[1] / len(theirs)), band)


def _of_shares(stratum: Stratum, name: str, kind: Kind, shares: tuple[float, float], band: float) -> Likeness:
    return Likeness(stratum, name, kind, (shares[0],), (shares[1],), abs(shares[0] - shares[1]), min(band, 1.0))
