"""How many markets are played at once: so many that every connection has a call to make, and no more.

Markets are told apart by the accounts that their models need, and each kind has room of its own: markets that wait for
a slow account then never keep the connections of the others from being used.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from actors.llm.terms import terms_by_account
from ecologies.model_entry import ModelEntry
from ecologies.policy import PolicySpec
from ecologies.work import WorkUnit

Kind = tuple[str, ...]
"""Accounts of a market's models, one for each seat that a model plays, sorted."""
DECISIONS_PER_CONNECTION: Final = 2
"""Decisions under way for one connection: while one is repaired, booked and journaled, another one calls."""
RULES_ROOM: Final = 48
"""Markets at once in which no model plays."""
SHARD_MOST: Final = 1_000
"""Markets that one shard plays at once; a market takes up to a megabyte in each of its actors."""


@dataclass(frozen=True)
class Rooms:
    """Room for markets by kind over all shards.

    Attributes:
        accounts: of each model, by label.
        connections: of each account; None where room has no bound.
    """

    accounts: Mapping[str, str] = field(default_factory=dict)
    connections: Mapping[str, int] | None = None

    def kind(self, seats: Iterable[PolicySpec]) -> Kind:
        """Kind of a market with these seats."""
        return tuple(sorted(self.accounts.get(spec.label, spec.label) for spec in seats if spec.kind != "rule"))

    def room(self, kind: Kind) -> float:
        """Markets of a kind that may be played at once.

        An account of 33 connections with one seat has room for 66 markets, with six seats for 11.
        """
        if self.connections is None:
            return math.inf
        if not kind:
            return RULES_ROOM
        seats = Counter(kind)
        known = [DECISIONS_PER_CONNECTION * self.connections.get(account, 1) / seats[account] for account in seats]
        return max(1, math.ceil(min(known)))


def rooms_of(entries: Iterable[ModelEntry]) -> Rooms:
    """Room by the connections that the models' accounts may open."""
    known = tuple(entries)
    connections = {account: terms.connections for account, terms in terms_by_account(known).items()}
    return Rooms({entry.label: entry.account_name for entry in known}, connections)


def most_at_once(units: Iterable[WorkUnit], rooms: Rooms, shard_most: int, shards: int) -> int:
    """Markets that are played at once as long as there are enough of every kind."""
    kinds = Counter(rooms.kind(unit.market.seats) for unit in units)
    return min(shard_most * shards, sum(int(min(count, rooms.room(kind))) for kind, count in kinds.items()))
