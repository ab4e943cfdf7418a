"""A plan by somebody who knows everything, as a mixed-integer program in round buckets (SciPy's HiGHS).

Each round takes one of a few price lists and makes whole numbers of runs; goods of a round can be sold in it or kept.
The instance's demand is what the list would draw with full shelves. Left out, so that the solver's bound is
one of every plan on the lists given: hours within the round at which goods are ready, money, order fees and interest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_matrix

from erpsim.units import FloatArray, IntArray, frozen

GAP: Final = 0.03
"""Relative gap at which the solver stops."""
SECONDS: Final = 60.0
"""Time after which it stops anyway."""
UNIT: Final = 1000.0
"""Goods are counted in thousands, so that all figures are of like size."""


@dataclass(frozen=True, eq=False)
class Instance:
    """What is known; R rounds, V price lists, J SKUs, K channels."""

    demand: FloatArray  # (R, V, J, K) units
    prices: FloatArray  # (V, J, K) EUR/unit
    unit_cost: FloatArray  # (R, J) EUR/unit when made
    selling_cost: FloatArray  # (R,) EUR/unit when made, freight and carbon
    hours: FloatArray  # (R,) h of the line
    setup_hours: FloatArray  # (R,) h a run
    unit_hours: float  # h a unit
    opening: FloatArray  # (J,) units in stock
    lot_minimum: int
    lot_maximum: int
    runs_maximum: int  # runs of a SKU in a round


class Planned(NamedTuple):
    """What the solver found."""

    margin: float  # EUR of revenue less what varies with units, over the game
    bound: float  # EUR that no plan on these lists can pass
    gap: float  # (bound - margin) / margin
    lists: IntArray  # (R,) price list of each round
    made: FloatArray  # (R, J) units
    sold: FloatArray  # (R, J, K) units


class _Columns(NamedTuple):
    """Where each variable stands."""

    chosen: IntArray  # (R, V) whether the list is taken
    sold: IntArray  # (R, V, J, K)
    made: IntArray  # (R, J)
    runs: IntArray  # (R, J)
    stock: IntArray  # (R, J) at the round's end
    size: int


def solve(instance: Instance, gap: float = GAP, seconds: float = SECONDS) -> Planned:
    """Solve an instance as far as the gap or the time allows.

    Raises:
        ArithmeticError: the solver found no plan at all.
    """
    columns = _columns(instance)
    rows = _Rows(columns.size)
    _constrain(instance, columns, rows)
    answer = milp(
        c=-_worth(instance, columns),
        constraints=rows.constraint(),
        integrality=_integrality(columns),
        bounds=_bounds(instance, columns),
        options={"mip_rel_gap": gap, "time_limit": seconds},
    )
    if answer.x is None:
        raise ArithmeticError(f"no plan was found within {seconds} s: {answer.message}")
    margin, bound = UNIT * -float(answer.fun), UNIT * -float(answer.mip_dual_bound)
    return Planned(
        margin=margin,
        bound=bound,
        gap=(bound - margin) / max(abs(margin), 1.0),
        lists=frozen(answer.x[columns.chosen].argmax(axis=1)),
        made=frozen(UNIT * answer.x[columns.made]),
        sold=frozen(UNIT * answer.x[columns.sold].sum(axis=1)),
    )


def _columns(instance: Instance) -> _Columns:
    rounds, lists, skus, channels = instance.demand.shape
    shapes = ((rounds, lists), (rounds, lists, skus, channels), *((rounds, skus),) * 3)
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    blocks = [np.arange(start, end).reshape(shape) for start, end, shape in zip(ends, ends[1:], shapes, strict=False)]
    return _Columns(blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], int(ends[-1]))


class _Rows:
    """Constraints as they are written down: low <= row x <= high."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.entries: list[tuple[int, int, float]] = []
        self.lows: list[float] = []
        self.highs: list[float] = []

    def add(self, terms: list[tuple[int, float]], low: float, high: float) -> None:
        row = len(self.lows)
        self.entries += [(row, int(column), factor) for column, factor in terms]
        self.lows.append(low)
        self.highs.append(high)

    def constraint(self) -> LinearConstraint:
        matrix = lil_matrix((len(self.lows), self.count))
        for row, column, factor in self.entries:
            matrix[row, column] = factor
        return LinearConstraint(matrix.tocsr(), self.lows, self.highs)


def _constrain(instance: Instance, columns: _Columns, rows: _Rows) -> None:
    rounds, lists, skus, _ = instance.demand.shape
    for r in range(rounds):
        rows.add([(column, 1.0) for column in columns.chosen[r]], 1.0, 1.0)
        for v in range(lists):
            for j, k in np.argwhere(instance.demand[r, v] > 0):
                most = instance.demand[r, v, j, k] / UNIT
                rows.add([(columns.sold[r, v, j, k], 1.0), (columns.chosen[r, v], -most)], -np.inf, 0.0)
        hours = [(column, instance.unit_hours * UNIT) for column in columns.made[r]]
        rows.add(
            [*hours, *((column, instance.setup_hours[r]) for column in columns.runs[r])], -np.inf, instance.hours[r]
        )
        for j in range(skus):
            made, runs = columns.made[r, j], columns.runs[r, j]
            rows.add([(made, 1.0), (runs, -instance.lot_minimum / UNIT)], 0.0, np.inf)
            rows.add([(made, 1.0), (runs, -instance.lot_maximum / UNIT)], -np.inf, 0.0)
            before: list[tuple[int, float]] = [(int(columns.stock[r - 1, j]), -1.0)] if r else []
            opening = 0.0 if r else float(instance.opening[j]) / UNIT
            gone = [(int(column), 1.0) for column in columns.sold[r, :, j].ravel()]
            rows.add([(columns.stock[r, j], 1.0), *before, (made, -1.0), *gone], opening, opening)


def _worth(instance: Instance, columns: _Columns) -> FloatArray:
    worth = np.zeros(columns.size)
    worth[columns.sold] = np.broadcast_to(instance.prices, instance.demand.shape)
    worth[columns.made] = -(instance.unit_cost + instance.selling_cost[:, None])
    return worth


def _integrality(columns: _Columns) -> IntArray:
    whole = np.zeros(columns.size, dtype=np.int64)
    whole[columns.chosen] = 1
    whole[columns.runs] = 1
    return whole


def _bounds(instance: Instance, columns: _Columns) -> Bounds:
    high = np.full(columns.size, np.inf)
    high[columns.chosen] = 1.0
    high[columns.runs] = instance.runs_maximum
    high[columns.sold] = instance.demand / UNIT
    return Bounds(np.zeros(columns.size), high)
