import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from actors import processes
from actors.standin_process import standin_server
from erpsim.errors import ModelsError
from tests.architecture.checks import ROOT

# Starts the server, prints its port and waits to be killed.
OWNER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from actors.standin_process import standin_server
with standin_server(["--delay", "0"]) as server:
    print(server.port, flush=True)
    time.sleep(600)
"""


def test_the_server_answers_counts_and_is_gone_afterwards() -> None:
    before = processes.descendants()
    with standin_server(["--delay", "0"]) as server:
        started = processes.descendants() - before
        assert started
        assert server.replies() == 0
        with urllib.request.urlopen(f"{server.base_url}/models", timeout=10) as answer:
            assert json.load(answer)["data"][0]["id"] == "standin/a"
    assert not processes.alive(started)


def test_the_server_counts_the_faults_that_it_plays() -> None:
    with standin_server(["--fault", "503=1"]) as server:
        body = json.dumps({"model": "standin/a", "messages": []}).encode()
        for _ in range(2):
            with pytest.raises(urllib.error.HTTPError) as told:
                urllib.request.urlopen(f"{server.base_url}/chat/completions", body, timeout=10)
            told.value.close()
        assert (server.faults(), server.replies()) == ({"503": 2}, 0)


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ModelsError, match=f"port {port} is in use"), standin_server(["--port", str(port)]):
            pass


def test_an_option_that_makes_no_sense_is_told() -> None:
    with pytest.raises(ModelsError, match=r"did not start: .*nonsense"), standin_server(["--fault", "nonsense=1"]):
        pass


def test_the_server_ends_when_its_owner_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        started = processes.descendants(owner.pid)
        assert len(started) == 1
        owner.kill()
    deadline = time.monotonic() + 20.0
    while processes.alive(started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes.alive(started)
