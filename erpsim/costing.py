"""Moving averages: what the materials booked out and the goods sold on each day cost, in exact integer cents.

What leaves a stock takes its share of the value (`units.prorate`), so that the last piece takes the last cent: a stock
that is 0 has the value 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from erpsim.catalogue import MATERIALS, SKUS
from erpsim.production import Schedule
from erpsim.state import OpenOrder
from erpsim.units import DAYS, IntArray, frozen, prorate


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


def issue_materials(stock: IntArray, value: IntArray, orders: Iterable[OpenOrder], schedule: Schedule) -> Issued:
    """Receive each morning's orders and book out what each day's runs use, in the order of the line.

    Args:
        stock: (10,) kg or pieces at the round's opening.
        value: (10,) cents at the round's opening.
        orders: those that arrive in this round.
        schedule: the executed schedule; it never uses more than there is.
    """
    left, worth = stock.tolist(), value.tolist()  # Python's integers: no product of them can overflow
    arriving = sorted(orders, key=lambda order: order.receipt_day, reverse=True)
    usage = schedule.run_usage.swapaxes(0, 1)  # (30, runs, 10)
    days, rows, materials = np.nonzero(usage)
    costs: list[int] = []
    for day, material, quantity in zip(
        days.tolist(), materials.tolist(), usage[days, rows, materials].tolist(), strict=True
    ):
        while arriving and arriving[-1].receipt_day <= day + 1:
            _receive(left, worth, arriving.pop())
        costs.append(prorate(worth[material], quantity, left[material]))
        left[material] -= quantity
        worth[material] -= costs[-1]
    for order in arriving:
        _receive(left, worth, order)
    skus = np.array([run.sku for run in schedule.runs], dtype=np.int64)[rows]
    used, made = np.zeros((DAYS, len(MATERIALS)), dtype=np.int64), np.zeros((DAYS, len(SKUS)), dtype=np.int64)
    np.add.at(used, (days, materials), np.array(costs, dtype=np.int64))
    np.add.at(made, (days, skus), np.array(costs, dtype=np.int64))
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
                share = prorate(held, out, left)
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
