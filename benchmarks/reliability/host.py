"""The driver on a host that is to fail under it: started, watched, waited for, and what it said."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from actors import processes
from benchmarks.reliability.server import ROOT
from benchmarks.reliability.setting import Setting, standing

LONGEST_SECONDS: Final = 400.0
END_SECONDS: Final = 10.0


@dataclass
class Driver:
    """A driver's process; `said` is the file of all that it printed."""

    process: subprocess.Popen[bytes]
    folder: Path
    said: Path

    def until_rounds(self, count: int) -> None:
        """Wait until so many rounds are committed, or the driver has ended."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while self.process.poll() is None and standing(self.folder).rounds < count:
            assert time.monotonic() < deadline, f"no {count} rounds after {LONGEST_SECONDS:g} s"
            time.sleep(0.05)

    def until_stage(self, stage: str) -> None:
        """Wait until the driver says that it has come to a stage, or has ended."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while self.process.poll() is None and stage not in self.said.read_text(errors="replace"):
            assert time.monotonic() < deadline, f"the stage {stage!r} was not reached"
            time.sleep(0.05)

    def ended(self) -> int:
        """Wait for the end; gives the exit code."""
        return self.process.wait(LONGEST_SECONDS)

    def last_line(self) -> str:
        """What it said last."""
        lines = self.said.read_text(errors="replace").strip().splitlines()
        return lines[-1][-400:] if lines else ""


@contextmanager
def driver(
    setting: Setting, folder: Path, more: Mapping[str, str] | None = None, before: Sequence[str] = ()
) -> Iterator[Driver]:
    """Have a driver play a folder, or go on with it, while the block runs; all that it started is gone after it.

    Args:
        setting: what is played.
        folder: the run's.
        more: environment beside this process's own.
        before: words before the command, such as those that put it in a world of its own.
    """
    said = Path(setting.settings.panel_path or "").with_name(f"{folder.name}-{time.monotonic_ns()}.said")
    command = [*before, sys.executable, "-m", "benchmarks.reliability.drive", str(folder)]
    command += [str(setting.settings.panel_path), str(setting.settings.models_path)]
    with said.open("wb") as stream:
        process = subprocess.Popen(  # noqa: S603 - our own module
            command, cwd=ROOT, stdout=stream, stderr=stream, env={**os.environ, **(more or {})}
        )
    try:
        yield Driver(process, folder, said)
    finally:
        started = processes.descendants(process.pid)
        process.kill()
        process.wait()
        processes.end(started, END_SECONDS)
