"""The same plain classes as Ray actors: equal bytes, also when actors are lost on the way."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import ray

from actors import placement, remote, store
from actors.addresses import Address, RemoteAudit
from actors.assignment import Assignment
from actors.backlog import Backlog
from actors.fan_out import Bounds, fan_out
from actors.journal import Journal
from actors.messages import Lost
from actors.placement import Node
from actors.remote import Cast
from ecologies.work import WorkUnit
from erpsim.errors import RunError
from tests.actors.scripts import RUN_ID, graded_rows, play_locally, short_problems, slow_deciders, small_work
from tests.actors.test_stage import played_files, reference_files

pytestmark = pytest.mark.ray

Pulse = Callable[[int], bool]


@dataclass(frozen=True)
class Run:
    folder: Path
    cast: Cast
    units: tuple[WorkUnit, ...]

    def play(self, units: tuple[WorkUnit, ...], pulse: Pulse) -> Backlog:
        backlog = Backlog(units, fresh=True, tries=2)
        fan_out(self.cast, backlog, Assignment(RUN_ID, self.units), Bounds(2, pulse))
        return backlog

    def rounds(self) -> int:
        journal = Journal(self.folder / "journal.db", writable=False)
        try:
            return len(journal.rounds_committed())
        finally:
            journal.close()


@pytest.fixture
def run(ray_up: None, tmp_path: Path) -> Iterator[Run]:
    units = small_work(short_problems(2))
    (tmp_path / "run").mkdir()
    cast = remote.start_cast(
        tmp_path / "run", Assignment(RUN_ID, units), lambda _: slow_deciders, remote.alive_nodes()[:1]
    )
    remote.await_cast(cast, 120.0)
    yield Run(tmp_path / "run", cast, units)
    remote.end_cast(cast, 10.0)


async def test_g3_01_actors_record_what_the_reference_records_byte_for_byte_also_when_they_are_killed(
    run: Run, tmp_path: Path
) -> None:
    shard = run.cast.shards[0]
    victims = [process_of(actor) for actor in (run.cast.audit, shard.market, shard.firms["model mb"])]
    seen = 0

    def kill_one_a_round(in_flight: int) -> bool:
        nonlocal seen
        if victims and in_flight and run.rounds() > seen:
            os.kill(victims.pop(), signal.SIGKILL)
            seen = run.rounds()
        return False

    backlog = run.play(run.units, kill_one_a_round)
    assert backlog.given_up == []
    assert victims == []
    remote.ask(run.cast.audit.close.remote(), 10.0)
    store.export(run.folder, RUN_ID, n_models=2)
    assert played_files(run.folder) == reference_files(tmp_path, graded_rows(await play_locally(run.units)))
    journal = Journal(run.folder / "journal.db", writable=False)
    assert any(b"market_actor_lost" in stored.row for stored in journal.rows("failures"))
    journal.close()


def process_of(actor: Any) -> int:
    """Id of the process in which an actor lives."""
    number: int = ray.get(actor.__ray_call__.remote(lambda _: os.getpid()), timeout=60.0)
    return number


def test_workers_run_the_code_of_this_process(ray_up: None) -> None:
    remote.check_workers(60.0)


def test_an_actor_that_cannot_be_made_is_named_with_the_reason(ray_up: None, tmp_path: Path) -> None:
    units = small_work(short_problems(1))[1:2]
    cast = remote.start_cast(
        tmp_path / "none", Assignment(RUN_ID, units), lambda _: slow_deciders, remote.alive_nodes()[:1]
    )
    with pytest.raises(RunError, match=r"the audit actor cannot start: .*journal\.lock: cannot be made"):
        remote.await_cast(cast, 120.0)
    remote.end_cast(cast, 10.0)


def test_g3_07_an_actor_that_does_not_start_is_named(ray_up: None) -> None:
    waiting: Any = ray.remote(Waiting).options(num_cpus=10_000).remote()
    cast = Cast(waiting, ())
    with pytest.raises(RunError, match=r"not started within 1 s: audit actor; the cluster has .* CPUs"):
        remote.await_cast(cast, 1.0)
    ray.kill(waiting)


class Waiting:
    """An actor that asks for more than there is."""

    def ready(self) -> str:
        return "up"


async def test_g3_01_an_actor_that_is_gone_is_lost_whatever_ray_calls_it(ray_up: None) -> None:
    with pytest.raises(Lost, match="no actor is called 'audit' any more"):
        await RemoteAudit(Address("nowhere", "audit")).committed("m")
    dying: Any = ray.remote(Dying).remote()
    with pytest.raises(Lost):
        remote.ask(dying.die.remote(), 60.0)
    assert remote.end_of(dying.die.remote(), "m").status == "interrupted"


class Dying:
    """An actor that ends its process."""

    def die(self) -> None:
        os._exit(1)


def test_g3_19_an_error_of_ours_keeps_its_class_and_words_on_its_way(ray_up: None) -> None:
    failing: Any = ray.remote(Failing).remote()
    with pytest.raises(RunError, match=r"^the disk is full$"):
        remote.ask(failing.fail.remote(), 60.0)
    ray.kill(failing)


class Failing:
    """An actor whose code raises one of our errors."""

    def fail(self) -> None:
        raise RunError("the disk is full")


def test_g3_05_a_node_on_which_no_worker_starts_is_named(ray_up: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "nodes", lambda: (Node("e" * 56, "node-b.example", 2.0),))
    with pytest.raises(RunError, match=r"^no Ray worker started within 1 s on node-b\.example; see what loads it"):
        remote.check_workers(1.0)
