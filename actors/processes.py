"""Processes that descend from this one, so that what a run started is seen to end, and nothing else is touched."""

from __future__ import annotations

import os
import signal
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class Descendant(NamedTuple):
    """One process; its start time tells it from a later one of the same id."""

    pid: int
    started: str


def descendants(of: int | None = None) -> frozenset[Descendant]:
    """All children of a process, by default of this one, and theirs; empty where the system has no /proc."""
    children: defaultdict[int, list[Descendant]] = defaultdict(list)
    for path in _PROC.glob("[0-9]*"):
        fields = _fields(int(path.name))
        if fields is not None and fields[0] != "Z":
            children[int(fields[1])].append(Descendant(int(path.name), fields[19]))
    found: set[Descendant] = set()
    waiting = [os.getpid() if of is None else of]
    while waiting:
        for child in children[waiting.pop()]:
            found.add(child)
            waiting.append(child.pid)
    return frozenset(found)


def alive(known: frozenset[Descendant]) -> frozenset[Descendant]:
    """Those that still run; one that has ended and only waits to be collected does not."""
    return frozenset(item for item in known if _runs(item))


def end(known: frozenset[Descendant], patience_seconds: float) -> None:
    """Wait for processes to end, and kill by their ids those that do not."""
    deadline = time.monotonic() + patience_seconds
    while (left := alive(known)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for item in left:
        with suppress(ProcessLookupError):
            os.kill(item.pid, signal.SIGKILL)
    deadline = time.monotonic() + patience_seconds
    while alive(known) and time.monotonic() < deadline:
        time.sleep(0.05)


def _runs(item: Descendant) -> bool:
    fields = _fields(item.pid)
    return fields is not None and fields[19] == item.started and fields[0] != "Z"


def _fields(pid: int) -> list[str] | None:
    """Fields of a process's `stat` from the state on: state, parent, …, start time at index 19."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    return text[text.rindex(")") + 2 :].split()
