"""One disturbance of one play: when it struck, what was under way then, and what came of it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.reliability.server import LoggingServer
from benchmarks.reliability.setting import Standing, graded, standing

LOOK_SECONDS: Final = 0.02
PATIENCE_SECONDS: Final = 300.0


@dataclass(frozen=True)
class Reference:
    """The undisturbed run.

    Attributes:
        tables: SHA-256 of each graded table.
        requests: how often each request came to the server.
        busy_s: seconds from its first request to its last commit.
    """

    tables: dict[str, str]
    requests: Counter[str]
    busy_s: float


@dataclass(frozen=True)
class Strike:
    """The moment at which something was killed.

    Attributes:
        pid: of what was killed; 0 when nothing was, since the play was over.
        after_s: seconds since the first request of the play.
        uncommitted: requests that were at the server or on their way by then and whose reply the journal did not hold;
            of a process that was told to stop, by its end, since it may ask and commit until then.
        at: time by the monotonic clock.
    """

    pid: int
    after_s: float
    in_flight: int
    uncommitted: Counter[str]
    before: Standing
    at: float

    @property
    def phase(self) -> str:
        """What the run was doing, by the journal and the server's log."""
        if self.in_flight:
            return "replies awaited"
        return "rows of the round durable, marker not" if self.before.unfinished else "between replies"


@dataclass(frozen=True)
class Trial:
    """What came of one disturbance; `late` when the play was over before it struck, and nothing was tried."""

    number: int
    target: str
    pid: int = 0
    after_s: float = 0.0
    phase: str = ""
    rounds_before: int = 0
    in_flight: int = 0
    uncommitted: int = 0
    repeats: int = 0
    committed_again: int = 0
    identical: bool = False
    left_over: int = 0
    recover_s: float | None = None
    wall_s: float = 0.0
    late: bool = False
    error: str = ""

    @property
    def good(self) -> bool:
        """Whether all that is promised was kept."""
        kept = self.identical and not self.committed_again and self.repeats <= self.uncommitted
        return kept and not self.left_over and not self.error

    def shown(self) -> dict[str, Any]:
        """As a line of JSON."""
        return {**asdict(self), "good": self.good or self.late}


class Striker:
    """Waits in a thread of its own for a moment of the busy interval, notes what is under way, and strikes."""

    def __init__(
        self, server: LoggingServer, folder: Path, delay_s: float, strike: Callable[[], int], at_least: int = 0
    ) -> None:
        """Strike `delay_s` after the first request, or later when fewer requests than `at_least` are in flight then.

        `strike` kills and gives a process id, 0 if there is none left.
        """
        self._server, self._folder, self._delay_s, self._act = server, folder, delay_s, strike
        self._at_least = at_least
        self.mark = server.mark()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="striker", daemon=True)
        self.struck: Strike | None = None
        self.recovered_at: float | None = None

    def __enter__(self) -> Striker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(30.0)

    def ended(self) -> None:
        """Take what is not committed anew, as it stands when all that was told to stop has done so."""
        if self.struck is not None and self.struck.pid:
            self._server.drain()
            left = self._server.seen(self.mark).came - standing(self._folder).replies
            self.struck = replace(self.struck, uncommitted=left)

    def _run(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._server.mark() == self.mark:
            if self._over.wait(LOOK_SECONDS) or time.monotonic() > deadline:
                return
        if self._over.wait(self._delay_s):
            return
        while self._server.seen(self.mark).in_flight < self._at_least:
            if self._over.wait(LOOK_SECONDS):
                return
        before, flying = standing(self._folder), self._server.seen(self.mark).in_flight
        pid = self._act()
        at = time.monotonic()
        self._server.drain()
        seen = self._server.seen(self.mark)
        self.struck = Strike(pid, self._delay_s, flying, seen.came - before.replies, before, at)
        while pid and not self._over.wait(5 * LOOK_SECONDS):
            if standing(self._folder).rounds > before.rounds:
                self.recovered_at = time.monotonic()
                return


def judged(trial: Trial, striker: Striker, reference: Reference, server: LoggingServer, folder: Path) -> Trial:
    """Hold what a finished play left against the undisturbed run."""
    struck = striker.struck
    if struck is None or not struck.pid:
        return replace(trial, late=True)
    repeats = server.seen(striker.mark).came - reference.requests
    recovered = striker.recovered_at
    return replace(
        trial,
        pid=struck.pid,
        after_s=round(struck.after_s, 3),
        phase=struck.phase,
        rounds_before=struck.before.rounds,
        in_flight=struck.in_flight,
        uncommitted=struck.uncommitted.total(),
        repeats=repeats.total(),
        committed_again=(repeats - struck.uncommitted).total(),
        identical=graded(folder) == reference.tables,
        recover_s=None if recovered is None else round(recovered - struck.at, 3),
    )
