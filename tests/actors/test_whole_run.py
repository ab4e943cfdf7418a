"""Runs of the driver as processes of their own: from a hostile folder, killed, interrupted, resumed, and cleaned up."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

from actors import driver, planning, processes, run_file
from actors.planning import RunRequest
from actors.processes import Descendant
from actors.ray_session import PREFIX
from actors.run_file import RunSettings
from erpsim.errors import RunError
from tests.actors.test_stage import played_files
from tests.architecture.checks import ROOT

pytestmark = [pytest.mark.ray, pytest.mark.slow]

SCRIPT = """
import sys
from pathlib import Path
from actors import driver, planning
from actors.run_file import RunSettings

def told(progress):
    print(progress.stage, progress.rounds_done, progress.markets_in_flight, flush=True)

def main():
    folder, delay = Path(sys.argv[1]), float(sys.argv[2])
    settings = RunSettings(delay=delay)
    if folder.exists():
        summary = driver.resume(folder, told, settings)
    else:
        request = planning.RunRequest(problems="P001", ecologies=("solo",), models=("standin/a", "standin/b"))
        summary = driver.play(folder, planning.make_plan(request, settings), settings, told)
    print("summary", summary.complete, summary.interrupted, summary.standin_replies, flush=True)

if __name__ == "__main__":
    main()
"""

# The same as in the script.
REQUEST = RunRequest(problems="P001", ecologies=("solo",), models=("standin/a", "standin/b"))


class Playing:
    """A run being played by a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.told: list[str] = []

    def until_rounds(self, count: int) -> frozenset[Descendant]:
        """Wait until rounds of this play are committed; gives every process that it has by then."""
        for line in self._lines():
            stage, _, rest = line.rpartition(" ")[0].rpartition(" ")
            if stage == "playing" and int(rest) >= count:
                return processes.descendants(self.process.pid)
        raise AssertionError("the run ended early")

    def summary(self) -> list[str]:
        self.told = list(self._lines())
        lines = [line for line in self.told if line.startswith("summary")]
        assert self.process.wait(60) == 0
        return lines[-1].split()[1:]

    def _lines(self) -> Iterator[str]:
        assert self.process.stdout is not None
        return (line.strip() for line in self.process.stdout)


@contextmanager
def playing(folder: Path, cwd: Path, delay: float) -> Iterator[Playing]:
    script = folder.parent / "script" / "play_it.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(folder), str(delay)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Playing(process)
        finally:
            started = processes.descendants(process.pid)
            process.kill()
            processes.end(started, 10.0)


def gone(started: frozenset[Descendant], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while processes.alive(started) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not processes.alive(started)


def without_agents(started: frozenset[Descendant]) -> frozenset[Descendant]:
    """Without two helpers of a Ray node that wait a minute for its control process before they end by themselves."""
    return frozenset(item for item in started if not _command(item).startswith(("ray::RuntimeEnv", "ray::Dashboard")))


def _command(item: Descendant) -> str:
    try:
        return Path("/proc", str(item.pid), "cmdline").read_text()
    except OSError:
        return ""


def calls(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / "records" / "calls.parquet").to_pylist()
    return rows


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], frozenset[Descendant]]:
    """A run started from a folder that holds an `actors` and an `analysis` of its own."""
    folder = tmp_path_factory.mktemp("undisturbed")
    hostile = folder / "hostile"
    for package in ("actors", "analysis"):
        (hostile / package).mkdir(parents=True)
        (hostile / package / "__init__.py").write_text("raise RuntimeError('the wrong package')\n")
    with playing(folder / "run", hostile, delay=0.0) as run:
        started = run.until_rounds(0)
        summary = run.summary()
        assert [line for line in run.told if line.startswith("stopping")] == ["stopping 12 0"]  # all rounds are in
        return folder / "run", summary, started


def test_g3_05_a_run_from_a_folder_with_an_actors_package_of_its_own_plays_ours(
    undisturbed: tuple[Path, list[str], frozenset[Descendant]],
) -> None:
    folder, summary, _ = undisturbed
    assert summary[:2] == ["True", "False"]
    rows = pq.read_table(folder / "records" / "rounds.parquet").to_pylist()
    assert len(rows) == 2 * 6 * 6
    assert {row["decision_status"] for row in rows} >= {"clean"}


