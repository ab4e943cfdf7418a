"""The firm actor: plays one policy's firms in every market of a shard, and holds their books.

A plain class, made an actor in `remote`. It answers a market actor with offers and acknowledgements only; what it
records goes to the audit actor and is durable before it acknowledges.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal, Protocol, runtime_checkable

from actors.assignment import Assignment
from actors.booking import Booking
from actors.entries import Spent, firm_entries, timing_entry
from actors.journal import Entry
from actors.journal_link import JournalLink, JournalRecorder
from actors.keeping import with_own_reports
from actors.llm.calls import DecisionKey, InfraFailure
from actors.llm.refusals import STOPS
from actors.messages import Ack, AuditFace, Lost, NoOffer
from actors.openings import Openings
from actors.recorded import UNRECORDED
from actors.trajectory import (
    Trajectory,
    broken_proposal,
    observation_of,
    opened,
    planned,
    replayed,
    unreachable_proposal,
)
from actors.turns import Turns
from ecologies.policy import PolicySpec
from erpsim.errors import ErpbenchError
from erpsim.observation import Observation
from erpsim.offer import Offer, Sales
from erpsim.proposal import Proposal

SETTLE_SECONDS: Final = 0.05
"""Time in which a call that has its answer tells the journal; it may have more than one thing to tell."""


class Decider(Protocol):
    """A policy as a firm actor asks it."""

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure:
        """Propose a decision, or say why the policy cannot be reached."""
        ...


Deciders = Callable[[PolicySpec, JournalRecorder], Decider]
"""Makes the decider of a policy; called once for each policy that the actor hosts."""


@runtime_checkable
class Stoppable(Protocol):
    """A decider whose calls can be stopped."""

    async def stop_calls(self) -> None:
        """Let no further call start; returns once none is open."""
        ...


@runtime_checkable
class Repeating(Protocol):
    """A decider that answers equal observations alike and costs nobody a call."""

    repeats: Literal[True]


class Firm:
    """All firms of one host; use it from one event loop."""

    def __init__(self, host: str, assignment: Assignment, audit: AuditFace, deciders: Deciders) -> None:
        """Host the seats that `assignment.host_of` gives to `host`."""
        self._host = host
        self._assignment = assignment
        self._units = assignment.by_market()
        self._turns = Turns()
        self._link = JournalLink(audit, self._turns)
        self._recorder = JournalRecorder(self._link)
        self._make_decider = deciders
        self._deciders: dict[PolicySpec, Decider] = {}
        self._booking = Booking()
        self._openings = Openings()
        self._calls_stopped = False
        self._games: dict[str, tuple[Trajectory, ...]] = {}
        # A market actor that was lost may leave a round behind that is still being decided here.
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def ready(self) -> str:
        """Say that the actor is up."""
        return self._host

    async def open(self, market_id: str) -> Ack:
        """Open the firms of a market before round 1."""
        async with self._locks[market_id]:
            self._games[market_id] = self._opened(market_id)
            self._recorder.forget(market_id)
            return Ack(market_id, 0)

    async def restore(self, market_id: str) -> Ack:
        """Bring the firms of a market to the round after the last committed one, whatever was held before."""
        async with self._locks[market_id]:
            fresh = self._opened(market_id)
            seats = tuple(game.identity.seat for game in fresh)
            history = await self._link.history(market_id, seats)
            self._games[market_id] = tuple(replayed(game, history.played[game.identity.seat]) for game in fresh)
            self._recorder.remember(market_id, history.rounds + 1, history.replies)
            return Ack(market_id, history.rounds)

    async def offer(self, market_id: str, round_number: int) -> tuple[Offer, ...] | NoOffer:
        """Decide, repair and plan a round for every seat hosted; the offers are in the order of the seats."""
        async with self._locks[market_id]:
            games = self._at(market_id, round_number)
            made = await asyncio.gather(*(self._decided(game) for game in games))
            refusals = [item for item in made if isinstance(item, NoOffer)]
            if refusals:
                return refusals[0]
            ready = tuple(item for item in made if isinstance(item, Trajectory))
            self._games[market_id] = ready
            return tuple(game.turn.plan.offer for game in ready if game.turn is not None)

    async def settle(self, market_id: str, round_number: int, sales: tuple[Sales, ...]) -> Ack:
        """Book a round's sales and journal its rows; on return they are durable."""
        async with self._locks[market_id]:
            entries, spent = await self._booked(market_id, round_number, sales)
            started = time.perf_counter()
            await self._link.commit(entries)
            journal_s = (time.perf_counter() - started) / len(spent)
            for seat, one in spent.items():
                self._link.attach(timing_entry(market_id, round_number, seat, replace(one, journal_s=journal_s)))
            return Ack(market_id, round_number)

    async def close(self, market_id: str) -> Ack:
        """Forget a market."""
        async with self._locks[market_id]:
            games = self._games.pop(market_id, ())
            self._recorder.forget(market_id)
            await self._link.flush()
        self._locks.pop(market_id, None)
        return Ack(market_id, games[0].state.round_number - 1 if games else 0)

    async def stop_calls(self) -> str:
        """Let no further call of a model start; returns once those that were open are journaled.

        A decision that is under way is never ended, and what is journaled of it is used by whoever goes on.
        """
        self._calls_stopped = True
        await asyncio.gather(*(item.stop_calls() for item in self._deciders.values() if isinstance(item, Stoppable)))
        for _ in range(3):
            await asyncio.sleep(SETTLE_SECONDS)
            await self._link.commit([])
        return self._host

    async def _booked(
        self, market_id: str, round_number: int, sales: tuple[Sales, ...]
    ) -> tuple[list[Entry], dict[int, Spent]]:
        """Take every firm of a market to its next round; rows of the round for the journal, and what it took by seat.

        Nothing of the old round is held while the journal is waited for: should it fail, the market is restored.
        """
        games = self._at(market_id, round_number)
        booked = await self._booking.closed(games, with_own_reports(sales), len(self._games))
        self._games[market_id] = tuple(one.trajectory for one in booked.firms)
        each_s = booked.seconds / len(games)
        entries = [entry for one in booked.firms for entry in firm_entries(one.records)]
        spent = {
            one.trajectory.identity.seat: replace(one.spent, overhead_s=one.spent.overhead_s + each_s)
            for one in booked.firms
        }
        return entries, spent

    async def _decided(self, game: Trajectory) -> Trajectory | NoOffer:
        await self._turns.next()
        started = time.perf_counter()
        known = self._openings.known(game)
        if known is not None:
            return replace(known, decided_s=time.perf_counter() - started)
        observation = observation_of(game)
        try:
            proposal = await self._proposal(game, observation)
            if isinstance(proposal, NoOffer):
                return proposal
            ready = planned(game, observation, proposal)
            if isinstance(self._deciders[ready.spec], Repeating):
                self._openings.keep(ready)
        except ErpbenchError:
            raise
        except Exception as error:  # noqa: BLE001 - a decision's software may fail in any way; the firm plays on
            ready = planned(game, observation, broken_proposal(error))
        return replace(ready, decided_s=time.perf_counter() - started)

    async def _proposal(self, game: Trajectory, observation: Observation) -> Proposal | NoOffer:
        if self._calls_stopped:
            await asyncio.Event().wait()  # the actor is about to be ended
        market, seat = game.unit.market, game.identity.seat
        key = DecisionKey(market.market_id, seat, observation.round_number)
        answer = await self._decider(game.spec).decide(observation, key)
        if isinstance(answer, Proposal):
            return answer
        failure = answer.failure
        if self._assignment.infra_fallback and failure.error_class not in (*STOPS, UNRECORDED):
            return unreachable_proposal(failure.error_class, failure.message)
        met = (failure.error_class, failure.attempts, failure.message)
        return NoOffer(market.market_id, observation.round_number, seat, *met)

    def _decider(self, spec: PolicySpec) -> Decider:
        if spec not in self._deciders:
            self._deciders[spec] = self._make_decider(spec, self._recorder)
        return self._deciders[spec]

    def _opened(self, market_id: str) -> tuple[Trajectory, ...]:
        unit = self._units[market_id]
        seats = self._assignment.seats_by_host(unit)[self._host]
        return tuple(opened(self._assignment.run_id, unit, seat) for seat in seats)

    def _at(self, market_id: str, round_number: int) -> tuple[Trajectory, ...]:
        games = self._games.get(market_id)
        if games is None or any(game.state.round_number != round_number for game in games):
            # The actor was lost and came back between two calls: the caller could not notice otherwise.
            raise Lost(f"{self._host}: {market_id} is not open at round {round_number}; restore it first")
        return games
