"""Actors, and nodes of a cluster, are killed in one warm Ray: each trial is one play with one kill."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from ray.cluster_utils import Cluster

from actors import processes, remote
from actors.ray_session import RayChoice, ray_session
from benchmarks.reliability import warm
from benchmarks.reliability.server import LoggingServer
from benchmarks.reliability.setting import Setting, graded
from benchmarks.reliability.trial import Reference, Striker, Trial, judged
from erpsim.errors import ErpbenchError

TARGETS: Final = ("Firm", "Market", "Audit", "Desk")
NODE: Final[dict[str, Any]] = {"num_cpus": 2}


@dataclass
class Pair:
    """A cluster of two nodes; the second may be killed and replaced."""

    cluster: Any
    second: Any

    def kill(self) -> int:
        """Kill every process of the second node, as when a machine goes down; gives the id of its raylet."""
        raylet: int = self.second.all_processes["raylet"][0].process.pid
        for pid in (raylet, *(item.pid for item in processes.descendants(raylet))):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return raylet

    def renew(self) -> None:
        """Have a new node take the place of the one that was killed."""
        with suppress(AssertionError, ValueError):  # it is gone already, and that is what Ray complains of
            self.cluster.remove_node(self.second, allow_graceful=False)
        self.second = self.cluster.add_node(**NODE)


@dataclass
class Stage:
    """Where the trials play.

    Attributes:
        folder: holds a run folder for each trial.
        pair: nodes of our own, for kills of a node; None where Ray is one node.
    """

    server: LoggingServer
    setting: Setting
    folder: Path
    pair: Pair | None = None
    references: dict[int, Reference] = field(default_factory=dict)

    def nodes(self) -> list[str | None]:
        """Node of each shard: one anywhere, or two that Ray spreads over two nodes."""
        return [None] if self.pair is None else [None, None]

    def reference(self) -> Reference:
        """The undisturbed run, played once."""
        shards = 1 if self.pair is None else 2
        if shards not in self.references:
            self.references[shards] = measured(self, self.folder / "undisturbed")
        return self.references[shards]


@contextmanager
def warm_ray(server: LoggingServer, setting: Setting, folder: Path) -> Iterator[Stage]:
    """One Ray for all trials."""
    with ray_session(RayChoice(start_seconds=300.0)):
        yield Stage(server, setting, folder)


@contextmanager
def two_nodes(server: LoggingServer, setting: Setting, folder: Path) -> Iterator[Stage]:
    """A cluster of two nodes on this machine, joined as a guest; only its second node is ever killed."""
    with cluster_of_two() as pair, ray_session(RayChoice(pair.cluster.address, start_seconds=300.0)):
        yield Stage(server, setting, folder, pair)


@contextmanager
def cluster_of_two(head_cpus: int = NODE["num_cpus"]) -> Iterator[Pair]:
    """Two nodes on this machine, each with a raylet and workers of its own; nothing of them is left."""
    before = processes.descendants()
    with ExitStack() as stack:
        stack.callback(lambda: processes.end(processes.descendants() - before, 5.0))
        stack.enter_context(_own_files())
        cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": head_cpus, "include_dashboard": False})
        stack.callback(cluster.shutdown)
        yield Pair(cluster, cluster.add_node(**NODE))


@contextmanager
def _own_files() -> Iterator[None]:
    """Keep the cluster's files apart: in the common place the address of another Ray of this machine may stand."""
    with tempfile.TemporaryDirectory(prefix="erk-", dir="/tmp") as folder:  # for its length
        os.environ["RAY_TMPDIR"] = folder
        try:
            yield
        finally:
            del os.environ["RAY_TMPDIR"]


def begun(spans: list[float]) -> int:
    """Note the time, and kill nothing."""
    spans.append(time.monotonic())
    return 0


def measured(stage: Stage, folder: Path) -> Reference:
    """Play undisturbed, once to warm up and once to be held against."""
    warm.play(stage.setting, folder.with_name("warm-up"), stage.nodes())
    mark = stage.server.mark()
    spans: list[float] = []
    watcher = Striker(stage.server, folder, 0.0, lambda: begun(spans))
    with watcher:
        warm.play(stage.setting, folder, stage.nodes())
        ended = time.monotonic()
    return Reference(graded(folder), stage.server.seen(mark).came, ended - spans[0])


def actor_trial(stage: Stage, number: int, seed: int) -> Trial:
    """Kill one process of an actor at a uniformly random moment of the busy interval."""
    rng = Random(f"{seed} {number}")  # noqa: S311 - which and when
    target = TARGETS[rng.randrange(len(TARGETS))]
    return _trial(Trial(number, target), stage, rng.random(), lambda: _kill_actor(target, rng))


def node_trial(stage: Stage, number: int, seed: int) -> Trial:
    """Kill every process of the second node, as when a machine goes down; a new node takes its place afterwards."""
    assert stage.pair is not None
    rng = Random(f"{seed} node {number}")  # noqa: S311 - when
    trial = _trial(Trial(number, "node"), stage, rng.random(), stage.pair.kill)
    if not trial.late:
        stage.pair.renew()
        _await_nodes(2, 60.0)
    return trial


def _trial(trial: Trial, stage: Stage, fraction: float, strike: Callable[[], int]) -> Trial:
    folder = stage.folder / f"{trial.target.lower()}-{trial.number}"
    reference = stage.reference()
    began = time.monotonic()
    striker = Striker(stage.server, folder, fraction * reference.busy_s, strike)
    try:
        with striker:
            warm.play(stage.setting, folder, stage.nodes())
    except ErpbenchError as error:
        return replace(trial, pid=striker.struck.pid if striker.struck else 0, error=f"{type(error).__name__}: {error}")
    wall_s = round(time.monotonic() - began, 1)
    left = warm.left_over(10.0)
    return replace(judged(trial, striker, reference, stage.server, folder), left_over=left, wall_s=wall_s)


def _kill_actor(target: str, rng: Random) -> int:
    found = warm.actor_processes(target)
    if not found:
        return 0
    pid = found[rng.randrange(len(found))].pid
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return pid
    return 0


def _await_nodes(count: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while len(remote.alive_nodes()) < count and time.monotonic() < deadline:
        time.sleep(0.2)
