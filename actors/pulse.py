"""Tells a listener, about twice a second, how far a run is, with the time that the rest will take at this pace."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from actors.progress import Listener, Progress

INTERVAL_SECONDS: Final = 0.5


class Pulse:
    """The driver's clock for its listener."""

    def __init__(self, listener: Listener, start: Progress) -> None:
        """Begin with what the journal held before this play."""
        self._listener = listener
        self._start = start
        self._last = start
        self._began = time.monotonic()
        self._playing_since: float | None = None
        self._notes = start.notes
        self._told_at = float("-inf")

    def stage(self, stage: str, progress: Progress | None = None, detail: str = "") -> None:
        """Enter a stage, or another part of one, and tell it at once, with newer figures if there are any."""
        self._tell(replace(progress or self._last, stage=stage, detail=detail, markets_in_flight=0, eta_s=None))

    def note(self, notes: Iterable[str]) -> None:
        """Have something told at once, and with everything from now on."""
        self._notes = (*self._notes, *notes)
        self._tell(self._last)

    @property
    def last(self) -> Progress:
        """What was told last."""
        return self._last

    def due(self) -> bool:
        """Whether it is time to be told again."""
        return time.monotonic() - self._told_at >= INTERVAL_SECONDS

    def playing(self, progress: Progress, in_flight: int) -> None:
        """Tell how far the markets are."""
        now = time.monotonic()
        if self._playing_since is None:
            self._playing_since = now
        played = progress.rounds_done - self._start.rounds_done
        left = None if progress.rounds_total is None else progress.rounds_total - progress.rounds_done
        eta_s = (now - self._playing_since) / played * left if played > 0 and left is not None else None
        self._tell(replace(progress, stage="playing", detail="", markets_in_flight=in_flight, eta_s=eta_s))

    def elapsed_s(self) -> float:
        """Seconds since this play began."""
        return time.monotonic() - self._began

    def _tell(self, progress: Progress) -> None:
        self._told_at = time.monotonic()
        self._last = replace(progress, elapsed_s=self._told_at - self._began, notes=self._notes)
        self._listener(self._last)
