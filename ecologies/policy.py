"""What decides for a firm: one method, and a plain name for it that can travel and be recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from erpsim.decision import Decision
from erpsim.observation import Observation
from erpsim.proposal import Proposal

PolicyKind = Literal["model", "rule", "replay", "scripted", "human", "http", "python"]


class Policy(Protocol):
    """Anything that can play a firm."""

    async def decide(self, observation: Observation) -> Proposal:
        """Propose a decision for the round that the observation opens; never raise for a hard position."""
        ...


@dataclass(frozen=True)
class PolicySpec:
    """A policy by name, as line-ups, work units and records carry it.

    Attributes:
        kind: how it decides.
        label: which one: a model's label, a rule's name, a path.
    """

    kind: PolicyKind
    label: str


@dataclass(frozen=True)
class Scripted:
    """Plays a fixed decision in each round, and asks nothing in a round that the script leaves out."""

    decisions: Mapping[int, Decision]  # by round, 1-based

    async def decide(self, observation: Observation) -> Proposal:
        """Propose the script's decision of the round."""
        return Proposal(self.decisions.get(observation.round_number, Decision()))


@dataclass(frozen=True)
class Replayed:
    """Plays recorded proposals again, one a round; a round without a record falls through as it was recorded."""

    proposals: tuple[Proposal, ...]  # rounds 1 …

    async def decide(self, observation: Observation) -> Proposal:
        """Give the round's recorded proposal unchanged, events and usage included."""
        return self.proposals[observation.round_number - 1]
