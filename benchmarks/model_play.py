"""One run of Solo and Arena markets against the server of fixed latency, and what it took; shared by benchmarks.

Each of the six models has an account of its own, so that the connections given are those of all accounts together.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from actors import driver
from actors.planning import RunRequest, make_plan
from actors.progress import Progress
from actors.run_file import RunSettings, load
from actors.summary import Summary
from actors.verification import verify
from benchmarks.consumption import Watch
from benchmarks.latency_server import Seen, latency_server
from ecologies.models import STANDIN_LABELS

_ENTRY: Final = """
[models."{label}"]
base_url = "{url}"
model = "{label}"
account = "{label}"
limits = {{ {limits} }}
timeouts = {{ connect = 60.0, read = 900.0, total = 900.0 }}
prices = {{ input = 1.0, cached = 1.0, output = 1.0, reasoning = 1.0 }}
"""


@dataclass(frozen=True)
class Asked:
    """How much is played, and against what.

    Attributes:
        problems: as `erpbench run --problems` takes them.
        latency_s: of the server.
        connections: of all accounts together.
        slow: latency of single models.
        per_minute: requests a minute of all accounts together; None for any.
        settings: more settings of the run.
        ecologies: those that are played.
        memory: whether memory is looked at.
    """

    problems: str
    latency_s: float
    connections: int
    slow: Mapping[str, float] = field(default_factory=dict)
    per_minute: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    ecologies: tuple[str, ...] = ("solo", "arena")
    memory: bool = False


@dataclass(frozen=True)
class Played:
    """What was seen of a run.

    Attributes:
        log: the server's, by the time at which requests came.
        connections: by model.
        started: monotonic time of the first request at the server.
        ended: monotonic time at which every market was known to be committed.
        in_flight: markets in flight, most.
        watch: processor time and memory.
        sound: whether the records are complete and `verify` finds nothing.
    """

    summary: Summary
    log: tuple[Seen, ...]
    connections: Mapping[str, int]
    started: float
    ended: float
    in_flight: int
    watch: Watch
    sound: bool

    @property
    def wall_s(self) -> float:
        """From the first request at the server to the last commit."""
        return self.ended - self.started

    def cpu_s(self) -> dict[str, float]:
        """Processor seconds by role in that time."""
        return self.watch.cpu_s(self.started, self.ended)


def play(folder: Path, asked: Asked) -> Played:
    """Play a run in a folder and look its records over."""
    ended: dict[str, float] = {}
    flying = [0]

    def told(progress: Progress) -> None:
        ended.setdefault(progress.stage, time.monotonic())
        flying.append(progress.markets_in_flight)

    shares = shared_out(asked.connections)
    with Watch(memory=asked.memory) as watch, latency_server(asked.latency_s, asked.slow) as server:
        settings = RunSettings(
            models_path=str(_models_file(folder, server.url, asked, shares)), skip_preflight=True, **asked.settings
        )
        plan = make_plan(RunRequest(asked.problems, ecologies=asked.ecologies), settings)
        summary = driver.play(folder / "run", plan, settings, told)
        log = tuple(sorted(server.log()))
    return Played(
        summary, log, shares, log[0].came, ended["stopping"], max(flying), watch, _is_sound(folder / "run", summary)
    )


def shared_out(connections: int) -> dict[str, int]:
    """Connections by model, as even as can be."""
    each, more = divmod(connections, len(STANDIN_LABELS))
    return {label: each + (number < more) for number, label in enumerate(STANDIN_LABELS)}


def longest_chain(played: Played) -> int:
    """Calls of one market that must follow one another: those of its dearest decision, in every round."""
    progress = played.summary.progress
    assert progress.rounds_total is not None
    return (1 + max(seen.turn for seen in played.log)) * (progress.rounds_total // progress.markets_total)


def busy_share(log: Sequence[Seen], start: float, end: float, connections: int) -> float:
    """Share of some connections' time in which a request was open at the server."""
    held = sum(max(0.0, min(seen.left, end) - max(seen.came, start)) for seen in log)
    return held / ((end - start) * connections)


def printed(found: Mapping[str, Any]) -> None:
    """Print the one line of a benchmark."""
    print(json.dumps(found))


def _models_file(folder: Path, url: str, asked: Asked, shares: Mapping[str, int]) -> Path:
    path = folder / "models.toml"
    texts = []
    for label, connections in shares.items():
        limits = f"connections = {connections}"
        if asked.per_minute is not None:
            limits += f", requests_per_minute = {asked.per_minute / len(shares)}"
        texts.append(_ENTRY.format(label=label, url=url, limits=limits))
    path.write_text("".join(texts))
    return path


def _is_sound(folder: Path, summary: Summary) -> bool:
    verdict = asyncio.run(verify(folder, lambda *_: None, load(folder).settings))
    return summary.complete and verdict.holds
