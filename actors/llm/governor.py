"""Who may send a request now: one governor gives the permits of every account, and the callers wait here.

`Governor` is what a client sees; `LocalGovernor` is that of one process. The rules of an account stand in `account`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Final, NamedTuple, Protocol

from actors.llm.account import Account, Key, Signal
from actors.llm.calls import CallClass
from actors.llm.terms import Terms

__all__ = ["Governor", "LocalGovernor", "Permit", "Signal", "Standing"]

Clock = Callable[[], float]
"""Monotonic seconds."""
Sleep = Callable[[float], Awaitable[None]]

HERE: Final = ""
"""Name under which this process's own callers hold permits."""


@dataclass(frozen=True)
class Permit:
    """Leave to send one request; with a `stopped` reason it is none, and no request of the account makes sense."""

    account: str
    opened_at: float
    key: Key = (HERE, 0)
    stopped: CallClass | None = None


Give = Callable[[Permit], None]


class Governor(Protocol):
    """Gives permits by account."""

    async def acquire(self, account: str, tokens: int = 0) -> Permit:
        """Wait for leave to send one request of about so many tokens; every permit not stopped is released once."""
        ...

    async def release(self, permit: Permit, signal: Signal) -> None:
        """Give a permit back, with what its request met."""
        ...


class Standing(NamedTuple):
    """How an account stands: calls open, how many may be, how many wait, and why none makes sense ("" if one does)."""

    account: str
    open: int
    cap: int
    waiting: int
    stopped: CallClass | str


class LocalGovernor:
    """The governor of one process; use it from one event loop."""

    def __init__(
        self, terms: Mapping[str, Terms], clock: Clock, sleep: Sleep = asyncio.sleep, cautious: bool = False
    ) -> None:
        """Begin with every account as its terms say.

        Args:
            terms: by account; an account that is missing has those of `Terms()`.
            clock: monotonic seconds.
            sleep: waits for seconds.
            cautious: what was sent before is unknown, see `Account`.
        """
        self._terms = dict(terms)
        self._clock = clock
        self._sleep = sleep
        self._cautious = cautious
        self._accounts: dict[str, Account] = {}
        self._gives: dict[tuple[str, Key], Give] = {}
        self._alarms: dict[str, tuple[float, asyncio.Task[None]]] = {}
        self._numbers = count(1)

    def cap(self, account: str) -> int:
        """Calls that an account may have open now."""
        return self._account(account).cap

    def standing(self) -> tuple[Standing, ...]:
        """Every account that was asked for, by name."""
        now = self._clock()
        found = sorted(self._accounts.items())
        return tuple(Standing(name, a.open, a.cap, a.waiting, a.stopped(now) or "") for name, a in found)

    async def acquire(self, account: str, tokens: int = 0) -> Permit:
        """Wait for a permit, first come first served."""
        given: asyncio.Future[Permit] = asyncio.get_running_loop().create_future()
        key = (HERE, next(self._numbers))
        # A caller that is cancelled ends a moment later than its future.
        self.ask(account, key, tokens, lambda permit: None if given.done() else given.set_result(permit))
        try:
            return await given
        except asyncio.CancelledError:
            self.withdraw(account, key)  # also when the permit had come: it goes to the next
            raise

    async def release(self, permit: Permit, signal: Signal) -> None:
        """Take a permit back and learn from what its request met."""
        self.give_back(permit.account, permit.key, signal)

    def ask(self, account: str, key: Key, tokens: int, give: Give) -> None:
        """Have `give` called with a permit once there is one; maybe at once."""
        self._account(account).ask(key, tokens)
        self._gives[account, key] = give
        self._serve(account)

    def withdraw(self, account: str, key: Key) -> None:
        """Forget a request that will not be sent, whether it waits or has its permit."""
        self._gives.pop((account, key), None)
        self._account(account).withdraw(key)
        self._serve(account)

    def give_back(self, account: str, key: Key, signal: Signal) -> None:
        """Take a permit back by its key."""
        self._account(account).give_back(key, signal, self._clock())
        self._serve(account)

    def adopt(self, account: str, key: Key, tokens: int) -> None:
        """Count a call as open that somebody else allowed."""
        self._account(account).adopt(key, tokens, self._clock())

    def _account(self, account: str) -> Account:
        if account not in self._accounts:
            terms = self._terms.get(account, Terms())
            self._accounts[account] = Account(terms, self._clock(), self._cautious)
        return self._accounts[account]

    def _serve(self, account: str) -> None:
        now = self._clock()
        state = self._account(account)
        step = state.step(now)
        stopped = state.stopped(now)
        self._set_alarm(account, step.again_at, now)
        for key in (*step.granted, *step.refused):
            give = self._gives.pop((account, key))
            give(Permit(account, now, key, stopped))

    def _set_alarm(self, account: str, at: float, now: float) -> None:
        """Look at an account again at a time, unless something is given back before."""
        known = self._alarms.get(account)
        if known is not None:
            if known[0] == at:
                return
            del self._alarms[account]
            known[1].cancel()
        if at < math.inf:
            self._alarms[account] = (at, asyncio.create_task(self._ring(account, at - now)))

    async def _ring(self, account: str, seconds: float) -> None:
        await self._sleep(seconds)
        del self._alarms[account]
        self._serve(account)
