"""One account's permits as a state machine without any waiting: who may send now, and when next to look.

Additive increase, multiplicative decrease (Chiu & Jain 1989): while the cap is in use, one more after about a cap's
worth of replies; half of it on a 429, once for all calls that were open then. A Retry-After closes the account until
then; a server error holds the growth; a spent quota or a refused key stops it, for as long as the server says or for
good. Requests and tokens a minute are kept by sliding windows. Who asked first is served first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from actors.llm.calls import CallClass
from actors.llm.terms import START_MOST, Terms
from actors.llm.window import Use, Window, request_window

Key = tuple[str, int]
"""Who asks, and its own number of the request."""

HOLD_S: Final = 10.0
"""Seconds without growth after a server error."""
REFUSED: Final[frozenset[str]] = frozenset(
    {"rate", "overloaded", "quota", "auth", "model_not_found", "context_overflow", "bad_request"}
)
"""Classes of requests that a server sends back unread: they use no tokens unless it says so."""
CAUTIOUS_MOST: Final = 8
"""Connections with which an account begins whose history was lost, and at most a quarter of its limit."""


@dataclass(frozen=True)
class Signal:
    """What the request of a permit met; `tokens` is what it used, None where that is unknown."""

    error_class: CallClass | Literal[""]
    retry_after_s: float | None = None
    tokens: int | None = None


class Step(NamedTuple):
    """What came of a look at an account; `again_at` is when to look next if nothing is given back, maybe infinite."""

    granted: list[Key]
    refused: list[Key]
    again_at: float


@dataclass(frozen=True)
class _Open:
    """A request that may be under way."""

    at: float
    full: bool  # the cap was in use
    request: Use | None
    tokens: Use | None


class Account:
    """Life of one account, by the clock that its governor passes in; times never go back."""

    def __init__(self, terms: Terms, now: float, cautious: bool = False) -> None:
        """Begin at the limit of connections, at most at `START_MOST`.

        Args:
            terms: what the account allows.
            now: seconds.
            cautious: what was sent before is unknown: begin low, and with a minute that is taken as used up.
        """
        self._terms = terms
        self._most = max(1, terms.connections)
        self._cap = float(min(START_MOST, self._most))
        self._requests = None if terms.requests_per_minute is None else request_window(terms.requests_per_minute)
        self._tokens = None if terms.tokens_per_minute is None else Window(terms.tokens_per_minute)
        self._waiting: dict[Key, int] = {}
        self._open: dict[Key, _Open] = {}
        self._closed_until = self._cut_at = self._held_until = -math.inf
        self._stopped: CallClass | None = None
        self._stopped_until = math.inf
        if cautious:
            self._begin_low(now)

    @property
    def cap(self) -> int:
        """Calls that may be open now."""
        return max(1, int(self._cap))

    @property
    def open(self) -> int:
        """Calls that are open."""
        return len(self._open)

    @property
    def waiting(self) -> int:
        """Calls that wait."""
        return len(self._waiting)

    def stopped(self, now: float) -> CallClass | None:
        """Why no request of the account makes sense now; None when one does."""
        if self._stopped is not None and now >= self._stopped_until:
            self._stopped = None
        return self._stopped

    def ask(self, key: Key, tokens: int) -> None:
        """Wait for a permit, with an estimate of the tokens that it will use."""
        self._waiting[key] = tokens

    def step(self, now: float) -> Step:
        """Give permits to those who may send, in their order; refuse everybody when the account is stopped."""
        granted: list[Key] = []
        if self.stopped(now) is not None:
            refused, self._waiting = list(self._waiting), {}
            return Step(granted, refused, math.inf)
        while self._waiting:
            key, tokens = next(iter(self._waiting.items()))
            free_at = self._free_at(tokens, now)
            if free_at > now:
                return Step(granted, [], free_at)
            del self._waiting[key]
            self.adopt(key, tokens, now)
            granted.append(key)
        return Step(granted, [], math.inf)

    def adopt(self, key: Key, tokens: int, now: float) -> None:
        """Count a call as open from now on, whether or not it would have been given a permit."""
        request = None if self._requests is None else self._requests.add(1, now)
        used = None if self._tokens is None else self._tokens.add(tokens, now)
        self._open[key] = _Open(now, len(self._open) + 1 >= self.cap, request, used)

    def withdraw(self, key: Key) -> None:
        """Forget a request that was not sent and will not be, whether it waits or has its permit."""
        self._waiting.pop(key, None)
        opened = self._open.pop(key, None)
        if opened is None:
            return
        if self._requests is not None and opened.request is not None:
            self._requests.correct(opened.request, 0)
        if self._tokens is not None and opened.tokens is not None:
            self._tokens.correct(opened.tokens, 0)

    def give_back(self, key: Key, signal: Signal, now: float) -> None:
        """Take a permit back and learn from what its request met; one that is not open any more frees nothing."""
        opened = self._open.pop(key, None)
        used = 0 if signal.tokens is None and signal.error_class in REFUSED else signal.tokens
        if self._tokens is not None and opened is not None and opened.tokens is not None and used is not None:
            self._tokens.correct(opened.tokens, used)
        if signal.error_class in ("quota", "auth"):
            self._stopped = signal.error_class
            self._stopped_until = math.inf if signal.retry_after_s is None else now + signal.retry_after_s
        elif signal.error_class in ("rate", "overloaded"):
            self._closed_until = max(self._closed_until, now + (signal.retry_after_s or 0.0))
        if signal.error_class == "rate" and opened is not None and opened.at > self._cut_at:
            self._cap = max(1.0, self._cap / 2.0)
            self._cut_at = now
        elif signal.error_class in ("server", "overloaded"):
            self._held_until = now + HOLD_S
        elif signal.error_class == "" and opened is not None and opened.full and now >= self._held_until:
            self._cap = min(float(self._most), self._cap + 1.0 / self._cap)

    def _free_at(self, tokens: int, now: float) -> float:
        """Earliest time at which one more call may be sent, as far as that is known."""
        self._end_leases(now)
        free_at = max(now, self._closed_until)
        if len(self._open) >= self.cap:
            free_at = max(free_at, next(iter(self._open.values())).at + self._terms.lease_s)
        if self._requests is not None:
            free_at = max(free_at, self._requests.free_at(1, now))
        if self._tokens is not None:
            free_at = max(free_at, self._tokens.free_at(tokens, now))
        return free_at

    def _end_leases(self, now: float) -> None:
        while self._open:
            key, oldest = next(iter(self._open.items()))
            if oldest.at + self._terms.lease_s > now:
                return
            del self._open[key]

    def _begin_low(self, now: float) -> None:
        self._cap = float(max(1, min(CAUTIOUS_MOST, self._most // 4)))
        if self._requests is not None:
            self._requests.add(max(1, math.ceil(self._terms.requests_per_minute or 0.0)), now)
        if self._tokens is not None:
            self._tokens.add(math.ceil(self._terms.tokens_per_minute or 0.0), now)
