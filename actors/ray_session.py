"""A Ray of our own for the time of one run, or a guest's place on a cluster; nothing of ours is left behind.

Ray's usage report, its dashboard, and its log lines in our terminal are off. Its temporary files stand in a folder
named after this process, so that those of a process that was killed are found and removed by the next run.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import monotonic
from traceback import walk_tb
from typing import Any, Final

import ray
import ray.util
from ray import _raylet as ray_core
from ray._private import worker as ray_worker
from ray._private.node import Node

from actors import processes
from actors.imports import code_root
from erpsim.errors import RunError

STORE_BYTES: Final = 256 * 1024 * 1024
"""Object store: messages are small, and memory is for the actors."""
MESSAGE_BYTES: Final = 1024 * 1024
"""Messages up to this size travel by themselves and not through the object store."""
SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - where Ray keeps its store
OWN_LIMIT: Final = "timed out during startup"
"""Words of Ray's own limit for the start of a node: 30 s, which no setting moves and a busy machine may pass."""
END_SECONDS: Final = 4.0
PREFIX: Final = "erpbench-ray-"
_util: Any = ray.util  # it ships no annotations
_worker: Any = ray_worker
_core: Any = ray_core


@dataclass(frozen=True)
class RayChoice:
    """Which Ray a run plays on.

    Attributes:
        address: a cluster's; None for a Ray of our own.
        dashboard: whether ours has its dashboard.
        start_seconds: time within which it has to be up.
    """

    address: str | None = None
    dashboard: bool = False
    start_seconds: float = 120.0


@contextmanager
def ray_session(choice: RayChoice) -> Iterator[None]:
    """Have Ray up while the block runs; its processes and files are gone after it, if they were ours.

    Raises:
        RunError: Ray does not come up in time, or the cluster cannot be joined.
    """
    before = processes.descendants()
    with ExitStack() as stack:
        stack.enter_context(_environment(choice))
        stack.enter_context(_quiet())
        deadline = monotonic() + choice.start_seconds
        while not _tried(choice, before, stack, deadline):
            pass  # Ray gave up before its time was over, and what it left is gone
        yield


class _Starter:
    """The thread that starts Ray, whose own start knows no limit of time.

    It lives as long as the session: the system ends Ray's processes with the thread that started them.
    """

    def __init__(self, arguments: dict[str, Any]) -> None:
        self._arguments = arguments
        self.started = threading.Event()
        self.over = threading.Event()
        self.failure: BaseException | None = None
        self.thread = threading.Thread(target=self._run, name="ray start", daemon=True)

    def _run(self) -> None:
        with ExitStack() as stack:
            stack.push(self._keep)  # Ray's start fails with anything, a bare Exception included
            ray.init(**self._arguments)
        self.started.set()
        self.over.wait()

    def _keep(self, _kind: object, failure: BaseException | None, _trace: object) -> bool:
        self.failure = failure
        return True


def _tried(choice: RayChoice, before: frozenset[processes.Descendant], session: ExitStack, deadline: float) -> bool:
    """Start Ray for the session, or remove what is left of a start that Ray gave up."""
    with ExitStack() as attempt:
        folder = attempt.enter_context(_folder()) if choice.address is None else None
        starter = _Starter(_joining(choice.address) if choice.address else _embedded(choice, folder))
        attempt.callback(_stop, before, starter)
        up = _start(choice, starter, deadline)
        if up:
            session.push(attempt.pop_all())
    return up


def _start(choice: RayChoice, starter: _Starter, deadline: float) -> bool:
    """Whether Ray is up; not when it gave up by its own limit and there is time for another start."""
    # Ray puts the current folder first on its workers' import path: let that be the one that holds our packages.
    with _inside(code_root()):
        starter.thread.start()
        ended = starter.started.wait(max(0.0, deadline - monotonic()))
    where = f"the Ray cluster at {choice.address}" if choice.address else "Ray"
    failure = starter.failure
    gave_up = failure is not None and OWN_LIMIT in str(failure)
    if gave_up and monotonic() < deadline:
        return False
    if gave_up or not ended:
        raise RunError(f"{where} is not up after {choice.start_seconds:g} s; {_advice(choice)}") from failure
    if failure is not None:
        raise RunError(f"{where} cannot be used: {failure}; {_advice(choice)}") from failure
    return True


