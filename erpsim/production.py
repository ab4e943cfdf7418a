"""The production line of one round: items in order, by the hour, with setups, lots and waits for material.

Time is exact. A tick is 1/capacity of an hour, so a unit takes 24 ticks whatever the capacity, an hour of setup takes
`capacity` ticks, and a day has as many ticks as the line works in it (fewer in an outage). Day d (0-based) begins at
tick d x `day_ticks`; its receipts are usable from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from erpsim.catalogue import RECIPES
from erpsim.parameters import RULES
from erpsim.units import DAYS, FloatArray, IntArray, frozen

UNIT_TICKS: Final = 24
"""Ticks that one unit takes on the line: a day of 24 h makes `capacity` units."""
RECIPE_UNITS: Final = 1_000
"""Units that a row of `catalogue.RECIPES` is for."""


class Line(NamedTuple):
    """The line as a round finds it."""

    capacity: int  # units/day at 24 h
    hours_percent: int  # share of 24 h that it works a day, 100 when nothing is wrong
    setup_hours: int  # h of one change of SKU
    last_sku: int  # SKU index it is set up for, -1 for none


class Run(NamedTuple):
    """One item on the line; times are ticks since the round's first morning."""

    item: int  # index of the item in what was asked
    sku: int
    quantity: int  # units
    setup_start: int  # end of the run before
    start: int
    end: int
    setup: bool  # whether the line is set up for it


class ItemOutcome(NamedTuple):
    """What became of one item.

    `code` is "" when all is granted; lot_step, lot_maximum, capacity or material when less is granted, and then `limit`
    is the bound in units; capacity, material or lot_size when nothing is, and then `limit` is the same word.
    """

    asked: int  # units
    granted: int  # units, 0 when skipped
    code: str
    limit: str | int


@dataclass(frozen=True, eq=False)
class Schedule:
    """A round of the line. Runs are in time order; what is skipped has an outcome and no run."""

    runs: tuple[Run, ...]
    outcomes: tuple[ItemOutcome, ...]  # one for each item asked, in order
    output: IntArray  # (runs, 30) units finished in each day; on sale on the next morning
    run_usage: IntArray  # (runs, 30, 10) kg or pieces booked out in each day
    usage: IntArray  # (30, 10) kg or pieces booked out in each day by all runs
    setup_hours: FloatArray  # (30,) h
    last_sku: int  # SKU index the line is left set up for


def schedule(items: Sequence[tuple[int, int]], line: Line, stock: IntArray, receipts: IntArray) -> Schedule:
    """Run the items through the line in their order and grant each the largest quantity that ends within the round.

    A quantity starts when the line is set up, but not before the first morning on which stock and receipts, less all
    that earlier items need, cover the whole of it. The line waits for that and nothing overtakes; an item that fits
    with no quantity is skipped and leaves the line as it was. Scheduling the granted quantities gives the same runs.

    Args:
        items: (SKU index, units asked) in the order of the line.
        line: the line on the round's first morning.
        stock: (10,) kg or pieces on hand on the round's first morning, before its receipts.
        receipts: (30, 10) kg or pieces that arrive on each morning.
    """
    front = _Front(0, line.last_sku, stock + np.cumsum(receipts, axis=0))
    runs: list[Run] = []
    outcomes: list[ItemOutcome] = []
    for index, (sku, asked) in enumerate(items):
        lots = _whole_lots(asked)
        fit = _fit(front, sku, lots.granted, line)
        outcomes.append(_outcome(lots, fit))
        if fit.quantity:
            end = fit.start + UNIT_TICKS * fit.quantity
            runs.append(Run(index, sku, fit.quantity, front.clock, fit.start, end, sku != front.sku))
            front = _Front(end, sku, front.available - _need(sku, fit.quantity))
    return _by_day(tuple(runs), tuple(outcomes), line)


def day_ticks(line: Line) -> int:
    """Ticks that the line works in one day."""
    return 24 * line.capacity * line.hours_percent // 100


class _Front(NamedTuple):
    """The line as the items so far leave it."""

    clock: int  # tick on which it is free
    sku: int
    available: IntArray  # (30, 10) stock and receipts by morning, less what the items so far need


