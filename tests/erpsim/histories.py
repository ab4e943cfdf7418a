"""Finished rounds that tests hand to a firm as its memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from erpsim.catalogue import LIST_PRICES
from erpsim.offer import MarketReport
from erpsim.state import RoundHistory
from erpsim.units import frozen

_LIST = frozen(np.repeat(LIST_PRICES[:, None], 3, axis=1))
_NONE = frozen(np.zeros((12, 3), dtype=np.int64))


def report(n_firms: int = 6, **changes: Any) -> MarketReport:
    """A public report in which all ask list prices and nothing was sold."""
    quiet = MarketReport(
        n_firms=n_firms,
        seats=tuple(range(n_firms)),
        prices=frozen(np.repeat(_LIST[None], n_firms, axis=0)),
        shares=frozen(np.zeros((n_firms, 12, 3))),
        volume=_NONE,
        rival_price_mean=_LIST,
        rival_price_low=_LIST,
        rival_price_high=_LIST,
        rival_units=_NONE,
    )
    return replace(quiet, **changes)


def history(round_number: int = 1, **changes: Any) -> RoundHistory:
    """A round in which a firm asked list prices and nothing happened."""
    quiet = RoundHistory(
        round_number=round_number,
        prices=_LIST,
        demanded=_NONE,
        sold=_NONE,
        received=_NONE,
        unmet=_NONE,
        produced=frozen(np.zeros(12, dtype=np.int64)),
        marketing=0,
        revenue=0,
        cost_of_goods=0,
        net_income=0,
        dividends=0,
        valuation=0.0,
        carbon_kg=(0.0, 0.0, 0.0),
        carbon_cost=0,
        report=report(),
    )
    return replace(quiet, **changes)