def _embedded(choice: RayChoice, folder: Path | None) -> dict[str, Any]:
    assert folder is not None
    free = shutil.disk_usage(SHARED_MEMORY).free if SHARED_MEMORY.is_dir() else 0
    store = {} if free > STORE_BYTES + STORE_BYTES // 4 else {"_plasma_directory": str(folder)}
    return {
        "address": "local",
        "include_dashboard": choice.dashboard,
        "log_to_driver": False,
        "logging_level": logging.ERROR,
        "object_store_memory": STORE_BYTES,
        "_temp_dir": str(folder),
        **store,
    }


def _joining(address: str) -> dict[str, Any]:
    return {"address": address, "log_to_driver": False, "logging_level": logging.ERROR}


def _advice(choice: RayChoice) -> str:
    if choice.address:
        return (
            "see that it runs, that this machine reaches it and that both have the same Ray; for one that asks for a"
            " token, set RAY_AUTH_MODE=token here"
        )
    return "see what loads this machine, and that its temporary folder has room"


def _stop(before: frozenset[processes.Descendant], starter: _Starter) -> None:
    started = processes.descendants() - before
    _end_half_started(starter.failure)
    ray.shutdown()
    starter.over.set()
    processes.end(started, END_SECONDS)


def _end_half_started(failure: BaseException | None) -> None:
    """End and collect the processes of a node that did not come up; `ray.shutdown` knows nothing of it."""
    for frame, _ in walk_tb(None if failure is None else failure.__traceback__):
        half = frame.f_locals.get("self")
        if isinstance(half, Node):
            half.kill_all_processes(check_alive=False, wait=True)
            return


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray from telling of a lost worker on standard output, where answers for machines stand."""
    before = getattr(_worker, "_worker_logs_enabled", True)
    _worker._worker_logs_enabled = False  # noqa: SLF001 - it has no public switch
    try:
        yield
    finally:
        _worker._worker_logs_enabled = before  # noqa: SLF001 - as above


@contextmanager
def _environment(choice: RayChoice) -> Iterator[None]:
    """What Ray and its processes read from the environment while they start; put back afterwards."""
    exempt = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    hosts = ",".join([*([exempt] if exempt else []), "127.0.0.1", "localhost", _util.get_node_ip_address()])
    values = {"RAY_USAGE_STATS_ENABLED": "0", "no_proxy": hosts, "NO_PROXY": hosts, "RAY_DEDUP_LOGS": "0"}
    if choice.address is None:
        # A secret of this run alone; without one Ray would write a lasting one into the user's home.
        values["RAY_AUTH_TOKEN"] = token_hex(32)
        values["RAY_max_direct_call_object_size"] = str(MESSAGE_BYTES)
        values["RAY_worker_niceness"] = "0"
        if not choice.dashboard:  # it alone shows what Ray tells of each call, at a fifth of the call's cost
            values |= {"RAY_task_events_report_interval_ms": "0", "RAY_enable_metrics_collection": "0"}
    logging.getLogger("ray").setLevel(logging.ERROR)
    before = {name: os.environ.get(name) for name in (*values, "RAY_AUTH_MODE")}  # Ray itself sets the last one
    os.environ.update(values)
    _core.AuthenticationTokenLoader.instance().reset_cache()  # else Ray goes on with an earlier run's secret
    try:
        yield
    finally:
        _put_back(before)


def _put_back(before: Mapping[str, str | None]) -> None:
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def _folder() -> Iterator[Path]:
    """Temporary folder for Ray; short, since it holds sockets, whose paths may have about 100 characters."""
    root = Path("/tmp") if os.access("/tmp", os.W_OK) else Path(tempfile.gettempdir())  # noqa: S108 - for its length
    for left in root.glob(PREFIX + "*"):
        owner = left.name.removeprefix(PREFIX).split("-")[0]
        if owner.isdecimal() and not _exists(int(owner)) and left.stat().st_uid == os.getuid():
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=root))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
