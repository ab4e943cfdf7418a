"""A decision's prices, cell by cell: what a trick changes, it changes by looking at one cell after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from erpsim.catalogue import CHANNEL_INDEX, SKU_INDEX
from erpsim.decision import Decision
from erpsim.observation import Observation


class Cell(NamedTuple):
    """One price of a decision."""

    sku: str
    channel: str
    price: float  # EUR/unit
    supplied: bool  # on the shelf, or made for it in this round


def repriced(decision: Decision, observation: Observation, price_of: Callable[[Cell], float]) -> Decision:
    """The decision with every price that it names for a channel replaced by `price_of` its cell, EUR/unit."""
    made = {item.sku for item in decision.production}

    def supplied(sku: str, channel: str) -> bool:
        return sku in made or bool(observation.goods_stock[SKU_INDEX[sku], CHANNEL_INDEX[channel]] > 0)

    table = {
        sku: {channel: price_of(Cell(sku, channel, price, supplied(sku, channel))) for channel, price in row.items()}
        for sku, row in decision.prices.items()
        if isinstance(row, dict)
    }
    return decision.model_copy(update={"prices": table})
