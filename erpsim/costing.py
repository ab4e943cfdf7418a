"""Moving averages: what the materials booked out and the goods sold on each day cost, in exact integer cents.

A pile of stock is a quantity and a value. What leaves takes its share of the value (`units.prorate`), so that the last
piece takes the last cent: a pile's value is 0 when its stock is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from erpsim.catalogue import SKUS
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


class Pile(NamedTuple):
    """Stock of one material or SKU."""

    quantity: int  # kg, pieces or units
    value: int  # cents


def issue_materials(stock: IntArray, value: IntArray, orders: Iterable[OpenOrder], schedule: Schedule) -> Issued:
    """Receive each morning's orders and book out what each day's runs use, in the order of the line.

    Args:
        stock: (10,) kg or pieces at the round's opening.
        value: (10,) cents at the round's opening.
        orders: those that arrive in this round.
        schedule: the executed schedule; it never uses more than there is.
    """
    piles = [Pile(*pile) for pile in zip(stock.tolist(), value.tolist(), strict=True)]
    used = np.zeros((DAYS, len(piles)), dtype=np.int64)
    made = np.zeros((DAYS, len(SKUS)), dtype=np.int64)
    arriving = sorted(orders, key=lambda order: order.receipt_day, reverse=True)
    by_day = schedule.run_usage.swapaxes(0, 1)  # (30, runs, 10)
    uses = np.argwhere(by_day)
    for (day, row, material), quantity in zip(uses.tolist(), by_day[tuple(uses.T)].tolist(), strict=True):
        while arriving and arriving[-1].receipt_day <= day + 1:
            _receive(piles, arriving.pop())
        cost = prorate(piles[material].value, quantity, piles[material].quantity)
        piles[material] = Pile(piles[material].quantity - quantity, piles[material].value - cost)
        used[day, material] += cost
        made[day, schedule.runs[row].sku] += cost
    for order in arriving:
        _receive(piles, order)
    return Issued(frozen(np.array([pile.value for pile in piles], dtype=np.int64)), frozen(used), frozen(made))


def sell_goods(opening: tuple[IntArray, IntArray], sold: IntArray, output: IntArray, made: IntArray) -> Sold:
    """Take each day's sales out of the goods at their average, then add the day's output at its materials' cost.

    Args:
        opening: (12,) units over all channels and (12,) cents at the round's opening.
        sold: (30, 12) units; a day's sales never exceed what was there on its morning.
        output: (30, 12) units finished.
        made: (30, 12) cents of materials in them.
    """
    left: list[int] = []
    cost = [0] * DAYS
    columns = (*opening, sold.T, output.T, made.T)
    for quantity, value, *days in zip(*(column.tolist() for column in columns), strict=True):
        pile = Pile(quantity, value)
        for day, (out, units, cents) in enumerate(zip(*days, strict=True)):
            share = prorate(pile.value, out, pile.quantity) if out else 0
            pile = Pile(pile.quantity - out + units, pile.value - share + cents)
            cost[day] += share
        left.append(pile.value)
    return Sold(frozen(np.array(left, dtype=np.int64)), frozen(np.array(cost, dtype=np.int64)))


def _receive(piles: list[Pile], order: OpenOrder) -> None:
    pile = piles[order.material]
    piles[order.material] = Pile(pile.quantity + order.quantity, pile.value + order.value)
