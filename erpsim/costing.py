"""Moving averages: what the materials booked out and the goods sold on each day cost, in exact integer cents.

What leaves a stock takes its share of the value, `part` of `whole` pieces of `held` cents

    (2 held part + whole) // (2 whole)    held part / whole in exact integers, halves upward

so that the last piece takes the last cent: a stock that is 0 has the value 0. Each share is rounded before the next is
taken, so there is no closed form, and one loop over what leaves does for both kinds of stock and all stocks at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from erpsim.catalogue import MATERIALS, OF_CLASS, SKUS
from erpsim.production import Batches
from erpsim.units import DAYS, IntArray, frozen

INT64_END: Final = 2**63
"""The first whole number beyond those of 64 bits."""
_FOUR: Final[IntArray] = frozen(np.arange(4))


class Opening(NamedTuple):
    """What a round opens with, by firm and by material or SKU."""

    stock: IntArray  # (F, m) kg, pieces or units
    value: IntArray  # (F, m) cents


class Received(NamedTuple):
    """What arrives on each morning."""

    quantities: IntArray  # (F, 30, 10) kg or pieces
    values: IntArray  # (F, 30, 10) cents


class Steps(NamedTuple):
    """The batches of F firms side by side: step i is each firm's i-th, an empty one on day 1 where it has fewer."""

    day: IntArray  # (n, F) 0-based, counted on from one firm to the next: firm f's day d is 30 f + d
    sku: IntArray  # (n, F) SKU index
    usage: IntArray  # (n, F, 10) kg or pieces booked out


@dataclass(frozen=True, eq=False)
class Issued:
    """Materials after a round, and what went into production."""

    stock: IntArray  # (F, 10) kg or pieces left
    value: IntArray  # (F, 10) cents left
    stock_by_day: IntArray  # (F, 30, 2) kg of food and pieces of packaging at each day's end
    cost: IntArray  # (F, 30, 2) cents of food and packaging booked out on each day
    made: IntArray  # (F, 30, 12) cents of materials in each day's output


@dataclass(frozen=True, eq=False)
class Sold:
    """Goods after a round, and what those sold had cost."""

    value: IntArray  # (F, 12) cents left
    stock_by_day: IntArray  # (F, 30) units at each day's end
    cost: IntArray  # (F, 30) cents of what was sold on each day


def steps_of(batches: Sequence[Batches]) -> Steps:
    """Lay the batches of several firms side by side, each firm's in the order of its line."""
    shape = max([len(one.day) for one in batches]), len(batches)
    day, sku = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    usage = np.zeros((*shape, len(MATERIALS)), dtype=np.int64)
    for firm, one in enumerate(batches):
        number = len(one.day)
        day[:number, firm] = one.day
        sku[:number, firm] = one.sku
        usage[:number, firm] = one.usage
    return Steps(day + DAYS * np.arange(len(batches)), sku, usage)


def issue_materials(opening: Opening, received: Received, steps: Steps) -> Issued:
    """Receive each morning's orders and book out what each day's runs use, in the order of the line.

    Args:
        opening: kg or pieces and cents by material at the round's opening.
        received: what arrives in this round.
        steps: what the executed schedules make; they never use more than there is.
    """
    quantities, values = _so_far(opening.stock, received.quantities), _so_far(opening.value, received.values)
    used: IntArray = np.add.accumulate(steps.usage)
    came = values.reshape(-1, len(MATERIALS))[steps.day]
    stock = quantities.reshape(-1, len(MATERIALS))[steps.day] - (used - steps.usage)
    costs = _costs(came, steps.usage, stock)
    booked_out = np.concatenate((steps.usage @ OF_CLASS, costs @ OF_CLASS), axis=2)
    by_class = _by_day(booked_out, 4 * steps.day[..., None] + _FOUR, 4)
    return Issued(
        stock=frozen(quantities[:, -1] - np.add.reduce(steps.usage)),
        value=frozen(values[:, -1] - np.add.reduce(costs)),
        stock_by_day=frozen(quantities @ OF_CLASS - np.add.accumulate(by_class[..., :2], axis=1)),
        cost=by_class[..., 2:],
        made=_by_day(np.add.reduce(costs, axis=2), len(SKUS) * steps.day + steps.sku, len(SKUS)),
    )


def sell_goods(opening: Opening, sold: IntArray, output: IntArray, made: IntArray) -> Sold:
    """Take each day's sales out of the goods at their average, then add the day's output at its materials' cost.

    Args:
        opening: units over all channels and cents by SKU at the round's opening.
        sold: (F, 30, 12) units; a day's sales never exceed what was there on its morning.
        output: (F, 30, 12) units finished.
        made: (F, 30, 12) cents of materials in them.
    """
    gained, values = output - sold, _so_far(opening.value, made)
    stock = _so_far(opening.stock, gained)
    costs = _costs(*[table.swapaxes(0, 1) for table in (values - made, sold, stock - gained)])
    return Sold(
        value=frozen(values[:, -1] - np.add.reduce(costs)),
        stock_by_day=frozen(np.add.reduce(stock, axis=2)),
        cost=frozen(np.add.reduce(costs, axis=2).T),
    )


def _so_far(opening: IntArray, days: IntArray) -> IntArray:
    """What an opening (F, m) and the days (F, 30, m) up to each come to, (F, 30, m)."""
    sums = np.add.accumulate(days, axis=1)
    sums += opening[:, None]
    return sums


def _by_day(amounts: IntArray, places: IntArray, width: int) -> IntArray:
    """Sums of the steps' amounts (n, F, …) at their places in (F, 30, width), of that shape, read-only."""
    n_firms = amounts.shape[1]
    sums = np.zeros(n_firms * DAYS * width, dtype=np.int64)
    np.add.at(sums, places.reshape(-1), amounts.reshape(-1))
    return frozen(sums.reshape(n_firms, DAYS, width))


def _costs(came: IntArray, leaving: IntArray, stock: IntArray) -> IntArray:
    """Cents that leave any number of stocks in n steps, (n, …).

    Args:
        came: (n, …) cents that have come in before each step, those at the round's opening included.
        leaving: (n, …) pieces.
        stock: (n, …) pieces before each step, at least those that leave.
    """
    kind = np.int64 if _fits(came, stock) else object  # of Python's integers, which have no end
    parts = np.multiply(leaving, 2, order="C", dtype=kind)
    wholes = np.maximum(stock, 1, order="C", dtype=kind)
    numerators, denominators = came * parts + wholes, 2 * wholes
    costs = np.empty_like(numerators)
    gone = np.zeros(leaving.shape[1:], dtype=kind)
    multiply, subtract, divide, add, taken = np.multiply, np.subtract, np.floor_divide, np.add, np.empty_like(gone)
    for numerator, denominator, part, cost in zip(numerators, denominators, parts, costs, strict=True):
        multiply(gone, part, taken)
        subtract(numerator, taken, taken)
        divide(taken, denominator, cost)
        add(gone, cost, gone)
    return costs.astype(np.int64, copy=False)


def _fits(came: IntArray, stock: IntArray) -> bool:
    """Tell whether no 2 held part + whole can reach the end of int64; no part is above its whole."""
    if not came.size:
        return True
    held, whole = int(np.maximum.reduce(came, axis=None)), int(np.maximum.reduce(stock, axis=None))
    return 2 * held * whole + whole < INT64_END
