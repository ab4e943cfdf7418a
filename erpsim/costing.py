"""Moving averages: what the materials booked out and the goods sold on each day cost, in exact integer cents.

What leaves a stock takes its share of the value, `part` of `whole` pieces of `total` cents

    (2 total part + whole) // (2 whole)    total part / whole in exact integers, halves upward

so that the last piece takes the last cent: a stock that is 0 has the value 0. The share stands in the loops as it is,
since a call of a function would take as long as all else in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from erpsim.catalogue import MATERIALS, SKUS
from erpsim.production import Batches
from erpsim.state import OpenOrder
from erpsim.units import DAYS, IntArray, frozen


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


def issue_materials(stock: IntArray, value: IntArray, orders: Iterable[OpenOrder], batches: Batches) -> Issued:
    """Receive each morning's orders and book out what each day's runs use, in the order of the line.

    Args:
        stock: (10,) kg or pieces at the round's opening.
        value: (10,) cents at the round's opening.
        orders: those that arrive in this round.
        batches: what the executed schedule makes; it never uses more than there is.
    """
    left, worth = stock.tolist(), value.tolist()  # Python's integers: no product of them can overflow
    arriving = sorted(orders, key=lambda order: order.receipt_day, reverse=True)
    rows, materials = np.nonzero(batches.usage)
    quantities = batches.usage[rows, materials]
    days = batches.day[rows]
    costs: list[int] = []
    for day, material, quantity in zip(days.tolist(), materials.tolist(), quantities.tolist(), strict=True):
        while arriving and arriving[-1].receipt_day <= day + 1:
            _receive(left, worth, arriving.pop())
        total, whole = worth[material], left[material]
        cost = (2 * total * quantity + whole) // (2 * whole)
        costs.append(cost)
        left[material] = whole - quantity
        worth[material] = total - cost
    for order in arriving:
        _receive(left, worth, order)
    used, made = np.zeros((DAYS, len(MATERIALS)), dtype=np.int64), np.zeros((DAYS, len(SKUS)), dtype=np.int64)
    np.add.at(used, (days, materials), costs)
    np.add.at(made, (days, batches.sku[rows]), costs)
    return Issued(frozen(np.array(worth, dtype=np.int64)), frozen(used), frozen(made))


def sell_goods(opening: tuple[IntArray, IntArray], sold: IntArray, output: IntArray, made: IntArray) -> Sold:
    """Take each day's sales out of the goods at their average, then add the day's output at its materials' cost.

    Args:
        opening: (12,) units over all channels and (12,) cents at the round's opening.
        sold: (30, 12) units; a day's sales never exceed what was there on its morning.
        output: (30, 12) units finished.
        made: (30, 12) cents of materials in them.
    """
    stock, value = opening
    worth: list[int] = []
    cost = [0] * DAYS
    columns = (stock, value, sold.T, output.T, made.T)
    for units, amount, *days in zip(*(column.tolist() for column in columns), strict=True):
        left, held = units, amount
        for day, (out, finished, materials) in enumerate(zip(*days, strict=True)):
            if out:
                share = (2 * held * out + left) // (2 * left)
                left -= out
                held -= share
                cost[day] += share
            left += finished
            held += materials
        worth.append(held)
    return Sold(frozen(np.array(worth, dtype=np.int64)), frozen(np.array(cost, dtype=np.int64)))


def _receive(left: list[int], worth: list[int], order: OpenOrder) -> None:
    left[order.material] += order.quantity
    worth[order.material] += order.value
