"""Ctrl-C and SIGTERM as a flag that the driver looks at, so that a run ends between two steps and not within one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class StopSignals:
    """Whether a signal asked the run to stop."""

    asked: bool = False
    _raise: bool = False

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Let a signal break into the block as KeyboardInterrupt: for waits that look at no flag."""
        self._raise = True
        try:
            if self.asked:
                raise KeyboardInterrupt
            yield
        finally:
            self._raise = False

    def take(self, number: int, frame: FrameType | None) -> None:
        """Handle one signal."""
        del number, frame
        self.asked = True
        if self._raise:
            self._raise = False  # a second signal leaves the clean-up alone
            raise KeyboardInterrupt


@contextmanager
def stop_signals() -> Iterator[StopSignals]:
    """Catch SIGINT and SIGTERM while the block runs; outside the main thread nothing is caught."""
    signals = StopSignals()
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return

    before = {number: signal.signal(number, signals.take) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
