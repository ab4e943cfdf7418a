"""Long steps of one event loop, one at a time: between two of them it sees to what came over the network.

An event loop runs all that is ready before it looks at its sockets again. When the journal has written a hundred
replies at once, a hundred decisions go on; without turns, no reply that has come is read and no request is sent until
the last of them is done.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """Who waits for a turn, first come first served; use it from one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._giving = False

    async def next(self) -> None:
        """Wait for a turn; it lasts until the caller waits for something else."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.give(turn)
        await turn

    def give(self, turn: asyncio.Future[None]) -> None:
        """Have a future resolved when its turn has come; one that is done by then takes none."""
        self._waiting.append(turn)
        if not self._giving:
            self._giving = True
            asyncio.get_running_loop().call_soon(self._give)

    def _give(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                # Whoever waits for it runs in the loop's next pass, and this after it.
                asyncio.get_running_loop().call_soon(self._give)
                return
        self._giving = False
