"""A governor that can be turned off: whoever asks then waits for ever, and the calls that are open come to their end.

It is turned off when a run ends before its work is done, so that nothing is left half asked or half told.
"""

from __future__ import annotations

import asyncio
from typing import NoReturn

from actors.llm.governor import Governor, Permit, Signal


class Tap:
    """Passes permits on until it is turned off; use it from one event loop."""

    def __init__(self, governor: Governor) -> None:
        """Take permits from a governor."""
        self.governor = governor
        self._open = 0
        self._off = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def acquire(self, account: str, tokens: int = 0) -> Permit:
        """See `Governor`; does not return once the tap is off, but for a permit that is none."""
        if self._off:
            await _for_ever()
        permit = await self.governor.acquire(account, tokens)
        if permit.stopped is not None:
            return permit
        if self._off:
            await self.governor.release(permit, Signal("network", tokens=0))
            await _for_ever()
        self._open += 1
        self._idle.clear()
        return permit

    async def release(self, permit: Permit, signal: Signal) -> None:
        """See `Governor`."""
        await self.governor.release(permit, signal)
        self._open -= 1
        if not self._open:
            self._idle.set()

    def turn_off(self) -> None:
        """Let no further call start."""
        self._off = True

    async def drained(self) -> None:
        """Wait until no call is open."""
        await self._idle.wait()


async def _for_ever() -> NoReturn:
    while True:
        await asyncio.Event().wait()
