"""A key that is refused ends a real run within seconds, in one line, and nothing of it is written as the model's."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from actors.entries import read_events
from actors.journal import Journal
from erpbench import exits
from tests.actors.llm.peers import CANARY
from tests.architecture.checks import ROOT
from tests.erpbench.refusing_peer import RefusingPeer, refusing

LIMIT_SECONDS = 10.0
"""Within which a run has to end after the first refusal."""
PAIR = """
[models."lab/first"]
base_url = "{address}"
model = "good"
api_key_env = "CANARY_KEY"
account = "first"

[models."lab/slow"]
base_url = "{address}"
model = "slow"
api_key_env = "OTHER_KEY"
account = "slow"
"""


class Ended(NamedTuple):
    """How a run ended: exit code, both streams, and the seconds since the first refusal."""

    code: int
    output: str
    seconds: float


def _run(folder: Path, peer: RefusingPeer, *options: str) -> Ended:
    """Play two models, of which one lets everybody wait."""
    (folder / "models.toml").write_text(PAIR.format(address=peer.address))
    command = [sys.executable, "-m", "erpbench", "run", "--problems", "P001", "--ecology", "solo", "--out", "run"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CANARY_KEY": CANARY, "OTHER_KEY": CANARY + "-other"}
    ended = subprocess.run(
        [*command, "--models", "models.toml", *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    at = time.monotonic()
    assert peer.refused_at is not None, ended.stdout
    return Ended(ended.returncode, ended.stdout, at - peer.refused_at)


def _check(folder: Path, ended: Ended) -> None:
    print(f"seconds from the first refusal to the exit: {ended.seconds:.1f}")  # noqa: T201 - the figure is the point
    assert ended.code == exits.REFUSED, ended.output
    assert ended.seconds < LIMIT_SECONDS
    errors = [line for line in ended.output.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, ended.output
    assert "model lab/first: the key in CANARY_KEY was refused: " in errors[0]
    assert "Traceback" not in ended.output
    assert CANARY not in ended.output
    for path in folder.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path
    journal = Journal(folder / "run" / "journal.db", writable=False)
    try:
        events = [event for row in journal.rows("events", uncommitted=True) for event in read_events(row)]
        assert {event["category"] for event in events} <= {"value_coerced"}, "what the replies before it gave"
        assert not journal.lost()
        assert not journal.finished()
        assert journal.call_totals().failed == 1
    finally:
        journal.close()
    for table in ("outcomes", "events"):
        path = folder / "run" / "records" / f"{table}.parquet"
        assert not path.exists() or pq.read_table(path).num_rows == 0


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 403, 400])
def test_g2_21_the_preflight_ends_the_run_within_seconds_of_a_refused_key(tmp_path: Path, status: int) -> None:
    with refusing(status) as peer:
        _check(tmp_path, _run(tmp_path, peer))
        assert peer.asked.count("good") == 1


TOGETHER = ("--infra-fallback", "--ecology", "mixed", "--lineup", "lab/first,lab/slow")


@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.parametrize(("status", "good", "more"), [(401, 3, ()), (400, 0, TOGETHER)])
def test_g2_21_a_key_that_is_refused_later_ends_the_run_without_waiting_for_the_other_model(
    tmp_path: Path, status: int, good: int, more: tuple[str, ...]
) -> None:
    with refusing(status, good) as peer:
        _check(tmp_path, _run(tmp_path, peer, "--no-preflight", *more))
        assert peer.asked.count("good") == good + 1
