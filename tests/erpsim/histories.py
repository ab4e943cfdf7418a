"""Finished rounds made by hand, for tests of what a firm sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNEL_INDEX, LIST_PRICES, SKU_INDEX
from erpsim.observation import Observation
from erpsim.observe import observe
from erpsim.offer import MarketReport
from erpsim.state import FirmState, RoundHistory
from tests.erpsim.samples import calm_problem, opened

CELLS = ACTIVE.shape
PRICES = np.repeat(LIST_PRICES[:, None], 3, axis=1)


def cell(sku: str, channel: str) -> tuple[int, int]:
    """Indices of a cell."""
    return SKU_INDEX[sku], CHANNEL_INDEX[channel]


def units(**cells: int) -> Any:
    """(12, 3) units, given as `NUT_500_grocery=…`."""
    array = np.zeros(CELLS, dtype=np.int64)
    for name, quantity in cells.items():
        flavour, size, channel = name.split("_")
        array[cell(f"{flavour}-{size}", channel)] = quantity
    return array


def public_report(n_firms: int = 3, **changes: Any) -> MarketReport:
    """All firms ask list prices and nobody sold anything, with fields changed."""
    none = np.zeros(CELLS, dtype=np.int64)
    report = MarketReport(
        n_firms=n_firms,
        seats=tuple(range(n_firms)),
        prices=np.stack([PRICES] * n_firms),
        shares=np.zeros((n_firms, *CELLS)),
        volume=none,
        rival_price_mean=PRICES,
        rival_price_low=PRICES,
        rival_price_high=PRICES,
        rival_units=none,
    )
    return replace(report, **changes)


def past_round(round_number: int = 1, **changes: Any) -> RoundHistory:
    """A round in which nothing happened, with fields changed."""
    none = np.zeros(CELLS, dtype=np.int64)
    history = RoundHistory(
        round_number=round_number,
        prices=PRICES,
        demanded=none,
        sold=none,
        received=none,
        unmet=none,
        produced=np.zeros(CELLS[0], dtype=np.int64),
        marketing=0,
        revenue=0,
        cost_of_goods=0,
        net_income=0,
        dividends=0,
        valuation=1_000_000.0,
        carbon_kg=(0.0, 15_000.0, 12_000.0),
        carbon_cost=216_000,
        report=public_report(),
    )
    return replace(history, **changes)


def played(*history: RoundHistory, **changes: Any) -> FirmState:
    """The firm of seat 0 after these rounds, with fields changed."""
    return opened(round_number=len(history) + 1, history=history, **changes)


def seen(*history: RoundHistory, **changes: Any) -> Observation:
    """What that firm observes in the calm problem of three firms, with fields of the observation changed."""
    return replace(observe(played(*history), calm_problem(), 3), **changes)
