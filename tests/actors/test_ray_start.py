"""Ray's own limit for the start of a node, on a machine that is too busy for it; no Ray is started here."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
import ray
from ray._private.node import Node
from ray._private.services import ProcessInfo

from actors import processes, ray_session
from actors.ray_session import RayChoice
from erpsim.errors import RunError

TIMED_OUT = "The current node timed out during startup. This could happen because some of the raylet failed to startup"


class HalfStarted(Node):
    """A node that Ray gives up: one of its processes waits, the other has ended and nobody has collected it."""

    def __init__(self, folder: Path, started: dict[str, subprocess.Popen[bytes]]) -> None:
        for name, code in {"raylet": "import time; time.sleep(600)", "log_monitor": ""}.items():
            started[name] = subprocess.Popen([sys.executable, "-S", "-c", code])
        os.waitid(os.P_PID, started["log_monitor"].pid, os.WEXITED | os.WNOWAIT)
        (folder / "session").mkdir()
        self.removal_lock = Lock()
        self.all_processes = {name: [ProcessInfo(each, *[None] * 7)] for name, each in started.items()}
        raise Exception(TIMED_OUT)  # noqa: TRY002 - it is what Ray raises


@dataclass
class Starts:
    """What stands in for `ray.init`: each start takes half a minute of a clock that nobody waits for."""

    fail: Callable[[int, Path], object]
    now: float = 0.0
    folders: list[Path] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)

    def init(self, **arguments: Any) -> None:
        assert not any(folder.exists() for folder in self.folders), "what an earlier start left is gone"
        self.folders.append(Path(arguments["_temp_dir"]))
        self.secrets.add(os.environ["RAY_AUTH_TOKEN"])
        self.now += 30.5
        self.fail(len(self.folders), self.folders[-1])


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    """Starts that all come up, until `fail` is set."""
    made = Starts(lambda number, folder: None)
    monkeypatch.setattr(ray, "init", made.init)
    monkeypatch.setattr(ray, "shutdown", lambda: None)  # a Ray of other tests stays as it is, and so do its workers
    monkeypatch.setattr(processes, "descendants", frozenset)
    monkeypatch.setattr(ray_session, "monotonic", lambda: made.now)
    return made


def test_a_start_that_ray_gives_up_is_cleared_away_and_tried_again(starts: Starts) -> None:
    started: dict[str, subprocess.Popen[bytes]] = {}
    starts.fail = lambda number, folder: HalfStarted(folder, started) if number == 1 else None
    with ray_session.ray_session(RayChoice(start_seconds=120.0)):
        assert [folder.exists() for folder in starts.folders] == [False, True]
        assert {name: process.returncode for name, process in started.items()} == {"raylet": -9, "log_monitor": 0}
    assert not starts.folders[1].exists()
    assert len(starts.secrets) == 1, "Ray keeps the first token that it has read"


def test_a_ray_that_never_comes_up_is_tried_until_the_time_is_over_which_the_error_names(starts: Starts) -> None:
    def fail(number: int, folder: Path) -> None:
        raise Exception(TIMED_OUT)  # noqa: TRY002 - as above

    starts.fail = fail
    with (
        pytest.raises(RunError, match=r"^Ray is not up after 120 s; see what loads this machine"),
        ray_session.ray_session(RayChoice(start_seconds=120.0)),
    ):
        raise AssertionError
    assert len(starts.folders) == 4
    assert not any(folder.exists() for folder in starts.folders)


def test_any_other_failure_of_a_start_ends_it_at_once(starts: Starts) -> None:
    def fail(number: int, folder: Path) -> None:
        raise ConnectionError("port 6379 is taken")

    starts.fail = fail
    with (
        pytest.raises(RunError, match=r"^Ray cannot be used: port 6379 is taken; see"),
        ray_session.ray_session(RayChoice(start_seconds=120.0)),
    ):
        raise AssertionError
    assert len(starts.folders) == 1
