"""Whose processor time is whose: a process that has ended keeps the role that it had."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from actors.processes import Descendant
from benchmarks import consumption
from benchmarks.consumption import REST, Watch, role_of


def test_a_process_that_has_ended_keeps_its_role_until_it_is_cleared_away(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", "import sys; sys.stdin.read(); sum(range(20_000_000))", "latency_server"]
    watch = Watch()
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        monkeypatch.setattr(consumption, "descendants", lambda: [Descendant(child.pid, "0")])
        watch._look()
        assert role_of(child.pid) == "server"
        child.stdin.close()
        while Path(f"/proc/{child.pid}/cmdline").read_bytes():
            time.sleep(0.01)
        assert role_of(child.pid) == ""
        watch._look()
    assert watch.looks[1].cpu_s["server"] > watch.looks[0].cpu_s["server"]
    assert watch.looks[1].cpu_s.get(REST, 0.0) == watch.looks[0].cpu_s.get(REST, 0.0)


def test_this_process_is_the_driver() -> None:
    assert role_of(os.getpid()) == "driver"
