"""From the line to the channels: whole units by largest remainder, on sale on the morning after they are made."""

from __future__ import annotations

from typing import Final

import numpy as np

from erpsim.catalogue import CHANNELS, SKUS
from erpsim.conditions import market_study
from erpsim.problem import Problem
from erpsim.production import Schedule
from erpsim.units import DAYS, FloatArray, IntArray, frozen

MORNINGS: Final = DAYS + 1
"""Mornings on which a round's output arrives, the next round's first among them."""


def default_shares(sku: int, problem: Problem) -> FloatArray:
    """Shares by channel of an item that names none, in proportion to what the market study expects; (3,), sum 1."""
    expected = market_study(problem)[sku]
    return frozen(expected / expected.sum())


def split(quantity: int, shares: FloatArray) -> IntArray:
    """Split whole units by largest remainder, ties to the lower channel; (3,), its sum is the quantity.

    Args:
        quantity: units.
        shares: (3,) non-negative weights, at least one of them positive; a channel of weight 0 gets nothing.
    """
    units: IntArray = _split(np.array([quantity]), shares)[0]
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
    for run, output, weights in zip(schedule.runs, schedule.output, shares, strict=True):
        arriving[1:, run.sku] += _split(output, weights)
    return frozen(arriving)


def sent(schedule: Schedule) -> IntArray:
    """Units sent to channels on each day, (30,), read-only: a day's output leaves on that day."""
    units: IntArray = schedule.output.sum(axis=0)
    return frozen(units)


def _split(quantities: IntArray, weights: FloatArray) -> IntArray:
    """Largest remainder for each of (n,) quantities, (n, 3)."""
    quotas = quantities[:, None] * (weights / weights.sum())
    whole = np.floor(quotas).astype(np.int64)
    missing = quantities - whole.sum(axis=1)
    order = np.argsort(whole - quotas, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1)
    split_up: IntArray = whole + (ranks < missing[:, None])
    return split_up
