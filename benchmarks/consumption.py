"""Processor time and memory of this process and of all that it started, watched from a thread while something runs."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from actors.processes import descendants

TICK_SECONDS: Final = 1.0 / os.sysconf("SC_CLK_TCK")
REST: Final = "ray, rest"
_PROC: Final = Path("/proc")
_Key = tuple[int, str]


class Look(NamedTuple):
    """Processor seconds by role up to a monotonic time, and the memory that each process holds then."""

    at: float
    cpu_s: dict[str, float]
    pss_mb: dict[str, float]  # of the process of each role that holds most
    all_mb: float


class Watch:
    """Looks once in a while at what every process has used; one that has ended keeps what was seen last."""

    def __init__(self, every_s: float = 0.5, memory: bool = False) -> None:
        """Look so often; at memory too on demand, which takes some milliseconds a process."""
        self._every_s = every_s
        self._memory = memory
        self._used: dict[_Key, float] = {}  # by process id and start
        self._roles: dict[_Key, str] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self.looks: list[Look] = []

    def __enter__(self) -> Watch:
        self._look()
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def cpu_s(self, start: float, end: float) -> dict[str, float]:
        """Processor seconds by role between two monotonic times, linear between two looks."""
        before, after = self._at(start), self._at(end)
        return {role: used - before.get(role, 0.0) for role, used in sorted(after.items())}

    def pss_mb(self, when: float) -> dict[str, float]:
        """Memory of the largest process of each role at the last look before a monotonic time."""
        return next((look.pss_mb for look in reversed(self.looks) if look.at <= when), {})

    def most_mb(self) -> dict[str, float]:
        """The most that a process of each role held at any look."""
        roles = {role for look in self.looks for role in look.pss_mb}
        return {role: max(look.pss_mb.get(role, 0.0) for look in self.looks) for role in roles}

    def most_at_once_mb(self) -> float:
        """The most that all processes together held at any look."""
        return max(look.all_mb for look in self.looks)

    def _at(self, when: float) -> dict[str, float]:
        later = next((index for index, look in enumerate(self.looks) if look.at >= when), len(self.looks) - 1)
        one, two = self.looks[max(0, later - 1)], self.looks[later]
        share = 1.0 if two.at == one.at else min(1.0, max(0.0, (when - one.at) / (two.at - one.at)))
        return {role: one.cpu_s.get(role, 0.0) * (1 - share) + used * share for role, used in two.cpu_s.items()}

    def _run(self) -> None:
        while not self._over.wait(self._every_s):
            self._look()

    def _look(self) -> None:
        held: dict[_Key, float] = {}
        for pid in (os.getpid(), *(item.pid for item in descendants())):
            with suppress(OSError, ValueError):  # it ended meanwhile
                fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
                key = (pid, fields[19])
                self._used[key] = (int(fields[11]) + int(fields[12])) * TICK_SECONDS
                self._roles[key] = role_of(pid) or self._roles.get(key, REST)
                if self._memory:
                    held[key] = pss_mb(pid)
        cpu_s: defaultdict[str, float] = defaultdict(float)
        for key, used in self._used.items():
            cpu_s[self._roles[key]] += used
        largest: defaultdict[str, float] = defaultdict(float)
        for key, mb in held.items():
            largest[self._roles[key]] = max(largest[self._roles[key]], mb)
        self.looks.append(Look(time.monotonic(), dict(cpu_s), dict(largest), sum(held.values())))


def role_of(pid: int) -> str:
    """What a process does in a run, by its command line; nothing of one that has ended and is not yet cleared away."""
    if pid == os.getpid():
        return "driver"
    words = (_PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode().split()
    line = " ".join(words)
    if line.startswith("ray::"):  # an actor's class, after its name while it is being made
        return line.rpartition(":")[2].partition(".")[0].partition(" ")[0]
    if "latency_server" in line:
        return "server"
    if not words:
        return ""
    return "raylet" if words[0].endswith("/raylet") else REST


def pss_mb(pid: int) -> float:
    """Memory of a process, what it shares with others counted by its share."""
    for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024.0
    return 0.0
