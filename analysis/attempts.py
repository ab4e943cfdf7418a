"""Every call of the models, failed attempts included: how many, tokens by kind, and money for what was not used.

An attempt is used when its reply entered a decision of a committed round. What a server does not count, or what has no
price, makes a sum unknown (NaN), which is not 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from analysis.metrics import SETTING

PREFLIGHT: Final = "preflight"
"""Ecology of the calls that were made before the run began."""
REPLIED: Final = ("", "content_filter")
"""Error classes of attempts that brought a reply."""
WHOLE: Final = ("tokens_in", "tokens_out")
"""Kinds of which every reply has some: unknown as soon as one reply does not say."""
PARTS: Final = ("tokens_cached", "tokens_cache_write", "tokens_reasoning")
"""Parts of them: servers leave out what there is none of, so they are unknown when no reply says."""
COLUMNS: Final = ("calls", "failed", "unused", *WHOLE, *PARTS, "cost_used_usd", "cost_unused_usd")


def attempts(calls: pd.DataFrame, settings: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Give one row per setting and model, all its markets together, whether they came to an end or not.

        calls, failed      attempts, and those of them that brought no reply
        unused             replies that entered no decision: asked again after a loss, or of a round that does not count
        tokens_*           sums by kind
        cost_used_usd      money for the replies that were used
        cost_unused_usd    money for all other attempts; a failed one that counts no tokens is taken as not billed

    Args:
        calls: the table `calls`.
        settings: ecology and line-up of each market, by its id; other calls stand under `PREFLIGHT`.
    """
    placed = [settings.get(market_id, (PREFLIGHT, "")) for market_id in calls["market_id"]]
    frame = calls.assign(
        ecology=[ecology for ecology, _ in placed],
        lineup=[lineup for _, lineup in placed],
        replied=calls["error_class"].isin(REPLIED),
        used=calls["used"].astype("bool"),
        **{name: calls[name].astype("float64") for name in (*WHOLE, *PARTS, "cost_usd")},
    )
    key = [*SETTING, "model"]
    rows = [(*names, *_row(mine)) for names, mine in frame.groupby(key)]
    return pd.DataFrame(rows, columns=[*key, *COLUMNS])


def _row(mine: pd.DataFrame) -> tuple[float, ...]:
    replied, used = mine["replied"], mine["used"]
    billed = replied | mine["tokens_in"].notna() | mine["tokens_out"].notna()
    return (
        len(mine),
        int((~replied).sum()),
        int((replied & ~used).sum()),
        *(_known(mine[name], replied) for name in WHOLE),
        *(float(mine[name].sum(min_count=1)) for name in PARTS),
        _known(mine["cost_usd"][used], used[used]),
        _known(mine["cost_usd"][~used], billed[~used]),
    )


def _known(values: pd.Series, needed: pd.Series) -> float:
    """The sum; unknown (NaN) where one that is needed is missing."""
    return float("nan") if values[needed].isna().any() else float(values.sum())
