"""The production line of one round: items in order, by the hour, with setups, lots and waits for material.

Time is exact. A tick is 1/capacity of an hour, so a unit takes 24 ticks whatever the capacity, an hour of setup takes
`capacity` ticks, and a day has as many ticks as the line works in it (fewer in an outage). Day d (0-based) begins at
tick d x `day_ticks`; its receipts are usable from then on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np

from erpsim.catalogue import MATERIALS, RECIPES
from erpsim.parameters import RULES
from erpsim.recall import last_result
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


class Batches(NamedTuple):
    """What the runs finish on each day, a row for each run and day, in the order of the line; arrays are read-only."""

    run: IntArray  # (n,) index in the schedule's runs
    day: IntArray  # (n,) 0-based, never falling; on sale on the next morning
    sku: IntArray  # (n,) SKU index
    units: IntArray  # (n,) units finished, above 0
    usage: IntArray  # (n, 10) kg or pieces booked out


@dataclass(frozen=True, eq=False)
class Schedule:
    """A round of the line. Runs are in time order; what is skipped has an outcome and no run.

    Whoever plans asks for runs and outcomes alone, so the days are worked out when they are first asked for.
    """

    runs: tuple[Run, ...]
    outcomes: tuple[ItemOutcome, ...]  # one for each item asked, in order
    line: Line  # as the round found it

    @property
    def last_sku(self) -> int:
        """SKU index the line is left set up for."""
        return self.runs[-1].sku if self.runs else self.line.last_sku

    @cached_property
    def batches(self) -> Batches:
        """The runs cut into days."""
        return _batches(self.runs, day_ticks(self.line))

    @cached_property
    def output(self) -> IntArray:
        """Units finished in each day by run, (runs, 30), read-only; on sale on the next morning."""
        output = np.zeros((len(self.runs), DAYS), dtype=np.int64)
        output[self.batches.run, self.batches.day] = self.batches.units
        return frozen(output)

    @cached_property
    def usage(self) -> IntArray:
        """Kg or pieces booked out in each day by all runs, (30, 10), read-only."""
        usage = np.zeros((DAYS, len(MATERIALS)), dtype=np.int64)
        np.add.at(usage, self.batches.day, self.batches.usage)
        return frozen(usage)

    @cached_property
    def setup_ticks(self) -> list[int]:
        """Ticks of setup in each day; so many as the line's capacity are an hour."""
        return _setup_ticks(self.runs, self.line)

    @property
    def setup_hours(self) -> FloatArray:
        """Hours of setup in each day, (30,), read-only."""
        return frozen(np.array(self.setup_ticks, dtype=np.int64) / self.line.capacity)


@last_result(by_value=2)
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
    front = _Front(line, stock + receipts.cumsum(axis=0))
    runs: list[Run] = []
    outcomes: list[ItemOutcome] = []
    for index, (sku, asked) in enumerate(items):
        outcome = _whole_lots(asked)
        run = front.take_at_once(index, sku, outcome.granted)
        if run is None and outcome.granted:
            start = front.start(sku, outcome.granted)
            if start + UNIT_TICKS * outcome.granted > front.last:
                fit = _largest_fit(front, sku, outcome.granted)
                outcome = ItemOutcome(asked, fit.quantity, fit.limit, fit.quantity or fit.limit)
                start = fit.start
            run = front.take(index, sku, outcome.granted, start) if outcome.granted else None
        outcomes.append(outcome)
        if run is not None:
            runs.append(run)
    return Schedule(tuple(runs), tuple(outcomes), line)


def day_ticks(line: Line) -> int:
    """Ticks that the line works in one day."""
    return 24 * line.capacity * line.hours_percent // 100


class _Fit(NamedTuple):
    quantity: int  # 0 when nothing fits
    start: int
    limit: str  # what keeps a greater quantity out


