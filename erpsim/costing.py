"""Moving averages: what the materials booked out and the goods sold on each day cost, in exact integer cents.

What leaves a stock takes its share of the value, `part` of `whole` pieces of `held` cents

    (2 held part + whole) // (2 whole)    held part / whole in exact integers, halves upward

so that the last piece takes the last cent: a stock that is 0 has the value 0. Each share is rounded before the next is
taken, so there is no closed form, and one loop over integers does for both kinds of stock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from erpsim.catalogue import MATERIALS, SKUS
from erpsim.procurement import Deliveries
from erpsim.production import Batches
from erpsim.units import DAYS, IntArray, frozen


class Opening(NamedTuple):
    """What a round opens with, by material or SKU."""

    stock: IntArray  # (m,) kg, pieces or units
    value: IntArray  # (m,) cents


@dataclass(frozen=True, eq=False)
class Issued:
    """Materials after a round, and what went into production."""

    value: IntArray  # (10,) cents left
    used: IntArray  # (30, 10) cents booked out on each day
    made: IntArray  # (30, 12) cents of materials in each day's output


@dataclass(frozen=True, eq=False)
class Sold:
    """Goods after a round, and what those sold had cost."""

    value: IntArray  # (12,) cents left
    cost: IntArray  # (30,) cents sold on each day


def issue_materials(opening: Opening, deliveries: Deliveries, batches: Batches) -> Issued:
    """Receive each morning's orders and book out what each day's runs use, in the order of the line.

    Args:
        opening: (10,) kg or pieces and (10,) cents at the round's opening.
        deliveries: what arrives in this round.
        batches: what the executed schedule makes; it never uses more than there is.
    """
    used_before = np.cumsum(batches.usage, axis=0) - batches.usage
    stock = opening.stock + np.cumsum(deliveries.quantities, axis=0)[batches.day] - used_before
    came = opening.value + np.cumsum(deliveries.values, axis=0)[batches.day]
    costs = _costs(came, batches.usage, stock)
    used, made = np.zeros((DAYS, len(MATERIALS)), dtype=np.int64), np.zeros((DAYS, len(SKUS)), dtype=np.int64)
    np.add.at(used, batches.day, costs)
    np.add.at(made, (batches.day, batches.sku), np.add.reduce(costs, axis=1))
    value = opening.value + np.add.reduce(deliveries.values) - np.add.reduce(costs)
    return Issued(frozen(value), frozen(used), frozen(made))


def sell_goods(opening: Opening, sold: IntArray, output: IntArray, made: IntArray) -> Sold:
    """Take each day's sales out of the goods at their average, then add the day's output at its materials' cost.

    Args:
        opening: (12,) units over all channels and (12,) cents at the round's opening.
        sold: (30, 12) units; a day's sales never exceed what was there on its morning.
        output: (30, 12) units finished.
        made: (30, 12) cents of materials in them.
    """
    gained = output - sold
    stock = opening.stock + np.cumsum(gained, axis=0) - gained
    came = opening.value + np.cumsum(made, axis=0) - made
    costs = _costs(came, sold, stock)
    value = opening.value + np.add.reduce(made) - np.add.reduce(costs)
    return Sold(frozen(value), frozen(np.add.reduce(costs, axis=1)))


def _costs(came: IntArray, leaving: IntArray, stock: IntArray) -> IntArray:
    """Cents that leave m stocks in n steps, (n, m).

    Args:
        came: (n, m) cents that have come in before each step, those at the round's opening included.
        leaving: (n, m) pieces.
        stock: (n, m) pieces before each step, at least those that leave.
    """
    columns, steps = np.nonzero(leaving.T)
    # Python's integers, so that no product of them can overflow.
    lists = [table[steps, columns].tolist() for table in (came, leaving, stock)]
    costs: list[int] = []
    column, gone = -1, 0
    for place, total, part, whole in zip(columns.tolist(), *lists, strict=True):
        if place != column:
            column, gone = place, 0
        cost = (2 * (total - gone) * part + whole) // (2 * whole)
        gone += cost
        costs.append(cost)
    result = np.zeros(leaving.shape, dtype=np.int64)
    result[steps, columns] = costs
    return result
