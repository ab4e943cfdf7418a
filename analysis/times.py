"""Where the time went: the waiting of a run's firms and markets, added up by part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from analysis.metrics import SETTING

PARTS: Final = ("queue", "model", "tools", "market", "journal", "overhead")
"""Columns of `timings`, without their unit."""


def times(timings: pd.DataFrame, settings: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Give one row per setting and part: seconds, and their share of all seconds of that setting, NaN without any.

    A decision waits for its model while others do, so that seconds add up to more than passed by the clock.

    Args:
        timings: the table; markets that are not in `settings` are left out.
        settings: ecology and line-up of each market.
    """
    ours = timings[timings["market_id"].isin(list(settings))]
    placed = [settings[market_id] for market_id in ours["market_id"]]
    keyed = ours.assign(ecology=[ecology for ecology, _ in placed], lineup=[lineup for _, lineup in placed])
    sums = keyed.groupby(list(SETTING))[[f"{part}_s" for part in PARTS]].sum()
    sums.columns = pd.Index(PARTS, name="part")
    seconds = pd.Series(sums.stack())
    whole = seconds.groupby(list(SETTING)).transform("sum")
    frame = pd.DataFrame({"seconds": seconds, "share": seconds / whole.where(whole > 0)})
    return frame.reset_index()
