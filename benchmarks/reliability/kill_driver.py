"""The driver is killed, or told to stop, and the run is gone on with: each trial is two processes of the driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

from actors import processes
from actors.processes import Descendant
from benchmarks.reliability import warm
from benchmarks.reliability.kill_actors import Stage, begun
from benchmarks.reliability.server import ROOT, LoggingServer
from benchmarks.reliability.setting import Setting, graded, standing
from benchmarks.reliability.trial import Reference, Striker, Trial, judged

SIGNALS: Final = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
GONE_SECONDS: Final = 20.0
_AGENTS: Final = ("ray::RuntimeEnv", "ray::Dashboard")
"""Helpers of a Ray node that wait a minute for its control process before they end by themselves."""


class DriverStage(Stage):
    """Where the driver's trials play: no Ray of ours, each driver starts its own."""

    def nodes(self) -> list[str | None]:
        """None: the driver sees to that."""
        return []

    def reference(self) -> Reference:
        """The undisturbed run, played once."""
        if 0 not in self.references:
            folder = self.folder / "undisturbed"
            mark, spans = self.server.mark(), list[float]()
            striker = Striker(self.server, folder, 0.0, lambda: begun(spans))
            with striker, driving(self, folder) as process:
                rounds = sum(unit.problem.horizon for unit in self.setting.units)
                ended = _await_rounds(folder, rounds)
                assert process.wait(300) == 0, "the undisturbed run did not end well"
            self.references[0] = Reference(graded(folder), self.server.seen(mark).came, ended - spans[0])
        return self.references[0]


@contextmanager
def no_ray(server: LoggingServer, setting: Setting, folder: Path) -> Iterator[Stage]:
    """No Ray in this process."""
    yield DriverStage(server, setting, folder)


@contextmanager
def driving(stage: Stage, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Have the driver play or go on while the block runs; it and all that it started are gone after it."""
    settings = stage.setting.settings
    command = [sys.executable, "-m", "benchmarks.reliability.drive", str(folder)]
    command += [str(settings.panel_path), str(settings.models_path)]
    with (folder.parent / f"{folder.name}.out").open("ab") as said:
        process = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said)  # noqa: S603 - our own module
        try:
            yield process
        finally:
            started = processes.descendants(process.pid)
            process.kill()
            process.wait()
            processes.end(started, GONE_SECONDS)


def driver_trial(stage: Stage, number: int, seed: int) -> Trial:
    """Send one of three signals at a uniformly random moment of the busy interval, then go on with the run."""
    rng = Random(f"{seed} driver {number}")  # noqa: S311 - which and when
    sent = SIGNALS[number % len(SIGNALS)]
    trial = Trial(number, f"driver {sent.name}")
    folder = stage.folder / f"driver-{number}"
    reference = stage.reference()
    began = time.monotonic()
    with driving(stage, folder) as process:
        started: list[frozenset[Descendant]] = []

        def strike() -> int:
            if process.poll() is not None:
                return 0
            started.append(processes.descendants(process.pid))
            os.kill(process.pid, sent)
            return process.pid

        with Striker(stage.server, folder, rng.random() * reference.busy_s, strike) as striker:
            process.wait(300)
            left = warm.still_alive(_without_agents(started), GONE_SECONDS)
            if sent is not signal.SIGKILL:
                striker.ended()
            if striker.struck is not None and striker.struck.pid and process.returncode != 0:
                with driving(stage, folder) as again:
                    code = again.wait(300)
                trial = replace(trial, error="" if code == 0 else f"resume ended with {code}: {_last_words(folder)}")
    wall_s = round(time.monotonic() - began, 1)
    if process.returncode == 0:
        return replace(trial, late=True, wall_s=wall_s)
    return replace(judged(trial, striker, reference, stage.server, folder), left_over=len(left), wall_s=wall_s)


def _without_agents(started: list[frozenset[Descendant]]) -> frozenset[Descendant]:
    return frozenset(item for each in started for item in each if not warm.title(item).startswith(_AGENTS))


def _await_rounds(folder: Path, count: int) -> float:
    deadline = time.monotonic() + 300.0
    while standing(folder).rounds < count:
        assert time.monotonic() < deadline, "the undisturbed run did not end in time"
        time.sleep(0.05)
    return time.monotonic()


def _last_words(folder: Path) -> str:
    return (folder.parent / f"{folder.name}.out").read_text(errors="replace").strip()[-300:]
