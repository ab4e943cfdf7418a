"""How many calls an account may have open: a cap that grows slowly and is halved when the provider says stop.

Additive increase, multiplicative decrease (Chiu & Jain 1989): while the cap is in use, one more after about a cap's
worth of replies; half of it on a 429, once for all calls that were open then. A Retry-After closes the account until
then; a server error holds the growth; a spent quota or a refused key stops it, for as long as the server says or for
good. `Governor` is the seam for one that serves a whole run from another process.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from actors.llm.calls import CallClass

Clock = Callable[[], float]
"""Monotonic seconds."""
Sleep = Callable[[float], Awaitable[None]]


HOLD_S = 10.0
"""Seconds without growth after a server error."""
START_MOST = 64
"""Connections that an account may open before it has learnt anything."""


@dataclass(frozen=True)
class Permit:
    """Leave to send one request; with a `stopped` reason it is none, and no request of the account makes sense."""

    account: str
    opened_at: float
    full: bool  # the cap was in use
    stopped: CallClass | None = None


@dataclass(frozen=True)
class Signal:
    """What the request of a permit met."""

    error_class: CallClass | Literal[""]
    retry_after_s: float | None = None


class Governor(Protocol):
    """Gives permits by account."""

    async def acquire(self, account: str) -> Permit:
        """Wait for leave to send one request; every permit that is not stopped is released once."""
        ...

    async def release(self, permit: Permit, signal: Signal) -> None:
        """Give a permit back, with what its request met."""
        ...


@dataclass
class _Account:
    """Life of one account; mutable, seen by its governor alone."""

    cap: float
    most: int
    open: int = 0
    closed_until: float = 0.0
    cut_at: float = -1.0
    held_until: float = 0.0
    stopped: CallClass | None = None
    stopped_until: float = math.inf
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class LocalGovernor:
    """The governor of one process."""

    def __init__(self, limits: dict[str, int], clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        """Start each account at its limit of open connections, at most at `START_MOST`.

        Args:
            limits: connections by account; an account that is missing may have `START_MOST`.
            clock: monotonic seconds.
            sleep: waits for seconds.
        """
        self._limits = dict(limits)
        self._clock = clock
        self._sleep = sleep
        self._accounts: dict[str, _Account] = {}

    def cap(self, account: str) -> int:
        """Connections that an account may have open now."""
        return max(1, int(self._account(account).cap))

    async def acquire(self, account: str) -> Permit:
        """Wait for a free connection, first come first served, and until the account opens again."""
        state = self._account(account)
        if state.stopped is not None and self._clock() >= state.stopped_until:
            state.stopped = None
        while state.stopped is None:
            closed_s = state.closed_until - self._clock()
            if closed_s > 0:
                await self._sleep(closed_s)
            elif state.open < max(1, int(state.cap)):
                state.open += 1
                return Permit(account, self._clock(), full=state.open >= int(state.cap))
            else:
                await self._wait(state)
        self._wake(state, len(state.waiting))
        return Permit(account, self._clock(), full=False, stopped=state.stopped)

    async def release(self, permit: Permit, signal: Signal) -> None:
        """Take a permit back and learn from what its request met."""
        state = self._account(permit.account)
        state.open -= 1
        if signal.error_class in ("quota", "auth"):
            state.stopped = signal.error_class
            state.stopped_until = math.inf if signal.retry_after_s is None else self._clock() + signal.retry_after_s
        elif signal.error_class in ("rate", "overloaded"):
            self._cut(state, permit, signal)
        elif signal.error_class == "server":
            state.held_until = self._clock() + HOLD_S
        elif signal.error_class == "" and permit.full and self._clock() >= state.held_until:
            state.cap = min(float(state.most), state.cap + 1.0 / state.cap)
        self._wake(state, max(1, int(state.cap)) - state.open)

    def _cut(self, state: _Account, permit: Permit, signal: Signal) -> None:
        now = self._clock()
        if signal.error_class == "rate" and permit.opened_at > state.cut_at:
            state.cap = max(1.0, state.cap / 2.0)
            state.cut_at = now
        state.closed_until = max(state.closed_until, now + (signal.retry_after_s or 0.0))

    def _account(self, account: str) -> _Account:
        if account not in self._accounts:
            most = max(1, self._limits.get(account, START_MOST))
            self._accounts[account] = _Account(cap=float(min(START_MOST, most)), most=most)
        return self._accounts[account]

    async def _wait(self, state: _Account) -> None:
        turn = asyncio.get_running_loop().create_future()
        state.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._wake(state, 1)  # the turn had come; pass it on
            raise

    def _wake(self, state: _Account, count: int) -> None:
        while count > 0 and state.waiting:
            turn = state.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                count -= 1