class _Front:
    """The line as the items so far leave it; plain integers, since a numpy call on ten numbers costs more than they do.

    Attributes:
        clock: tick on which the line is free
        sku: SKU index it is set up for
        came: stock and receipts so far by material, then morning; kg or pieces, never falling
        needed: what the items so far need of them, by material
    """

    def __init__(self, line: Line, available: IntArray) -> None:
        self.line = line
        self.day = day_ticks(line)
        self.last = DAYS * self.day
        self.setup = line.setup_hours * line.capacity
        self.clock = 0
        self.sku = line.last_sku
        self.came: list[list[int]] = available.T.tolist()
        self.needed = [0] * len(self.came)

    def ready(self, sku: int) -> int:
        """Tick on which the line is set up for a SKU."""
        return self.clock + (self.setup if sku != self.sku else 0)

    def start(self, sku: int, quantity: int) -> int:
        """Tick on which so many units can start; the round's end when no morning covers them."""
        came, needed, lots = self.came, self.needed, quantity // RECIPE_UNITS
        mornings = [bisect_left(came[material], needed[material] + lots * amount) for material, amount in _USED[sku]]
        return max(self.ready(sku), self.day * max(mornings))

    def take_at_once(self, item: int, sku: int, quantity: int) -> Run | None:
        """Put a quantity on the line if it need not wait and ends within the round, as most do; else do nothing."""
        clock, setup = self.clock, sku != self.sku
        start = clock + self.setup if setup else clock
        end = start + UNIT_TICKS * quantity
        if not quantity or end > self.last:
            return None
        came, needed = self.came, self.needed.copy()
        morning, lots = start // self.day, quantity // RECIPE_UNITS
        for material, amount in _USED[sku]:
            needed[material] += lots * amount
            if needed[material] > came[material][morning]:
                return None
        self.clock, self.sku, self.needed = end, sku, needed
        return Run(item, sku, quantity, clock, start, end, setup)

    def take(self, item: int, sku: int, quantity: int, start: int) -> Run:
        """Put a quantity on the line."""
        needed, lots, end = self.needed, quantity // RECIPE_UNITS, start + UNIT_TICKS * quantity
        run = Run(item, sku, quantity, self.clock, start, end, sku != self.sku)
        for material, amount in _USED[sku]:
            needed[material] += lots * amount
        self.clock, self.sku = end, sku
        return run


_USED: Final = tuple(tuple((n, amount) for n, amount in enumerate(row) if amount) for row in RECIPES.tolist())
"""Materials of 1,000 units by SKU: (material index, kg or pieces)."""


@lru_cache(maxsize=1024)
def _whole_lots(asked: int) -> ItemOutcome:
    lots = asked - asked % RULES.lot_step
    if asked > RULES.lot_maximum:
        return ItemOutcome(asked, RULES.lot_maximum, "lot_maximum", RULES.lot_maximum)
    if lots < RULES.lot_minimum:
        return ItemOutcome(asked, 0, "lot_size", "lot_size")
    if lots < asked:
        return ItemOutcome(asked, lots, "lot_step", RULES.lot_step)
    return ItemOutcome(asked, asked, "", "")


def _largest_fit(front: _Front, sku: int, too_many: int) -> _Fit:
    """Give the largest quantity below one that does not end within the round that does.

    Starts never fall as quantities grow, so neither do ends, and what fits is the first part of all quantities.
    """
    quantities = range(RULES.lot_minimum, too_many + 1, RULES.lot_step)
    # False sorts before True: the quantities that end too late begin where this one stands.
    late = bisect_left(quantities, True, key=lambda units: front.start(sku, units) + UNIT_TICKS * units > front.last)
    limit = "material" if front.ready(sku) + UNIT_TICKS * quantities[late] <= front.last else "capacity"
    return _Fit(quantities[late - 1], front.start(sku, quantities[late - 1]), limit) if late else _Fit(0, 0, limit)


def _batches(runs: Sequence[Run], day: int) -> Batches:
    """Cut runs into days of so many ticks.

    Units are the floor of the cumulative output, materials the floor of what the units finished so far hold, so that
    both are exact when a run ends and nothing stands half-made in the books.
    """
    rows: list[int] = []
    for index, run in enumerate(runs):
        number, before = run.start // day, 0
        worked = (number + 1) * day - run.start  # ticks by the evening
        while worked < run.end - run.start:
            after = worked // UNIT_TICKS
            if after > before:
                rows += (index, number, run.sku, before, after)
            number, before, worked = number + 1, after, worked + day
        rows += (index, number, run.sku, before, run.quantity)
    table: IntArray = np.array(rows, dtype=np.int64).reshape(-1, 5)
    recipes = RECIPES[table[:, 2]]
    usage = table[:, 4:] * recipes // RECIPE_UNITS - table[:, 3:4] * recipes // RECIPE_UNITS
    units = table[:, 4] - table[:, 3]
    return Batches(frozen(table[:, 0]), frozen(table[:, 1]), frozen(table[:, 2]), frozen(units), frozen(usage))


def _setup_ticks(runs: Sequence[Run], line: Line) -> list[int]:
    """Ticks of setup by day."""
    day, ticks = day_ticks(line), [0] * DAYS
    length = line.setup_hours * line.capacity
    for run in runs:
        if run.setup:
            number, into = divmod(run.setup_start, day)
            left = length
            while into + left > day:
                ticks[number] += day - into
                left -= day - into
                number, into = number + 1, 0
            ticks[number] += left
    return ticks
