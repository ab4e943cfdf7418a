"""What the stand-in server did so far, counted by itself, so that a client's records can be held against it."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Counts:
    """The only thing that the server remembers.

    Attributes:
        replies: completions that were sent whole, by model.
        faults: by kind; a fault of a reply is one of the replies too.
        refused: answers of status 400 and 404 to what is no request, or asks for no stand-in.
        early: requests that came again before the time that a Retry-After had asked for.
    """

    requests: int = 0
    replies: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    early: int = 0
    _attempts: Counter[bytes] = field(default_factory=Counter)
    _not_before: dict[bytes, float] = field(default_factory=dict)
    _overflows: Counter[bytes] = field(default_factory=Counter)

    def attempt(self, raw: bytes, now: float) -> int:
        """Count a body that came, at a time in seconds; gives how often it did, from 1."""
        key = hashlib.sha256(raw).digest()
        self._attempts[key] += 1
        self.early += now < self._not_before.pop(key, now)
        return self._attempts[key]

    def ask_to_wait(self, raw: bytes, until: float) -> None:
        """Remember that a body should not come again before a time."""
        self._not_before[hashlib.sha256(raw).digest()] = until

    def overflow(self, opening: bytes) -> int:
        """Count a conversation that is found to be too long; gives how often it was, from 1."""
        key = hashlib.sha256(opening).digest()
        self._overflows[key] += 1
        return self._overflows[key]

    def as_json(self) -> dict[str, Any]:
        """What the status address says."""
        return {
            "requests": self.requests,
            "replies": sum(self.replies.values()),
            "replies_by_model": dict(self.replies),
            "faults": dict(self.faults),
            "refused": self.refused,
            "early": self.early,
        }
