"""A key is in nothing that a run writes: not in its folder, Ray's files, output, report or the dump of a crash."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import traceback
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from actors import processes
from actors.deciders import Sealed
from actors.journal import Journal
from actors.llm.client import ModelClient
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.processes import Descendant
from actors.ray_session import PREFIX
from erpbench import exits
from tests.architecture.checks import ROOT
from tests.security.echoing_peer import EchoingPeer, echoing
from tests.security.searching import holding

KEY = "canary-zq7f3a/9c51+zqe2d84b60"
PARTS = ("zq7f3a", "zqe2d84b60")
"""Parts of the key without a character that is ever written otherwise: half a key is a key told, too."""
MODELS = """
[models."lab/echo"]
base_url = "{address}"
model = "echo"
api_key_env = "CANARY_KEY"

[models."lab/flaky"]
base_url = "{address}"
model = "flaky"
api_key_env = "CANARY_KEY"
retries = {{ attempts = 8, first = 0.01 }}
"""


def test_the_search_finds_what_is_compressed(tmp_path: Path) -> None:
    (tmp_path / "plain.log").write_text(f"x {KEY}")
    pq.write_table(pa.table({"a": [KEY] * 5}), tmp_path / "t.parquet", compression="zstd")
    journal = Journal(tmp_path / "j.db", writable=True)
    journal.close()
    assert holding(tmp_path, PARTS) == ["plain.log", "t.parquet"]
    with __import__("sqlite3").connect(tmp_path / "j.db") as connection:
        connection.execute("CREATE TABLE planted (row BLOB)")
        connection.execute("INSERT INTO planted VALUES (?)", (zlib.compress(KEY.encode() * 3),))
    assert holding(tmp_path, PARTS) == ["j.db", "plain.log", "t.parquet"]


@pytest.mark.parametrize(
    "held", [Keys({"A": KEY}), Sealed({"A": KEY}), ModelClient(Keys({"A": KEY}), LocalGovernor({}, time.monotonic))]
)
def test_what_holds_a_key_shows_it_in_no_text(held: object) -> None:
    assert not [part for part in PARTS if part in f"{held!r} {held} {held:}"]
    if not isinstance(held, Sealed):  # which is what brings keys to an actor
        with pytest.raises(TypeError):
            pickle.dumps(held)


def test_a_traceback_with_every_local_value_shows_no_key() -> None:
    keys = Keys({"A": KEY})

    def fail(held: Keys, sealed: Sealed) -> None:
        raise ValueError(f"{held} and {sealed}")

    with pytest.raises(ValueError, match="and") as caught:
        fail(keys, Sealed({"A": KEY}))
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    inner = "".join(told.stack.format()[-1:]) + str(caught.value)
    assert "held = Keys(A)" in inner
    assert not [part for part in PARTS if part in inner]


def command(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CANARY_KEY": KEY, "PYTHONFAULTHANDLER": "1"}
    # The system's image of a process holds its whole memory: that is the machine's to allow.
    shell = ["/bin/sh", "-c", 'ulimit -c 0; exec "$@"', "sh", sys.executable, "-m", "erpbench", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(shell, cwd=folder, env=environment, text=True, **streams)  # type: ignore[call-overload]


def said(folder: Path, code: int, *arguments: str) -> str:
    with command(folder, *arguments) as process:
        text, _ = process.communicate(timeout=300)
    assert process.returncode == code, text
    assert not [part for part in PARTS if part in text], text
    return text


def crash(folder: Path, peer: EchoingPeer) -> None:
    """Play until some rounds are asked for, search what Ray has written by then, and have the driver crash."""
    arguments = ("run", "--problems", "P001", "--ecology", "solo", "--models", "models.toml", "--out", "run")
    started: frozenset[Descendant] = frozenset()
    with command(folder, *arguments, "--no-preflight") as process:
        try:
            deadline = time.monotonic() + 240
            while len(peer.asked) < 12 and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)
            started = processes.descendants(process.pid)
            (ray_folder,) = Path("/tmp").glob(f"{PREFIX}{process.pid}-*")
            assert list(ray_folder.rglob("*.log")), "Ray writes logs"
            assert holding(ray_folder, PARTS) == []
            process.send_signal(signal.SIGABRT)
            text, _ = process.communicate(timeout=60)
        finally:
            process.kill()
            processes.end(started, 10.0)
    assert "Fatal Python error: Aborted" in text
    assert not [part for part in PARTS if part in text]
    assert holding(ray_folder, PARTS) == []
    shutil.rmtree(ray_folder, ignore_errors=True)


@pytest.mark.ray
@pytest.mark.slow
def test_a_key_that_servers_say_back_is_in_nothing_that_a_run_writes_also_when_it_crashes(tmp_path: Path) -> None:
    with echoing() as peer:
        (tmp_path / "models.toml").write_text(MODELS.format(address=peer.address))
        crash(tmp_path, peer)
        assert holding(tmp_path, PARTS) == []
        said(tmp_path, exits.DONE, "resume", "run", "--no-preflight")
        said(tmp_path, exits.DONE, "models", "check", "--models", "models.toml", "--live")
    assert {"echo", "flaky"} == set(peer.asked)
    for arguments in (("status", "run"), ("verify", "run"), ("report", "run", "--format", "latex")):
        said(tmp_path, exits.DONE, *arguments)
    for form in ((), ("--json", "--raw")):
        text = said(tmp_path, exits.DONE, "show", "run", "solo/P001/lab-flaky", "lab/flaky", "1", *form)
        assert "my key is [key]" in text
        assert "down: Bearer [key]" in text
    assert holding(tmp_path, PARTS) == []
    rows = pq.read_table(tmp_path / "run" / "records" / "calls.parquet").to_pylist()
    assert {row["error_class"] for row in rows} >= {"", "server", "rate", "html_body", "broken_body"}
    assert "[key]" in json.dumps(rows)
