"""All that crosses between actors: plain data, and the faces by which one actor sees another.

Between a firm actor and a market actor only offers, sales and their acknowledgements cross; a firm's rows go to the
audit actor. The faces are what `remote` puts before a Ray handle, and what a test fills with the plain objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from actors.journal import Entry
from actors.progress import Progress
from ecologies.ecology import Market
from erpsim.decision import Decision
from erpsim.errors import RunError
from erpsim.offer import Offer, Sales
from erpsim.records import FailureRow

MESSAGE_CHARACTERS: Final = 1_000
"""Length to which a failure's message is kept."""


class Lost(RunError):
    """An actor, a worker or a node is gone, and with it what it held in memory; replay brings that back."""


@dataclass(frozen=True)
class Ack:
    """Acknowledgement of a message about a market: the round stands journaled, or the market is open at it."""

    market_id: str
    round_number: int


@dataclass(frozen=True)
class NoOffer:
    """A firm that has no offer to make, since its model cannot be reached: the market is to be parked.

    Attributes:
        seat: the firm's.
        cause: class of the failure, such as "network" or "auth".
        attempts: attempts at the model's server.
        message: what was met last, without keys.
    """

    market_id: str
    round_number: int
    seat: int
    cause: str
    attempts: int
    message: str


@dataclass(frozen=True)
class MarketEnd:
    """How a market actor's play of a market ended.

    Attributes:
        status: "done"; "parked" for infrastructure, to be tried again; "interrupted" for an actor that was lost, to be
            restored; "failed" for a fault that another try cannot mend.
        round_number: the round that was being played.
        cause: class of the failure, "" when done.
    """

    market_id: str
    status: Literal["done", "parked", "interrupted", "failed"]
    round_number: int
    cause: str = ""
    attempts: int = 0
    message: str = ""
    seat: int | None = None


@dataclass(frozen=True, eq=False)
class Played:
    """One finished round of one firm, enough to take its state one round on.

    Attributes:
        decision: as executed.
        asked: the proposal, from which the firm is told again what was cut; None when none was usable.
    """

    decision: Decision
    sales: Sales
    asked: Decision | None


@dataclass(frozen=True)
class StoredReply:
    """An answer that an earlier life of a decision was given: its place, request digest, body and route."""

    seat: int
    ask: int
    turn: int
    digest: str
    body: str
    route: str


@dataclass(frozen=True, eq=False)
class History:
    """What the journal knows of a market for some of its seats.

    Attributes:
        rounds: number of committed rounds.
        played: by seat, one entry for each committed round.
        replies: answers journaled for the round after them.
    """

    rounds: int
    played: dict[int, tuple[Played, ...]]
    replies: tuple[StoredReply, ...]


class AuditFace(Protocol):
    """The audit actor as others see it."""

    async def commit(self, entries: Sequence[Entry]) -> None:
        """Journal rows; on return they are durable."""
        ...

    async def committed(self, market_id: str) -> int:
        """Number of committed rounds of a market."""
        ...

    async def history(self, market_id: str, seats: tuple[int, ...]) -> History:
        """What is needed to bring firms of a market back."""
        ...

    async def snapshot(self) -> Progress:
        """How far the run is."""
        ...


class FirmFace(Protocol):
    """A firm actor as a market actor sees it."""

    async def ready(self) -> str:
        """Say that the actor is up."""
        ...

    async def open(self, market_id: str) -> Ack:
        """Open the firms that it hosts in a market, before round 1."""
        ...

    async def restore(self, market_id: str) -> Ack:
        """Bring its firms to the round after the last committed one, whatever it held before."""
        ...

    async def offer(self, market_id: str, round_number: int) -> tuple[Offer, ...] | NoOffer:
        """Decide, repair and plan; the offers are in the order of the seats."""
        ...

    async def settle(self, market_id: str, round_number: int, sales: tuple[Sales, ...]) -> Ack:
        """Book a round's sales and journal its rows; on return they are durable."""
        ...

    async def close(self, market_id: str) -> Ack:
        """Forget a market."""
        ...


def failure_row(end: MarketEnd, market: Market) -> FailureRow:
    """The row of `failures` that tells why a try of a market did not come to its end."""
    spec = None if end.seat is None else market.seats[end.seat]
    return FailureRow(
        market_id=end.market_id,
        ecology=market.ecology,
        problem_id=market.problem_id,
        model=None if spec is None or spec.kind == "rule" else spec.label,
        round=end.round_number,
        cause=end.cause,
        attempts=end.attempts,
        message=end.message[:MESSAGE_CHARACTERS],
    )
