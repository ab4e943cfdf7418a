"""The budget of a run: refused where it cannot be held, and when it counts as spent.

It stops calls before they start. Those that are under way then are finished and journaled, so a run may spend beyond
its budget what these cost, and no more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final

from actors.progress import Progress
from ecologies.models import ModelEntry
from erpsim.errors import ModelsError, RunError

UNPRICED_MOST: Final = 20
"""Replies of unknown cost that are borne while none has a known one; after them a budget means nothing."""
_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "chat": ("input", "cached", "output", "reasoning"),
    "messages": ("input", "cached", "cache_write", "output"),
    "observed": ("input", "output"),  # a policy of one's own counts no tokens: only 0 makes its cost known
}
"""Kinds of tokens that the servers of each protocol report, by the names of their prices."""


@dataclass(frozen=True)
class Allowance:
    """What a run may spend, and how the calls of its models are stopped."""

    usd: float
    stop: Callable[[], Awaitable[None]]


@dataclass
class Spending:
    """Money spent by all attempts, failed ones too.

    Attributes:
        known_usd: sum of the costs that are known.
        priced: replies of known cost.
        unpriced: replies of unknown cost: without token counts, or with tokens of a kind that has no price.
        dearest_usd: the highest known cost of one attempt.
    """

    known_usd: float = 0.0
    priced: int = 0
    unpriced: int = 0
    dearest_usd: float = 0.0

    def add(self, cost_usd: float | None, replied: bool) -> None:
        """Count an attempt; one that brought neither a reply nor a cost is taken as not billed."""
        if cost_usd is not None:
            self.known_usd += cost_usd
            self.dearest_usd = max(self.dearest_usd, cost_usd)
        self.priced += replied and cost_usd is not None
        self.unpriced += replied and cost_usd is None

    def reckoned_usd(self) -> float | None:
        """Money that counts against a budget: a reply of unknown cost counts as the dearest attempt of known cost.

        None when more than `UNPRICED_MOST` replies have come and no cost is known.
        """
        if self.unpriced > UNPRICED_MOST and not self.priced:
            return None
        return self.known_usd + self.unpriced * self.dearest_usd


def is_spent(reckoned_usd: float | None, budget_usd: float) -> bool:
    """Whether no further call may start."""
    return reckoned_usd is None or reckoned_usd >= budget_usd


def require_prices(entries: Iterable[ModelEntry], budget_usd: float | None) -> None:
    """Refuse a budget while a price is unknown of tokens that a model's server reports.

    Raises:
        ModelsError: naming every such model and price.
    """
    if budget_usd is None:
        return
    missing = {entry.label: missing_prices(entry) for entry in entries}
    named = [f"model {label!r}: {', '.join(prices)}" for label, prices in missing.items() if prices]
    if named:
        raise ModelsError(
            f"a budget of {budget_usd:,.2f} USD cannot be held, since prices are unknown: {'; '.join(named)};"
            " state them in the models file (0 for what is free), or leave the budget out"
        )


def missing_prices(entry: ModelEntry) -> tuple[str, ...]:
    """Keys of the models file whose prices a budget needs and that are not stated."""
    return tuple(f"prices.{kind}" for kind in _KINDS[entry.speaks.protocol] if getattr(entry.prices, kind) is None)


def require_rest(progress: Progress, budget_usd: float | None) -> None:
    """Refuse to go on with a run whose budget is spent.

    Raises:
        RunError: saying what is spent.
    """
    if budget_usd is not None and is_spent(progress.reckoned_usd, budget_usd):
        raise RunError(f"{spent_line(progress, budget_usd)}; go on with a higher one: --budget USD")


def spent_line(progress: Progress, budget_usd: float) -> str:
    """Say that the budget is spent and how much of it that is."""
    if progress.reckoned_usd is None:
        return (
            f"the budget of {budget_usd:,.2f} USD cannot be held: {progress.unpriced:,} replies have come and none has"
            " a known cost, since their servers count no tokens"
        )
    reckoned = f", of it {progress.unpriced:,} replies of unknown cost by the dearest call" if progress.unpriced else ""
    return f"the budget is spent: {progress.reckoned_usd:,.2f} of {budget_usd:,.2f} USD{reckoned}"
