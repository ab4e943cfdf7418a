"""When a failed call is tried again: exponential backoff with full jitter, above what the server asks for.

One place decides, for every class of failure; nothing below it (the HTTP library, a vendor's kit) retries by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from actors.llm.calls import RETRYABLE, CallFailure


@dataclass(frozen=True)
class RetryPolicy:
    """Bounds of one call's retries, in seconds."""

    attempts: int = 8
    first_s: float = 1.0  # longest first wait; doubles with each attempt
    longest_s: float = 60.0
    budget_s: float = 900.0  # all waits of one call together
    quota_s: float = 600.0  # a server that asks for more than this has run out, not slowed down

    def wait_s(self, failure: CallFailure, draw: float, waited_s: float) -> float | None:
        """Seconds until the next attempt, None when there is none.

        Args:
            failure: the last attempt's; `attempts` counts it.
            draw: uniform in [0, 1), the jitter.
            waited_s: what this call has waited before.
        """
        if failure.error_class not in RETRYABLE or failure.attempts >= self.attempts:
            return None
        ceiling = min(self.longest_s, self.first_s * 2.0 ** (failure.attempts - 1))
        wait = max(draw * ceiling, failure.retry_after_s or 0.0)
        return wait if waited_s + wait <= self.budget_s else None


def asked_to_wait_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that an answer's headers ask to wait: Retry-After, or the finer one in milliseconds that some give."""
    try:
        fine = float(headers.get("retry-after-ms", "")) / 1000.0
    except ValueError:
        fine = math.nan
    if math.isfinite(fine) and fine >= 0.0:
        return fine
    return retry_after_s(headers.get("Retry-After"), now)


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, given as seconds or as an HTTP date; None for nonsense.

    A date that is past is 0; a date without a time zone, or of zone -0000, is read as UTC.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        return _until(value, now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(value: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
