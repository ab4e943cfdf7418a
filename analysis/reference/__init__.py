"""Figures that the ERPBench paper published, as data with their places in it; nothing is fitted to them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple


class PublishedModel(NamedTuple):
    """One line of the paper's tables 1 and 2; valuations and effects in millions."""

    model: str
    solo_valuation_m: float
    solo_rank: float
    arena_valuation_m: float
    arena_rank: float
    delta_m: float
    ci_low_m: float
    ci_high_m: float
    q: float


class PublishedIntervention(NamedTuple):
    """One category of section 4.4; the share is in percent as printed, None for the category that is not displayed."""

    category: str
    n: int
    share_percent: float | None


class PublishedTail(NamedTuple):
    """A figure of section 4.6 for one model in both ecologies."""

    model: str
    solo: float
    arena: float


class PublishedTransition(NamedTuple):
    """The largest change of winner: n problems won by one model in Solo and by the other in Arena."""

    solo: str
    arena: str
    n: int


@dataclass(frozen=True)
class Published:
    """Everything the paper prints as a number about its results.

    Attributes:
        sources: place in the paper of each part.
        spearman_ci: interval of the mean rank correlation.
    """

    title: str
    note: str
    sources: dict[str, str]
    models: tuple[PublishedModel, ...]
    interventions: tuple[PublishedIntervention, ...]
    same_winner: int
    n_problems: int
    largest_transition: PublishedTransition
    spearman_mean: float
    spearman_ci: tuple[float, float]
    bottom_rate: tuple[PublishedTail, ...]
    p90_regret: tuple[PublishedTail, ...]


@lru_cache(maxsize=1)
def published() -> Published:
    """Read the paper's figures."""
    data: dict[str, Any] = json.loads((files(__name__) / "paper.json").read_text(encoding="utf-8"))
    agreement, tails = data["agreement"], data["tails"]
    low, high = agreement["spearman_ci"]
    return Published(
        title=data["title"],
        note=data["note"],
        sources={name: part["source"] for name, part in data.items() if isinstance(part, dict)},
        models=tuple(PublishedModel(**row) for row in data["models"]["rows"]),
        interventions=tuple(PublishedIntervention(**row) for row in data["interventions"]["rows"]),
        same_winner=agreement["same_winner"],
        n_problems=agreement["n_problems"],
        largest_transition=PublishedTransition(**agreement["largest_transition"]),
        spearman_mean=agreement["spearman_mean"],
        spearman_ci=(low, high),
        bottom_rate=tuple(PublishedTail(**row) for row in tails["bottom_rate"]),
        p90_regret=tuple(PublishedTail(**row) for row in tails["p90_regret"]),
    )
