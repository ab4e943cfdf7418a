"""What a benchmark's figures were measured on, and how fast that machine was just then.

The same machine may take two or three times as long from one hour to the next. Milliseconds of different hours can only
be compared beside `pace_ms`, the processor time of one fixed piece of plain Python.
"""

from __future__ import annotations

import os
import platform
import time
from typing import Any, Final

REPEATS: Final = 7
_STEPS: Final = 60_000


def machine() -> dict[str, Any]:
    """Keys that every benchmark prints: cores, Python, the load over the last minute, and the pace."""
    load = round(os.getloadavg()[0], 1)
    return {"cores": os.cpu_count(), "python": platform.python_version(), "load": load, "pace_ms": pace_ms()}


def pace_ms() -> float:
    """Processor time of `work`, the least of several repeats, ms."""
    return round(1e3 * min(_timed() for _ in range(REPEATS)), 2)


def _timed() -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def work() -> int:
    """Whole numbers, a dictionary, a list and short texts; the same steps each time."""
    total = 0
    seen: dict[int, int] = {}
    kept: list[tuple[int, str]] = []
    for step in range(_STEPS):
        total = (total * 31 + step) % 1_000_003
        seen[total % 512] = step
        if step % 8 == 0:
            kept.append((step, f"{total}"))
    return total + len(seen) + len(kept)
