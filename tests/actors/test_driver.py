"""The driver as far as it goes without Ray: what it refuses before anything starts, and what it reads from a folder."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from actors import driver, run_file
from actors.audit import LOCK_NAME as WRITER_LOCK
from actors.entries import commit_entry, lost_entry
from actors.folder_lock import held
from actors.journal import Journal
from actors.planning import RunRequest, make_plan, notes_on, read_sources, work_of
from actors.progress import Progress
from actors.pulse import Pulse
from actors.run_file import RunSettings
from actors.stop_signals import stop_signals
from erpsim.errors import ModelsError, ProblemError, RunError, WorkError
from tests.actors.samples import firm_records

MODELS = """
[models."lab/one"]
base_url = "http://127.0.0.1:9/v1"
model = "one"
api_key_env = "LAB_KEY_OF_A_TEST"
"""


def ignore(progress: Progress) -> None:
    del progress


def begun(folder: Path, **changes: object) -> run_file.RunFile:
    """A run folder of two Solo problems that nobody has played yet."""
    plan = make_plan(RunRequest(problems="P001,P002", ecologies=("solo",), models=("standin/a",)), RunSettings())
    return run_file.create(folder, replace(plan, **changes), RunSettings())  # type: ignore[arg-type]


def test_a_plan_lists_what_is_played_and_gives_the_same_work_again() -> None:
    plan = make_plan(RunRequest(problems="6"), RunSettings())
    assert plan.ecologies == ("solo", "arena")
    assert len(plan.problems) == 6
    assert plan.models == tuple(f"standin/{letter}" for letter in "abcdef")
    units = work_of(plan, read_sources(RunSettings())).units
    assert len(units) == 36 + 6
    assert sum(unit.model_rounds for unit in units) == 432


def test_a_line_up_is_planned_by_seat() -> None:
    request = RunRequest(problems="1", lineup=("standin/a*2", "balanced"))
    plan = make_plan(request, RunSettings())
    assert plan.ecologies == ("mixed",)
    assert plan.lineup == ("standin/a", "standin/a", "balanced")
    (unit,) = work_of(plan, read_sources(RunSettings())).units
    assert [spec.label for spec in unit.market.seats] == ["standin/a", "standin/a", "balanced"]


def test_an_arena_that_cannot_be_seated_is_left_out_and_told() -> None:
    request = RunRequest(problems="1", models=("standin/a",))
    assert make_plan(request, RunSettings()).ecologies == ("solo",)
    assert "Arena is left out" in notes_on(request, RunSettings())[0]


@pytest.mark.parametrize(
    ("request_", "error", "message"),
    [
        (RunRequest(problems="P999"), WorkError, "P999"),
        (RunRequest(problems="0"), WorkError, "0 problems"),
        (RunRequest(ecologies=("duel",)), WorkError, "unknown ecology 'duel'; known: solo, arena, mixed"),
        (RunRequest(lineup=("nobody", "balanced")), WorkError, "nobody"),
        (RunRequest(models=("nobody",)), ModelsError, "nobody"),
        (RunRequest(trials=0), WorkError, "trials is 0"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(request_: RunRequest, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make_plan(request_, RunSettings())


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelsError, match=r"none\.toml"):
        make_plan(RunRequest(), RunSettings(models_path=str(tmp_path / "none.toml")))
    with pytest.raises(ProblemError, match=r"none\.json"):
        make_plan(RunRequest(), RunSettings(panel_path=str(tmp_path / "none.json")))


def test_a_missing_key_is_told_before_a_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_KEY_OF_A_TEST", raising=False)
    (tmp_path / "models.toml").write_text(MODELS)
    settings = RunSettings(models_path=str(tmp_path / "models.toml"))
    plan = make_plan(RunRequest(problems="1"), settings)
    with pytest.raises(ModelsError, match=r"LAB_KEY_OF_A_TEST \(model lab/one\); set each variable"):
        driver.play(tmp_path / "run", plan, settings, ignore)
    assert not (tmp_path / "run").exists()


def test_a_resume_names_everything_that_changed_since_the_run_began(tmp_path: Path) -> None:
    begun(tmp_path / "run", rules_version="0.9.0", panel_digest="old")
    with pytest.raises(RunError, match=r'rules_version: the run has "0\.9\.0".*panel_digest: the run has "old"'):
        driver.resume(tmp_path / "run", ignore)


def test_a_folder_that_another_process_plays_is_refused(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    with (
        held(tmp_path / "run" / driver.LOCK_NAME),
        pytest.raises(RunError, match=f"process {os.getpid()} plays this run already"),
    ):
        driver.resume(tmp_path / "run", ignore)


def test_a_journal_that_is_no_journal_is_refused_by_resume_and_status(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    (tmp_path / "run" / "journal.db").write_bytes(b"something else " * 200)
    with pytest.raises(RunError, match="is no intact journal"):
        driver.resume(tmp_path / "run", ignore)
    with pytest.raises(RunError, match="is no intact journal"):
        driver.status(tmp_path / "run")


def test_status_tells_how_far_a_run_is_from_its_journal_alone(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    assert driver.status(tmp_path / "run").stage == "not begun"
    journal = Journal(tmp_path / "run" / "journal.db", writable=True)
    journal.write([commit_entry("solo/P001/standin-a", number, last=number == 6) for number in range(1, 7)])
    journal.write([lost_entry(firm_records(market_id="solo/P002/standin-a").events[0])])
    journal.close()
    progress = driver.status(tmp_path / "run")
    assert (progress.markets_done, progress.markets_failed, progress.markets_total) == (1, 1, 2)
    assert (progress.rounds_done, progress.rounds_total, progress.stage) == (6, 12, "to be continued")
    assert progress.events == {"experiment_failed": 1}


def test_a_run_that_is_complete_is_resumed_without_ray_and_its_records_are_written(tmp_path: Path) -> None:
    made = begun(tmp_path / "run")
    journal = Journal(tmp_path / "run" / "journal.db", writable=True)
    for unit in work_of(made.plan, read_sources(RunSettings())).units:
        journal.write([commit_entry(unit.market.market_id, number, last=number == 6) for number in range(1, 7)])
    journal.close()
    told: list[str] = []
    summary = driver.resume(tmp_path / "run", lambda progress: told.append(progress.stage))
    assert summary.complete
    assert summary.failures == ()
    assert told == ["writing records", "done"]
    assert (tmp_path / "run" / "records" / "rounds.parquet").exists()
    assert not (tmp_path / "run" / WRITER_LOCK).exists()


def test_a_signal_is_a_flag_and_breaks_into_a_wait_only_where_that_is_asked_for() -> None:
    handler = signal.getsignal(signal.SIGTERM)
    with stop_signals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        assert signals.asked
        with pytest.raises(KeyboardInterrupt), signals.interrupting():
            pytest.fail("a signal that came before is not forgotten")
    with stop_signals() as signals, pytest.raises(KeyboardInterrupt), signals.interrupting():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) == handler


def test_the_pulse_reckons_the_rest_by_the_pace_of_this_play(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 110.0, 110.0, 120.0, 120.0])
    monkeypatch.setattr("actors.pulse.time.monotonic", lambda: next(clock))
    told: list[Progress] = []
    pulse = Pulse(told.append, Progress(rounds_done=50))
    pulse.playing(Progress(rounds_done=50, rounds_total=100), in_flight=3)
    pulse.playing(Progress(rounds_done=60, rounds_total=100), in_flight=3)
    assert [progress.eta_s for progress in told] == [None, 40.0]
    assert [progress.elapsed_s for progress in told] == [10.0, 20.0]
    assert told[0].markets_in_flight == 3
