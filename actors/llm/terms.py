"""What a provider's account allows a whole run: the smallest that is stated by the models that share it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ecologies.models import Limits, ModelEntry

START_MOST: Final = 64
"""Connections that an account may open before it has learnt anything."""
LEASE_MARGIN_S: Final = 60.0
"""Seconds beyond a model's total timeout after which nobody can hold its permit any more."""


@dataclass(frozen=True)
class Terms:
    """Limits of one account.

    Attributes:
        connections: calls open at once.
        requests_per_minute: None: no limit.
        tokens_per_minute: None: no limit.
        lease_s: seconds after which a permit that was not given back is taken as lost.
    """

    connections: int = START_MOST
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    lease_s: float = math.inf


def terms_by_account(entries: Iterable[ModelEntry]) -> dict[str, Terms]:
    """Terms of every account that some models use."""
    sharing: dict[str, list[ModelEntry]] = {}
    for entry in entries:
        sharing.setdefault(entry.account_name, []).append(entry)
    return {account: _terms(sharers) for account, sharers in sharing.items()}


def _terms(sharers: list[ModelEntry]) -> Terms:
    limits = [entry.limits for entry in sharers]
    stated = [each.connections for each in limits if "connections" in each.model_fields_set]
    return Terms(
        connections=min(stated, default=Limits().connections),
        requests_per_minute=_smallest(each.requests_per_minute for each in limits),
        tokens_per_minute=_smallest(each.tokens_per_minute for each in limits),
        lease_s=max(entry.timeouts.total for entry in sharers) + LEASE_MARGIN_S,
    )


def _smallest(stated: Iterable[float | None]) -> float | None:
    return min((value for value in stated if value is not None), default=None)
