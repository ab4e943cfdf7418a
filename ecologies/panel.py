"""The panel's generator: from one seed to problems, figure by figure from keyed streams.

`python -m ecologies.panel` writes the shipped panel anew, byte for byte. Figures are rounded to a few decimals when
they are drawn, so that a file holds exactly what was played.

Harder, never hopeless. A panel is kept playable by four rules: no kind of disturbance comes twice and the pairs of
`disturbances.EXCLUDED` never meet (two slumps at once, half a line with double setups); where the mean over the rounds
of size x trend x slump or surge is below `DEMAND_FLOOR`, the market is made larger; low cash keeps `CASH_FLOOR`; and
the opening loan shrinks with the cash, so that every firm opens with a credit limit of at least 1.1 x its loan.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np

from ecologies.apportion import apportion
from ecologies.compositions import compose
from ecologies.disturbances import HARDSHIPS, KINDS, Level, compatible, draw, scenario
from ecologies.panel_file import Panel, encode, panel_digest
from erpsim.catalogue import ACTIVE, MEAN_PREFERENCE
from erpsim.conditions import magnitudes, reference_potential
from erpsim.parameters import RULES
from erpsim.problem import STRATA, Disturbance, DisturbanceKind, MarketSettings, Opening, Problem, Stratum
from erpsim.streams import stream

PANEL_SEED: Final = 20_260
PANEL_SIZE: Final = 100
HORIZON: Final = 6
STRATUM_WEIGHTS: Final = (40, 30, 15, 15)
"""Problems of each stratum in the panel of 100, in the order of `STRATA`."""

SIZE_SD: Final = 0.13
SIZE_RANGE: Final = (0.75, 1.35)
TREND_RANGE: Final = (-0.03, 0.06)
SENSITIVITY_RANGE: Final = (0.85, 1.15)
OUTSIDE_RANGE: Final = (0.20, 0.35)
MATERIAL_RANGE: Final = (0.90, 1.20)
CASH_RANGE: Final = (2_000_000, 5_000_000)
LOW_CASH_RANGE: Final = (1_000_000, 1_500_000)
CASH_STEP: Final = 50_000
CASH_FLOOR: Final = 500_000
LOAN: Final = 8_000_000
NET_LOAN_MAXIMUM: Final = 6_500_000
"""Opening loan less cash: the company risk at which the limit is still half of the equity."""
DEMAND_FLOOR: Final = 0.75
RANDOM_KINDS: Final = (3, 4, 4)
"""How many disturbances a `random_hard` problem has, each of these as often."""


class Mark(NamedTuple):
    """A problem before its figures are drawn: where it stands in the panel and what will happen in it."""

    problem_id: str
    stratum: Stratum
    disturbances: tuple[Disturbance, ...]
    quantiles: tuple[float, ...]  # of the market's figures, in the order of `MarketSettings`


def generate(seed: int, count: int = PANEL_SIZE, horizon: int = HORIZON) -> tuple[Problem, ...]:
    """Generate a panel: strata in proportion by largest remainder, ids from `P001` on.

    Args:
        seed: of the panel; equal seeds, counts and horizons give equal panels.
        count: problems, at least 1.
        horizon: rounds of each problem.
    """
    width = max(3, len(str(count)))
    marks: list[Mark] = []
    for stratum, size in zip(STRATA, apportion(count, STRATUM_WEIGHTS), strict=True):
        rows = zip(_scripts(seed, stratum, size, horizon), _quantiles(seed, stratum, size), strict=True)
        marks += [
            Mark(f"P{number:0{width}d}", stratum, script, row)
            for number, (script, row) in enumerate(rows, start=len(marks) + 1)
        ]
    return tuple(_problem(seed, mark, horizon) for mark in marks)


def demand_level(problem: Problem) -> float:
    """Mean over the rounds of size x trend x slumps and surges: 1 is the reference market."""
    return sum(_round_level(problem, number) for number in range(1, problem.horizon + 1)) / problem.horizon


def main(arguments: list[str]) -> int:
    """Write the shipped panel and its digest into the folder given, by default the package's own data."""
    folder = Path(arguments[0]) if arguments else Path(__file__).parent / "data"
    panel = Panel(1, "standard", generate(PANEL_SEED))
    (folder / "panel.json").write_bytes(encode(panel))
    (folder / "panel.json.sha256").write_text(f"{panel_digest(panel)}  panel.json\n", encoding="ascii")
    sys.stdout.write(f"wrote {folder / 'panel.json'}: {len(panel.problems)} problems, {panel_digest(panel)}\n")
    return 0


