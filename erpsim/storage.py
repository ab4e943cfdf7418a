"""Storage: it never limits, it is charged, by the started block over what is free, each day and kind of stock."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from erpsim.parameters import RULES
from erpsim.units import FloatArray, IntArray, cents_array, frozen

STOCK_KINDS: Final = ("goods", "food", "packaging")
"""Kinds of stock that are stored apart: units, kg, pieces."""

_TARIFF: Final = (RULES.storage_goods, RULES.storage_food, RULES.storage_packaging)  # (free, EUR/day a block)
_FREE: Final[IntArray] = frozen(np.array([free for free, _ in _TARIFF], dtype=np.int64))  # (3,)
_CENTS: Final[IntArray] = frozen(cents_array([tariff for _, tariff in _TARIFF]))  # (3,) cents a day and block
_CARBON: Final[FloatArray] = frozen(np.array(RULES.carbon_overstock))  # (3,) kg a day and block


class StorageCharges(NamedTuple):
    """What stock beyond the free amounts costs."""

    blocks: IntArray  # (…, days, 3) started blocks by kind
    cost: IntArray  # (…, days) cents
    carbon_kg: FloatArray  # (…, days) kg CO2e, scope 1


def storage_charges(stocks: IntArray) -> StorageCharges:
    """Charge each day's stocks.

    Args:
        stocks: (…, days, 3) units of goods, kg of food and pieces of packaging at each day's end.
    """
    over = np.maximum(stocks - _FREE, 0)
    blocks = -(-over // RULES.storage_block)
    return StorageCharges(
        blocks=frozen(blocks),
        cost=frozen(blocks @ _CENTS),
        carbon_kg=frozen(blocks @ _CARBON),
    )
