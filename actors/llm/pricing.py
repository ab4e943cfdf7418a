"""What an attempt cost, from its tokens by kind and the prices of the models file."""

from __future__ import annotations

from actors.llm.calls import Tokens
from ecologies.model_entry import Prices

MILLION = 1_000_000.0


def cost_usd(tokens: Tokens, prices: Prices) -> float | None:
    """USD of one attempt; None when a count or a price that it needs is unknown, which is not 0.

    Tokens read from a cache or written to one are part of the prompt's, reasoning tokens part of the completion's; each
    is priced once. Where every price that is stated is 0, whatever was used is free.
    """
    stated = [price for _, price in prices if price is not None]
    if stated and not any(stated):
        return 0.0
    if tokens.prompt is None or tokens.completion is None:
        return None
    cached = min(tokens.cached or 0, tokens.prompt)
    written = min(tokens.written or 0, tokens.prompt - cached)
    reasoning = min(tokens.reasoning or 0, tokens.completion)
    parts = (
        (tokens.prompt - cached - written, prices.input),
        (cached, prices.cached),
        (written, prices.cache_write),
        (tokens.completion - reasoning, prices.output),
        (reasoning, prices.reasoning),
    )
    if any(count and price is None for count, price in parts):
        return None
    return sum(count * (price or 0.0) for count, price in parts) / MILLION
