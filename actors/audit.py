"""The audit actor: the single writer of the journal, who also counts how far the run is.

A plain class, made an actor in `remote`. All that it knows stands in the journal, so it may die and start again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from actors.assignment import Assignment
from actors.budget import Allowance, is_spent
from actors.folder_lock import held
from actors.group_commit import GroupCommit
from actors.journal import Entry
from actors.messages import History, Played
from actors.progress import Progress
from actors.recovery import played_of, replies_of
from actors.run_file import JOURNAL_NAME
from actors.tally import Tally, extent_of
from erpsim.errors import RunError

LOCK_NAME: Final = "journal.lock"
LOCK_SECONDS: Final = 30.0
"""Time that the writer before may take to die."""
REPLAYS_KEPT: Final = 16

Replayed = dict[int, tuple[Played, ...]]


class Audit:
    """The journal's writer; use it from one event loop."""

    def __init__(self, folder: Path, assignment: Assignment, allowance: Allowance | None = None) -> None:
        """Open the journal of a run folder for writing; the run's calls are stopped when the allowance is spent.

        Raises:
            RunError: it cannot be opened, or another process writes it.
        """
        self._path = folder / JOURNAL_NAME
        self._units = assignment.by_market()
        self._extent = extent_of(assignment.units)
        self._held = ExitStack()
        self._held.enter_context(held(folder / LOCK_NAME, LOCK_SECONDS))
        self._writer = GroupCommit(self._path)
        self._tally = Tally.of(self._path)
        self._rounds: dict[str, int] = {}
        for market_id, number in self._tally.rounds:
            self._rounds[market_id] = max(number, self._rounds.get(market_id, 0))
        self._replays: dict[tuple[str, int], asyncio.Task[Replayed]] = {}
        self._allowance = allowance
        self._stopping: asyncio.Future[None] | None = None

    async def ready(self) -> str:
        """Say that the actor is up."""
        return "audit"

    async def commit(self, entries: Sequence[Entry]) -> None:
        """Journal rows; on return they are durable.

        Raises:
            RunError: the journal cannot be written; or the budget is spent and the calls could not be stopped.
        """
        fresh = await self._writer.commit(entries)
        self._tally.add(entries, fresh)
        self._hold_to_allowance()
        for entry in entries:
            if entry.table == "commits":
                market_id, number = str(entry.key[0]), int(entry.key[1])
                self._rounds[market_id] = max(number, self._rounds.get(market_id, 0))

    async def committed(self, market_id: str) -> int:
        """Number of committed rounds of a market."""
        return self._rounds.get(market_id, 0)

    async def history(self, market_id: str, seats: tuple[int, ...]) -> History:
        """What is needed to bring firms of a market back; the replay is made once for all actors that ask."""
        rounds = self._rounds.get(market_id, 0)
        replies = await asyncio.to_thread(replies_of, self._path, market_id, rounds + 1)
        played = await self._played(market_id, rounds)
        return History(
            rounds,
            {seat: played[seat] for seat in seats},
            tuple(reply for reply in replies if reply.seat in seats),
        )

    async def snapshot(self) -> Progress:
        """How far the run is.

        Raises:
            RunError: the budget is spent and the calls could not be stopped.
        """
        self._read_stopping()
        return self._tally.progress(self._extent)

    async def close(self) -> None:
        """Write what is waiting and close the journal."""
        self._writer.close()
        self._held.close()

    def _hold_to_allowance(self) -> None:
        self._read_stopping()
        allowance = self._allowance
        if allowance is None or self._stopping is not None:
            return
        if is_spent(self._tally.spending.reckoned_usd(), allowance.usd):
            self._stopping = asyncio.ensure_future(allowance.stop())

    def _read_stopping(self) -> None:
        """Nobody waits for the stop itself, so what it met is told by whoever is asked next."""
        stopping = self._stopping
        error = stopping.exception() if stopping and stopping.done() and not stopping.cancelled() else None
        if error is not None:
            raise RunError(f"the budget is spent and the calls could not be stopped: {error!r}; end the run") from error

    async def _played(self, market_id: str, rounds: int) -> Replayed:
        key = (market_id, rounds)
        if key not in self._replays:
            while len(self._replays) >= REPLAYS_KEPT:
                self._replays.pop(next(iter(self._replays)))
            derive = asyncio.to_thread(played_of, self._path, self._units[market_id])
            self._replays[key] = asyncio.create_task(derive)
        return await asyncio.shield(self._replays[key])