def test_the_servers_own_count_of_replies_equals_the_calls_recorded(
    undisturbed: tuple[Path, list[str], frozenset[Descendant]],
) -> None:
    folder, summary, _ = undisturbed
    assert int(summary[2]) == len(calls(folder)) > 2 * 6


def test_a_run_that_ends_by_itself_leaves_nothing_behind(
    undisturbed: tuple[Path, list[str], frozenset[Descendant]],
) -> None:
    folder, _, started = undisturbed
    assert len(started) >= 8
    assert not processes.alive(started)
    assert sorted(path.name for path in folder.iterdir()) == [
        *("journal.db", "journal.lock", "records", "run.lock", "run.toml")
    ]


class Stopped(NamedTuple):
    """A run whose command got Ctrl-C in round 2, as its end found it."""

    code: int
    said: str
    rounds: int  # committed over both markets
    started: frozenset[Descendant]
    left: frozenset[Descendant]
    folders: tuple[list[Path], list[Path]]  # Ray's, before and after


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Stopped]:
    """The real command on a run that nobody has played yet; the signal goes to all processes of its terminal."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    run_file.create(folder, planning.make_plan(REQUEST, RunSettings()), RunSettings())
    command = [sys.executable, "-m", "erpbench", "resume", str(folder), "--delay", "0.3"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            while rounds_done(folder) < 2:
                assert process.poll() is None, "the run ended early"
                time.sleep(0.05)
            started, before = processes.descendants(process.pid), ray_folders(process.pid)
            os.killpg(process.pid, signal.SIGINT)
            said, _ = process.communicate(timeout=120)
            left = processes.alive(started)
        finally:
            started_late = processes.descendants(process.pid)
            process.kill()
            processes.end(started_late, 10.0)
    rounds = driver.status(folder).rounds_done
    return folder, Stopped(process.returncode, said, rounds, started, left, (before, ray_folders(process.pid)))


def rounds_done(folder: Path) -> int:
    """Rounds committed; none as long as the journal is being made."""
    try:
        return driver.status(folder).rounds_done
    except RunError as error:
        if "holds nothing yet" not in str(error):
            raise
        return 0


def ray_folders(pid: int) -> list[Path]:
    """Folders that a process made for its Ray."""
    return [path for root in {"/tmp", tempfile.gettempdir()} for path in Path(root).glob(f"{PREFIX}{pid}-*")]


def test_g3_21_ctrl_c_in_round_2_ends_the_command_with_130_and_leaves_nothing_behind(
    stopped: tuple[Path, Stopped],
) -> None:
    folder, end = stopped
    assert end.code == 130
    assert f"Go on:   erpbench resume {folder}" in end.said
    assert 2 <= end.rounds < 2 * 6  # what was under way was broken off, and what was done is kept
    assert len(end.started) >= 8
    assert end.left == frozenset()
    assert [len(folders) for folders in end.folders] == [1, 0]
    assert sorted(path.name for path in folder.iterdir()) == ["journal.db", "journal.lock", "run.lock", "run.toml"]


def test_g3_03_a_run_that_was_interrupted_and_killed_ends_in_the_same_bytes_and_asks_nothing_twice(
    undisturbed: tuple[Path, list[str], frozenset[Descendant]], stopped: tuple[Path, Stopped], tmp_path: Path
) -> None:
    shutil.copytree(stopped[0], tmp_path / "run")
    with playing(tmp_path / "run", tmp_path, delay=0.3) as run:
        started = run.until_rounds(6)
        run.process.kill()
        assert gone(without_agents(started), 20.0)
    with playing(tmp_path / "run", tmp_path, delay=0.0) as run:
        complete, interrupted, _ = run.summary()
        assert (complete, interrupted) == ("True", "False")
    assert played_files(tmp_path / "run") == played_files(undisturbed[0])
    places = [
        tuple(row[name] for name in ("market_id", "round", "seat", "ask", "turn"))
        for row in calls(tmp_path / "run")
        if row["error_class"] == ""
    ]
    assert len(places) == len(set(places))
