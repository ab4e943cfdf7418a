"""What was used within the last minute, exactly: a use counts for the whole span and is gone with its end."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

MINUTE_S: Final = 60.0
SLACK_S: Final = 1.0
"""Seconds by which a use is kept beyond its minute: requests reach a server later than they leave, by unequal times."""


@dataclass
class Use:
    """One use; its amount may be corrected while it counts."""

    at: float
    amount: int
    counts: bool = True


class Window:
    """A sliding window over one kind of use, by the clock that the caller passes in; times never go back."""

    def __init__(self, limit: float, span_s: float = MINUTE_S + SLACK_S) -> None:
        """Allow `limit` within any `span_s` seconds."""
        self._limit = limit
        self._span_s = span_s
        self._uses: deque[Use] = deque()
        self._total = 0

    def free_at(self, amount: int, now: float) -> float:
        """Earliest time at which an amount fits; more than the whole limit fits once the window is empty.

        With 5 a minute, 3 used at 0 s and 2 at 10 s, 1 more fits at 60 s, and 4 more at 70 s.
        """
        self._forget(now)
        room = self._limit - min(amount, self._limit)
        total, free_at = self._total, now
        for use in self._uses:
            if total <= room:
                break
            total -= use.amount
            free_at = use.at + self._span_s
        return free_at

    def add(self, amount: int, now: float) -> Use:
        """Note a use."""
        use = Use(now, amount)
        self._uses.append(use)
        self._total += amount
        return use

    def correct(self, use: Use, amount: int) -> None:
        """Change the amount of a use, if it still counts."""
        if use.counts:
            self._total += amount - use.amount
            use.amount = amount

    def _forget(self, now: float) -> None:
        while self._uses and self._uses[0].at + self._span_s <= now:
            gone = self._uses.popleft()
            gone.counts = False
            self._total -= gone.amount


def request_window(per_minute: float) -> Window:
    """Window of requests; less than one a minute is one in a longer time."""
    if per_minute < 1.0:
        return Window(1.0, MINUTE_S / per_minute + SLACK_S)
    return Window(per_minute)
