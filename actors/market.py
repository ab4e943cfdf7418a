"""The market actor: asks all firms at once, waits for all, clears the round, sends the sales, commits, and goes on.

A plain class, made an actor in `remote`. It knows a firm by its offer alone and never holds a firm's books.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from actors.assignment import Assignment
from actors.entries import MARKET_SEAT, Spent, commit_entry, failure_entry, timing_entry
from actors.journal_link import JournalLink, patient
from actors.messages import AuditFace, FirmFace, Lost, MarketEnd, NoOffer, failure_row
from ecologies.work import WorkUnit
from erpsim.errors import RunError
from erpsim.offer import Offer, Sales
from erpsim.round import clear

Answer = TypeVar("Answer")


class Market:
    """All markets of a shard, many at a time; use it from one event loop."""

    def __init__(self, assignment: Assignment, audit: AuditFace, firms: Mapping[str, FirmFace]) -> None:
        """Play with the firm actors of the shard, by the name of the host."""
        self._assignment = assignment
        self._units = assignment.by_market()
        self._link = JournalLink(audit)
        self._firms = dict(firms)
        self._rounds: dict[str, int] = {}

    async def ready(self) -> str:
        """Say that the actor is up."""
        return "market"

    async def play(self, market_id: str, fresh: bool) -> MarketEnd:
        """Play a market from its opening, or from its last committed round when it is not fresh, to its end.

        Never raises: what stops it is told in the end, as plain data, and journaled as a failure.
        """
        try:
            end = await self._play(self._units[market_id], fresh)
        except Lost as error:
            end = self._end(market_id, "interrupted", "actor_lost", str(error))
        except RunError as error:
            return self._end(market_id, "failed", "run", str(error))
        except Exception as error:  # noqa: BLE001 - a market may fail in any way; the others go on
            end = self._end(market_id, "failed", type(error).__name__, f"{type(error).__name__}: {error}")
        if end.status != "done":
            await self._link.commit(
                [failure_entry(failure_row(end, self._units[market_id].market), self._link.writer())]
            )
        return end

    async def _play(self, unit: WorkUnit, fresh: bool) -> MarketEnd:
        market_id = unit.market.market_id
        seats = self._assignment.seats_by_host(unit)
        firms = {host: self._firms[host] for host in seats}
        done = 0 if fresh else await self._link.committed(market_id)
        if not fresh:
            await _all([patient(firm.ready) for firm in firms.values()])
        opened = await _all([firm.open(market_id) if fresh else firm.restore(market_id) for firm in firms.values()])
        if any(ack.round_number != done for ack in opened):
            # A marker of an earlier life of this actor arrived between two questions; the next look sees it.
            raise Lost(f"{market_id}: its firms stand at {sorted({ack.round_number for ack in opened})}, not at {done}")
        end = MarketEnd(market_id, "done", unit.problem.horizon)
        for round_number in range(done + 1, unit.problem.horizon + 1):
            self._rounds[market_id] = round_number
            refused = await self._round(_Table(unit, firms, seats), round_number)
            if refused is not None:
                met = (refused.cause, refused.attempts, refused.message, refused.seat)
                end = MarketEnd(market_id, "parked", round_number, *met)
                break
        await _all([firm.close(market_id) for firm in firms.values()])
        await self._link.flush()
        self._rounds.pop(market_id, None)
        return end

    async def _round(self, table: _Table, round_number: int) -> NoOffer | None:
        market_id = table.unit.market.market_id
        cleared = await _cleared(table, round_number)
        if isinstance(cleared, NoOffer):
            return cleared
        sales = cleared.sales
        await _all([firm.settle(market_id, round_number, sales[host]) for host, firm in table.firms.items()])
        await self._commit(table.unit, round_number, cleared.market_s)
        return None

    async def _commit(self, unit: WorkUnit, round_number: int, market_s: float) -> None:
        """Make the round count: all firms' rows are durable by now."""
        market_id = unit.market.market_id
        started = time.perf_counter()
        await self._link.commit([commit_entry(market_id, round_number, last=round_number == unit.problem.horizon)])
        spent = Spent(market_s=market_s, journal_s=time.perf_counter() - started)
        self._link.attach(timing_entry(market_id, round_number, MARKET_SEAT, spent))

    def _end(self, market_id: str, status: Literal["interrupted", "failed"], cause: str, message: str) -> MarketEnd:
        return MarketEnd(market_id, status, self._rounds.pop(market_id, 0), cause, message=message)


class _Table(NamedTuple):
    """A market and who sits at it."""

    unit: WorkUnit
    firms: Mapping[str, FirmFace]  # by host
    seats: Mapping[str, tuple[int, ...]]  # by host, ascending


class _Cleared(NamedTuple):
    sales: dict[str, tuple[Sales, ...]]  # by host, then in the order of its seats
    market_s: float  # what the clearing took


async def _cleared(table: _Table, round_number: int) -> _Cleared | NoOffer:
    """Gather the offers of a round and clear it; nothing holds on to an offer then."""
    unit, firms, seats = table
    answers = await _all([firm.offer(unit.market.market_id, round_number) for firm in firms.values()])
    offers: dict[int, Offer] = {}
    for host, answer in zip(firms, answers, strict=True):
        if isinstance(answer, NoOffer):
            return answer
        offers |= zip(seats[host], answer, strict=True)
    started = time.perf_counter()
    sales = clear(unit.problem, round_number, [offers[seat] for seat in sorted(offers)]).sales
    market_s = time.perf_counter() - started
    return _Cleared({host: tuple(sales[seat] for seat in seats[host]) for host in firms}, market_s)


async def _all(calls: Sequence[Awaitable[Answer]]) -> list[Answer]:
    """Wait for every call, also when one fails, so that none is left running; then raise the first failure."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    failures = [answer for answer in answers if isinstance(answer, BaseException)]
    if failures:
        raise next((failure for failure in failures if isinstance(failure, Lost)), failures[0])
    return [answer for answer in answers if not isinstance(answer, BaseException)]
