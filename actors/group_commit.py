"""Writes the journal from a thread of its own, many callers' rows in one transaction.

A caller awaits until its rows are durable. While one transaction is written the next one gathers, so a lone row waits
for nobody and a thousand rows share one commit; gathering ends after 20 ms at the latest.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from actors.journal import Entry, Journal
from erpsim.errors import RunError

GATHER_SECONDS: Final = 0.020
"""Longest time that rows wait for others to join their transaction."""
GATHER_ROWS: Final = 2_000
"""Rows at which a transaction is written at once."""


@dataclass
class _Order:
    entries: Sequence[Entry]
    done: asyncio.Future[list[bool]]
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def answer(self, fresh: list[bool] | None, error: RunError | None) -> None:
        self.loop.call_soon_threadsafe(self._set, fresh, error)

    def _set(self, fresh: list[bool] | None, error: RunError | None) -> None:
        if self.done.done():
            return
        if error is not None:
            self.done.set_exception(error)
        else:
            self.done.set_result(fresh or [])


class GroupCommit:
    """The only writer of a journal; use it from one event loop, and close it at the end."""

    def __init__(self, path: Path) -> None:
        """Open the journal for writing and start the thread.

        Raises:
            RunError: the journal cannot be opened.
        """
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._opened: queue.SimpleQueue[RunError | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, args=(path,), name="journal", daemon=True)
        self._thread.start()
        problem = self._opened.get()
        if problem is not None:
            raise problem

    async def commit(self, entries: Sequence[Entry]) -> list[bool]:
        """Write rows; on return they are durable. Says of each whether it was new.

        Raises:
            RunError: the disk is full or the file was damaged.
        """
        order = _Order(entries, asyncio.get_running_loop().create_future())
        self._orders.put(order)
        return await order.done

    def close(self) -> None:
        """Write what is waiting, close the journal and end the thread."""
        self._orders.put(None)
        self._thread.join()

    def _run(self, path: Path) -> None:
        try:
            journal = Journal(path, writable=True)
        except RunError as error:
            self._opened.put(error)
            return
        self._opened.put(None)
        ended = False
        while not ended:
            orders, ended = self._gather()
            if orders:
                _write(journal, orders)
        journal.close()

    def _gather(self) -> tuple[list[_Order], bool]:
        first = self._orders.get()
        if first is None:
            return [], True
        orders, rows = [first], len(first.entries)
        deadline = time.monotonic() + GATHER_SECONDS
        while rows < GATHER_ROWS and time.monotonic() < deadline:
            try:
                order = self._orders.get_nowait()
            except queue.Empty:
                break
            if order is None:
                return orders, True
            orders.append(order)
            rows += len(order.entries)
        return orders, False


def _write(journal: Journal, orders: Sequence[_Order]) -> None:
    try:
        fresh = journal.write([entry for order in orders for entry in order.entries])
    except RunError as error:
        for order in orders:
            order.answer(None, error)
        return
    start = 0
    for order in orders:
        order.answer(fresh[start : start + len(order.entries)], None)
        start += len(order.entries)