def _scripts(seed: int, stratum: Stratum, count: int, horizon: int) -> list[tuple[Disturbance, ...]]:
    """Give the disturbances of each problem of a stratum."""
    rng = stream(seed, 0, "scripts", stratum)
    if stratum == "hard":
        return [compose(index, horizon) for index in range(count)]
    if stratum == "random_hard":
        sizes = [RANDOM_KINDS[index % len(RANDOM_KINDS)] for index in rng.permutation(count)]
        return [_draw_all(kinds, ["strong"] * 4, horizon, rng) for kinds in _balanced_sets(HARDSHIPS, sizes, rng)]
    if stratum == "dual_pressure":
        pairs, levels = _balanced_sets(KINDS, [2] * count, rng), _shuffled_levels(2 * count, rng)
        return [_draw_all(pair, levels[2 * n :], horizon, rng) for n, pair in enumerate(pairs)]
    singles = iter(_balanced_sets(KINDS, [1] * (count // 2), rng))
    return [_draw_all(next(singles), ["mild"], horizon, rng) if n % 2 else () for n in range(count)]


def _draw_all(
    kinds: tuple[DisturbanceKind, ...], levels: list[Level], horizon: int, rng: np.random.Generator
) -> tuple[Disturbance, ...]:
    drawn = (draw(kind, level, horizon, rng) for kind, level in zip(kinds, levels, strict=False))
    return tuple(sorted(drawn, key=lambda one: (one.start_round, one.kind)))


def _balanced_sets(
    pool: Sequence[DisturbanceKind], sizes: Sequence[int], rng: np.random.Generator
) -> list[tuple[DisturbanceKind, ...]]:
    """Sets of these sizes in which every kind comes about equally often and none comes twice while others are left."""
    used = {size: {kinds: 0 for kinds in combinations(pool, size) if compatible(kinds)} for size in set(sizes)}
    seen = dict.fromkeys(pool, 0)
    chosen = []
    for size in sizes:
        times = used[size]
        order = [list(times)[index] for index in rng.permutation(len(times))]
        best = min(
            order, key=lambda kinds: (times[kinds], max(seen[one] for one in kinds), sum(seen[one] for one in kinds))
        )
        times[best] += 1
        seen.update({kind: seen[kind] + 1 for kind in best})
        chosen.append(best)
    return chosen


def _shuffled_levels(count: int, rng: np.random.Generator) -> list[Level]:
    levels: list[Level] = ["mild", "strong"]
    return [levels[index % 2] for index in rng.permutation(count)]


def _quantiles(seed: int, stratum: Stratum, count: int) -> list[tuple[float, ...]]:
    """Quantiles of the market's figures, spread evenly over each stratum, so that strata differ by what happens only.

    Every figure has one value in each of `count` equal parts of its distribution, in an order of its own.
    """
    rng = stream(seed, 0, "quantiles", stratum)
    columns = [(rng.permutation(count) + rng.random(count)) / max(count, 1) for _ in fields(MarketSettings)]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _problem(seed: int, mark: Mark, horizon: int) -> Problem:
    rng = stream(seed, 0, "problem", mark.problem_id)
    problem = Problem(
        problem_id=mark.problem_id,
        seed=int(rng.integers(1, 2**31)),
        stratum=mark.stratum,
        scenario=scenario(mark.disturbances),
        horizon=horizon,
        opening=_opening(mark.disturbances, rng),
        market=_market(mark.quantiles),
        disturbances=mark.disturbances,
    )
    lacking = DEMAND_FLOOR / demand_level(problem)
    if lacking <= 1:
        return problem
    size = math.ceil(problem.market.size * lacking * 1000) / 1000
    return replace(problem, market=replace(problem.market, size=size))


def _round_level(problem: Problem, round_number: int) -> float:
    market = problem.market
    changes = (*magnitudes(problem, "demand_slump", round_number), *magnitudes(problem, "demand_surge", round_number))
    return market.size * (1 + market.trend) ** (round_number - 1) * math.prod(1 + change for change in changes)


def _market(quantiles: tuple[float, ...]) -> MarketSettings:
    size, trend, sensitivity, outside_share, material_level = quantiles
    log_size = NormalDist(0.0, SIZE_SD)
    low, high = (log_size.cdf(math.log(bound)) for bound in SIZE_RANGE)
    return MarketSettings(
        size=round(math.exp(log_size.inv_cdf(low + size * (high - low))), 3),
        trend=_uniform(TREND_RANGE, trend),
        sensitivity=_uniform(SENSITIVITY_RANGE, sensitivity),
        outside_share=_uniform(OUTSIDE_RANGE, outside_share),
        material_level=_uniform(MATERIAL_RANGE, material_level),
    )


def _uniform(bounds: tuple[float, float], quantile: float) -> float:
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    return round(bounds[0] + quantile * (bounds[1] - bounds[0]), 3) + 0.0


def _opening(disturbances: tuple[Disturbance, ...], rng: np.random.Generator) -> Opening:
    by_kind = {one.kind: one.magnitude[0] for one in disturbances}
    low, high = LOW_CASH_RANGE if "credit_freeze" in by_kind else CASH_RANGE
    cash = CASH_STEP * int(rng.integers(low // CASH_STEP, high // CASH_STEP + 1))
    cash = max(cash + round(by_kind.get("opening_cash", 0)), CASH_FLOOR)
    loan = min(LOAN, cash + NET_LOAN_MAXIMUM)
    return Opening(cash=cash, loan=loan, goods=_goods(round(by_kind.get("opening_overstock", 0))))


def _goods(units: int) -> tuple[tuple[int, int, int], ...]:
    """Spread units over the cells in proportion to mean preference and the channels' potential."""
    if not units:
        return ()
    weights = MEAN_PREFERENCE * reference_potential(RULES.outside_share)
    cells = np.array(apportion(units, [float(weight) for weight in weights.ravel()])).reshape(ACTIVE.shape)
    return tuple((int(row[0]), int(row[1]), int(row[2])) for row in cells)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
