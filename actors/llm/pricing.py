"""What an attempt cost, from its tokens by kind and the prices of the models file."""

from __future__ import annotations

from actors.llm.calls import Tokens
from ecologies.models import Prices

MILLION = 1_000_000.0


def cost_usd(tokens: Tokens, prices: Prices) -> float | None:
    """USD of one attempt; None when a count or a price that it needs is unknown, which is not 0.

    Cached tokens are part of the prompt's and reasoning tokens part of the completion's; each is priced once.
    """
    if tokens.prompt is None or tokens.completion is None:
        return None
    cached = min(tokens.cached or 0, tokens.prompt)
    reasoning = min(tokens.reasoning or 0, tokens.completion)
    parts = (
        (tokens.prompt - cached, prices.input),
        (cached, prices.cached),
        (tokens.completion - reasoning, prices.output),
        (reasoning, prices.reasoning),
    )
    if any(count and price is None for count, price in parts):
        return None
    return sum(count * (price or 0.0) for count, price in parts) / MILLION