class _Fit(NamedTuple):
    quantity: int  # 0 when nothing fits
    start: int
    limit: str  # what keeps a greater quantity out, "" when nothing does


def _whole_lots(asked: int) -> ItemOutcome:
    lots = asked - asked % RULES.lot_step
    if asked > RULES.lot_maximum:
        return ItemOutcome(asked, RULES.lot_maximum, "lot_maximum", RULES.lot_maximum)
    if lots < RULES.lot_minimum:
        return ItemOutcome(asked, 0, "lot_size", "lot_size")
    if lots < asked:
        return ItemOutcome(asked, lots, "lot_step", RULES.lot_step)
    return ItemOutcome(asked, asked, "", "")


def _fit(front: _Front, sku: int, most: int, line: Line) -> _Fit:
    """Give the largest quantity up to `most` that ends within the round.

    Starts never fall as quantities grow, so neither do ends, and what fits is the first part of all quantities.
    """
    day = day_ticks(line)
    ready = front.clock + (line.setup_hours * line.capacity if sku != front.sku else 0)
    quantities = np.arange(RULES.lot_minimum, most + 1, RULES.lot_step)
    mornings = np.searchsorted(_coverable(front.available, sku), quantities)  # DAYS: on none of this round
    starts = np.maximum(ready, mornings * day)
    fitting = int(np.count_nonzero(starts + UNIT_TICKS * quantities <= DAYS * day))
    limit = ""
    if fitting < len(quantities):
        in_time = ready + UNIT_TICKS * int(quantities[fitting]) <= DAYS * day
        limit = "material" if in_time else "capacity"
    return _Fit(int(quantities[fitting - 1]), int(starts[fitting - 1]), limit) if fitting else _Fit(0, 0, limit)


def _coverable(available: IntArray, sku: int) -> IntArray:
    """Units that the materials of each morning would make, (30,) in whole recipes, never falling."""
    used = RECIPES[sku] > 0
    recipes: IntArray = (available[:, used] // RECIPES[sku, used]).min(axis=1)
    return recipes * RECIPE_UNITS


def _outcome(lots: ItemOutcome, fit: _Fit) -> ItemOutcome:
    if not fit.limit:
        return lots
    return ItemOutcome(lots.asked, fit.quantity, fit.limit, fit.quantity or fit.limit)


def _need(sku: int, quantity: int) -> IntArray:
    need: IntArray = RECIPES[sku] * quantity // RECIPE_UNITS
    return need


def _by_day(runs: tuple[Run, ...], outcomes: tuple[ItemOutcome, ...], line: Line) -> Schedule:
    """Cut the runs into days.

    Units are the floor of the cumulative output, materials the floor of what the units finished so far hold, so that
    both are exact when a run ends and nothing stands half-made in the books.
    """
    ends = day_ticks(line) * np.arange(1, DAYS + 1)  # (30,) last tick of each day
    recipes = RECIPES[[run.sku for run in runs]]  # (runs, 10)
    starts, setup_starts = _column(run.start for run in runs), _column(run.setup_start for run in runs)
    quantities, setups = _column(run.quantity for run in runs), _column(run.setup for run in runs)
    finished = np.clip((ends - starts) // UNIT_TICKS, 0, quantities)  # (runs, 30) units, cumulative
    used = finished[:, :, None] * recipes[:, None, :] // RECIPE_UNITS  # (runs, 30, 10) kg or pieces, cumulative
    set_up = np.clip(ends - setup_starts, 0, setups * line.setup_hours * line.capacity)  # (runs, 30) ticks, cumulative
    run_usage = _increments(used, axis=1)
    return Schedule(
        runs=runs,
        outcomes=outcomes,
        output=frozen(_increments(finished, axis=1)),
        run_usage=frozen(run_usage),
        usage=frozen(run_usage.sum(axis=0)),
        setup_hours=frozen(_increments(set_up, axis=1).sum(axis=0) / line.capacity),
        last_sku=runs[-1].sku if runs else line.last_sku,
    )


def _column(numbers: Iterable[int]) -> IntArray:
    return np.array(tuple(numbers), dtype=np.int64)[:, None]


def _increments(cumulative: IntArray, axis: int) -> IntArray:
    increments: IntArray = np.diff(cumulative, axis=axis, prepend=np.int64(0))
    return increments
