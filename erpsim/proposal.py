"""What a policy gives back: a decision it asks for, or the reason why there is none, and how it was got."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from erpsim.decision import Decision
from erpsim.events import Event

DecisionStatus = Literal["clean", "recovered", "reasked", "fallback"]
"""Worst rung that the decision came from; each is worse than the one before."""


@dataclass(frozen=True)
class Usage:
    """What a decision took, of the replies that were used; None where a server did not count or a price is unknown."""

    llm_calls: int = 0
    tool_calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    cost_usd: float | None = 0.0
    route: str = ""
    model_s: float = 0.0
    tools_s: float = 0.0
    queue_s: float = 0.0


@dataclass(frozen=True)
class Proposal:
    """A decision asked for; `decision` is None on fallback, and then `events` hold the FallbackDecision."""

    decision: Decision | None
    status: DecisionStatus = "clean"
    events: tuple[Event, ...] = ()
    usage: Usage = field(default_factory=Usage)
