"""From the line to the channels: whole units by largest remainder, on sale on the morning after they are made."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from erpsim.catalogue import CHANNELS, SKUS
from erpsim.conditions import market_study
from erpsim.problem import Problem
from erpsim.production import Schedule
from erpsim.units import DAYS, FloatArray, IntArray, frozen

MORNINGS: Final = DAYS + 1
"""Mornings on which a round's output arrives, the next round's first among them."""


@lru_cache(maxsize=4096)
def default_shares(sku: int, problem: Problem) -> tuple[float, ...]:
    """Shares by channel of an item that names none, in proportion to what the market study expects; sum 1."""
    expected = market_study(problem)[sku]
    return tuple((expected / expected.sum()).tolist())


def split(quantity: int, shares: FloatArray) -> IntArray:
    """Split whole units by largest remainder, ties to the lower channel; (3,), its sum is the quantity.

    Args:
        quantity: units.
        shares: (3,) non-negative weights, at least one of them positive; a channel of weight 0 gets nothing.
    """
    units: IntArray = _split(np.array([quantity]), (shares / shares.sum())[None])[0]
    return units


def arrivals(schedule: Schedule, shares: FloatArray) -> IntArray:
    """Units that arrive in each channel on each morning, (31, 12, 3), read-only.

    Each day's output of a run is split on its own and arrives on the next morning: index d is the morning of day d + 1,
    index 0 is always empty and index 30 is the next round's first morning.

    Args:
        schedule: the executed schedule.
        shares: (runs, 3) shares by run and channel.
    """
    arriving = np.zeros((MORNINGS, len(SKUS), len(CHANNELS)), dtype=np.int64)
    batches = schedule.batches
    normal = shares / np.add.reduce(shares, axis=1)[:, None]
    np.add.at(arriving, (batches.day + 1, batches.sku), _split(batches.units, normal[batches.run]))
    return frozen(arriving)


def sent(schedule: Schedule) -> IntArray:
    """Units sent to channels on each day, (30,), read-only: a day's output leaves on that day."""
    units = np.zeros(DAYS, dtype=np.int64)
    np.add.at(units, schedule.batches.day, schedule.batches.units)
    return frozen(units)


def _split(quantities: IntArray, shares: FloatArray) -> IntArray:
    """Largest remainder for each of (n,) quantities by shares of sum 1, (n, 3)."""
    quotas = quantities[:, None] * shares
    whole = np.floor(quotas).astype(np.int64)
    missing = quantities - np.add.reduce(whole, axis=1)
    order = (whole - quotas).argsort(axis=1, kind="stable")
    split_up: IntArray = whole + (order.argsort(axis=1) < missing[:, None])
    return split_up
