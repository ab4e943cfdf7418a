"""What can happen to the host of a run, one function a case; each gives what was seen.

A case is good when the error came and was said in one line, when what was committed before is still there, and when the
run, gone on with on a sound host, ends in the bytes of the undisturbed one.
"""

from __future__ import annotations

import ast
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.reliability.host import Driver, driver
from benchmarks.reliability.mounts import filled, read_only, small_disk, small_shared_memory
from benchmarks.reliability.server import ROOT
from benchmarks.reliability.setting import Setting, graded, standing
from erpsim.errors import RunError

JUMP: Final = """
import time
_true, _start = time.time, time.monotonic()
def time_time():
    return _true() + (259_200 if int((time.monotonic() - _start) / 2) % 2 else -259_200)
time.time = time_time
"""
"""A `sitecustomize` whose wall clock jumps three days forwards and backwards every two seconds."""
WITHOUT_A_CLOCK: Final = ("erpsim", "ecologies")
"""Packages that decide what a record says; none may read a wall clock."""
CLOCKS: Final = frozenset({"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "date.today"})


@dataclass(frozen=True)
class Seen:
    """What came of a case.

    Attributes:
        error: what the driver said last when it ended; "" where none is expected.
        error_s: seconds from the fault to that end.
        kept: whether the rounds that were committed before are still in the journal.
        identical: whether the run's records at last are those of the undisturbed run.
        skipped: why the case cannot be played here.
    """

    case: str
    error: str = ""
    error_s: float | None = None
    kept: bool = False
    identical: bool = False
    skipped: str = ""

    @property
    def good(self) -> bool:
        """Whether all was as promised."""
        return bool(self.skipped) or (self.kept and self.identical and "Traceback" not in self.error)


@dataclass(frozen=True)
class Host:
    """Where the cases play: a folder for each, and what the undisturbed run gave."""

    setting: Setting
    folder: Path
    wanted: dict[str, str]


def full_disk(host: Host) -> Seen:
    """The disk is full as soon as the first round is committed."""
    folder = host.folder / "full"
    with small_disk(folder) as why:
        if why:
            return Seen("full disk", skipped=why)
        run = folder / "run"
        with driver(host.setting, run) as first:
            first.until_rounds(1)
            with filled(folder):
                seen = _failed("full disk", first)
        return _gone_on(host, seen, run)


def read_only_folder(host: Host) -> Seen:
    """The run folder cannot be written any more when a run is gone on with."""
    folder = host.folder / "read-only"
    with small_disk(folder) as why:
        if why:
            return Seen("read-only run folder", skipped=why)
        run = folder / "run"
        _begun(host, run)
        with read_only(folder):
            with driver(host.setting, run) as second:
                seen = _failed("read-only run folder", second)
            seen = replace(seen, kept=standing(run).rounds > 0)
        return _gone_on(host, seen, run)


def two_runs(host: Host) -> Seen:
    """A second driver wants the same folder while the first one plays."""
    run = host.folder / "two"
    with driver(host.setting, run) as first:
        first.until_rounds(1)
        with driver(host.setting, run) as second:
            seen = _failed("two runs in one folder", second)
        code = first.ended()
    return replace(seen, kept=code == 0, identical=graded(run) == host.wanted)


def clock_jump(host: Host) -> Seen:
    """The wall clock of all processes jumps by days while the run is played."""
    patch, run = host.folder / "clock", host.folder / "jumping"
    patch.mkdir()
    (patch / "sitecustomize.py").write_text(JUMP)
    path = os.pathsep.join((str(patch), os.environ.get("PYTHONPATH", "")))
    with driver(host.setting, run, {"PYTHONPATH": path}) as jumping:
        code = jumping.ended()
        error = "" if code == 0 else jumping.last_line()
    readers = clock_readers()
    error = error or (f"a wall clock is read by {', '.join(readers)}" if readers else "")
    return Seen("clock jump", error, None, code == 0 and not readers, code == 0 and graded(run) == host.wanted)


def small_memory(host: Host) -> Seen:
    """Shared memory has 64 MB, as in a container."""
    words = small_shared_memory()
    if not words:
        return Seen("64 MB of shared memory", skipped="no mount namespace can be made here")
    run = host.folder / "small"
    with driver(host.setting, run, before=words) as only:
        code = only.ended()
        error = "" if code == 0 else only.last_line()
    return Seen("64 MB of shared memory", error, None, code == 0, code == 0 and graded(run) == host.wanted)


def moved_folder(host: Host) -> Seen:
    """The run folder is moved away while the run is played; it is gone on with where it is then."""
    run, away = host.folder / "moving", host.folder / "moved"
    with driver(host.setting, run) as first:
        first.until_rounds(1)
        run.rename(away)
        seen = _failed("run folder moved", first)
    return _gone_on(host, replace(seen, kept=standing(away).rounds > 0), away)


def deleted_folder(host: Host) -> Seen:
    """The run folder is deleted while the run is played; nothing can be kept of it, and a new run is made."""
    run = host.folder / "deleted"
    with driver(host.setting, run) as first:
        first.until_rounds(1)
        shutil.rmtree(run)
        seen = _failed("run folder deleted", first)
    return _gone_on(host, replace(seen, kept=not run.exists()), run)


CASES: Final[dict[str, Callable[[Host], Seen]]] = {
    "full-disk": full_disk,
    "read-only": read_only_folder,
    "two-runs": two_runs,
    "clock-jump": clock_jump,
    "small-memory": small_memory,
    "moved": moved_folder,
    "deleted": deleted_folder,
}


def clock_readers() -> list[str]:
    """Modules of the packages that decide a record which read a wall clock."""
    return [
        str(path.relative_to(ROOT))
        for package in WITHOUT_A_CLOCK
        for path in sorted((ROOT / package).rglob("*.py"))
        if any(
            isinstance(node, ast.Attribute) and ast.unparse(node) in CLOCKS
            for node in ast.walk(ast.parse(path.read_text()))
        )
    ]


def _begun(host: Host, run: Path) -> None:
    """Play a run until its first round is committed, then kill it."""
    with driver(host.setting, run) as first:
        first.until_rounds(1)


def _failed(case: str, failing: Driver) -> Seen:
    """What a driver says that is to fail, and how long it takes to."""
    began = time.monotonic()
    code = failing.ended()
    seconds = round(time.monotonic() - began, 1)
    return Seen(case, failing.last_line() if code else "none was told", seconds)


def _gone_on(host: Host, seen: Seen, run: Path) -> Seen:
    """Go on with the run on a sound host."""
    try:
        kept = seen.kept or standing(run).rounds > 0
    except RunError as error:
        return replace(seen, error=f"{seen.error}; then: {error}")
    with driver(host.setting, run) as last:
        code = last.ended()
        if code:
            return replace(seen, kept=kept, error=f"{seen.error}; gone on: {last.last_line()}")
    return replace(seen, kept=kept, identical=graded(run) == host.wanted)
