"""The driver as far as it goes without Ray: what it refuses before anything starts, and what it reads from a folder."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from actors import driver, run_file
from actors.audit import LOCK_NAME as WRITER_LOCK
from actors.entries import Writer, call_entry, commit_entry, lost_entry
from actors.folder_lock import held
from actors.journal import Journal
from actors.planning import RunRequest, make_plan, notes_on, work_of
from actors.progress import FailedCall, Progress
from actors.pulse import Pulse
from actors.run_file import RunSettings
from actors.sources import read_sources
from actors.stop_signals import stop_signals
from actors.tally import Extent, Tally
from ecologies.panel import generate
from ecologies.panel_file import Panel, encode
from erpsim.errors import ModelsError, ProblemError, RunError, WorkError
from tests.actors.samples import call_record, firm_records

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


def test_a_plan_names_only_the_models_that_have_a_seat() -> None:
    seated = make_plan(RunRequest(problems="1", lineup=("growth", "standin/c*2", "standin/a")), RunSettings())
    assert seated.models == ("standin/a", "standin/c")
    assert len(work_of(seated, read_sources(RunSettings())).units) == 1
    rules = make_plan(RunRequest(problems="1", lineup=("growth", "balanced")), RunSettings())
    assert rules.models == ()
    assert len(work_of(rules, read_sources(RunSettings())).units) == 1
    both = RunRequest(problems="1", lineup=("growth", "standin/c"), ecologies=("solo", "mixed"))
    assert len(make_plan(both, RunSettings()).models) == 6


def test_faults_that_make_no_sense_are_refused_with_the_plan() -> None:
    with pytest.raises(ModelsError, match="fault '429' is none; write KIND=CHANCE"):
        make_plan(RunRequest(), RunSettings(standin_faults=("429",)))


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
        (RunRequest(ecologies=("solo", "")), WorkError, "unknown ecology ''"),
        (RunRequest(ecologies=("solo", "arena", "solo")), WorkError, "ecology 'solo' is asked for twice"),
        (RunRequest(lineup=("nobody", "balanced")), WorkError, "nobody"),
        (RunRequest(lineup=("growth", "", "balanced")), WorkError, "unknown policy ''"),
        (RunRequest(lineup=("growth", "balanced"), ecologies=("solo",)), WorkError, "add mixed to them"),
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


def test_g3_23_a_missing_key_is_told_before_a_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_KEY_OF_A_TEST", raising=False)
    (tmp_path / "models.toml").write_text(MODELS)
    settings = RunSettings(models_path=str(tmp_path / "models.toml"))
    plan = make_plan(RunRequest(problems="1"), settings)
    with pytest.raises(ModelsError, match=r"LAB_KEY_OF_A_TEST \(model 'lab/one'\); set each variable"):
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


def test_status_counts_attempts_without_a_reply_and_names_the_last(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    records = [
        call_record(),
        call_record(error_class="content_filter", status=400),
        call_record(error_class="rate", status=429, model="first"),
        call_record(error_class="network", status=None, model="dead"),
        call_record(),
    ]
    journal = Journal(tmp_path / "run" / "journal.db", writable=True)
    journal.write([call_entry(record, Writer("life", number)) for number, record in enumerate(records)])
    journal.close()
    progress = driver.status(tmp_path / "run")
    assert (progress.calls, progress.calls_failed, progress.throttled) == (5, 2, 1)
    assert progress.last_failed == FailedCall("network", "dead")


def test_a_tally_kept_up_to_date_counts_failures_as_one_that_is_read(tmp_path: Path) -> None:
    records = [call_record(), call_record(error_class="network", status=None, model="dead"), call_record()]
    entries = [call_entry(record, Writer("life", number)) for number, record in enumerate(records)]
    tally = Tally()
    tally.add(entries, [True, True, True])
    journal = Journal(tmp_path / "journal.db", writable=True)
    journal.write(entries)
    journal.close()
    extent = Extent(1, 6)
    assert tally.progress(extent) == Tally.of(tmp_path / "journal.db").progress(extent)
    assert tally.progress(extent).last_failed == FailedCall("network", "dead")


def test_a_tally_kept_up_to_date_counts_money_as_one_that_is_read_and_a_quota_only_in_its_own_play(
    tmp_path: Path,
) -> None:
    records = [
        call_record(cost_usd=0.25),
        call_record(cost_usd=None),
        call_record(error_class="timeout", cost_usd=None),
        call_record(error_class="rate", cost_usd=0.5),
        call_record(error_class="content_filter", status=400, cost_usd=None),
        call_record(error_class="quota", status=429, cost_usd=None, model="poor"),
    ]
    entries = [call_entry(record, Writer("life", number)) for number, record in enumerate(records)]
    tally = Tally()
    tally.add(entries, [True] * len(entries))
    tally.add(entries[:1], [False])  # written again
    journal = Journal(tmp_path / "journal.db", writable=True)
    journal.write(entries)
    journal.close()
    progress = tally.progress(Extent(1, 6))
    assert (progress.reckoned_usd, progress.unpriced, progress.cost_usd) == (0.75 + 0.5, 1, None)
    assert progress.quota_spent == ("poor",)
    assert Tally.of(tmp_path / "journal.db").progress(Extent(1, 6)) == replace(progress, quota_spent=())


def test_a_budget_without_prices_is_refused_before_a_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY_OF_A_TEST", "x")
    (tmp_path / "models.toml").write_text(MODELS)
    settings = RunSettings(models_path=str(tmp_path / "models.toml"), budget_usd=5.0)
    plan = make_plan(RunRequest(problems="1"), settings)
    with pytest.raises(ModelsError, match=r"model 'lab/one': prices\.input, .*; state them in the models file"):
        driver.play(tmp_path / "run", plan, settings, ignore)
    assert not (tmp_path / "run").exists()


def test_a_run_whose_budget_is_spent_is_not_begun_again_and_says_so(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    journal = Journal(tmp_path / "run" / "journal.db", writable=True)
    journal.write([call_entry(call_record(cost_usd=5.25), Writer("life", 1))])
    journal.close()
    with pytest.raises(RunError, match=r"the budget is spent: 5\.25 of 5\.00 USD; go on with a higher one"):
        driver.resume(tmp_path / "run", ignore, RunSettings(budget_usd=5.0))
    assert driver.status(tmp_path / "run").budget_usd == 5.0


def test_a_budget_that_is_not_spent_lets_the_markets_play_and_one_that_is_ends_the_run_as_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path / "run")

    def play_markets(folder: Path, play: object) -> None:
        del play
        journal = Journal(folder / "journal.db", writable=True)
        journal.write([call_entry(call_record(cost_usd=5.25), Writer("life", 1))])
        journal.close()

    monkeypatch.setattr(driver, "play_markets", play_markets)
    summary = driver.resume(tmp_path / "run", ignore, RunSettings(budget_usd=5.0))
    assert not summary.complete
    assert not summary.interrupted
    assert summary.stops == ("the budget is spent: 5.25 of 5.00 USD; no further call was made",)
    assert run_file.load(tmp_path / "run").run_id == run_file.run_id_of(run_file.load(tmp_path / "run").plan)


def test_status_needs_neither_models_file_nor_panel_file(tmp_path: Path) -> None:
    models, panel = tmp_path / "models.toml", tmp_path / "panel.json"
    models.write_text(MODELS)
    panel.write_bytes(encode(Panel(1, "own", generate(7, 3, 2))))
    settings = RunSettings(models_path=str(models), panel_path=str(panel))
    request = RunRequest(problems="2", ecologies=("solo", "mixed"), lineup=("growth", "lab/one"), trials=2)
    run_file.create(tmp_path / "run", make_plan(request, settings), settings)
    progress = driver.status(tmp_path / "run")
    assert (progress.markets_total, progress.rounds_total) == (8, 16)
    models.unlink()
    panel.write_bytes(encode(Panel(1, "another", generate(8, 3, 4))))
    assert driver.status(tmp_path / "run") == replace(progress, rounds_total=None)
    panel.unlink()
    assert driver.status(tmp_path / "run") == replace(progress, rounds_total=None)


def test_records_without_their_journal_are_never_played_anew(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    (tmp_path / "run" / "records").mkdir()
    expected = r"journal\.db: not found, though .*records is there; put the journal back, or start a new run"
    with pytest.raises(RunError, match=expected):
        driver.resume(tmp_path / "run", ignore)
    assert not (tmp_path / "run" / "journal.db").exists()
    with pytest.raises(RunError, match=expected):
        driver.status(tmp_path / "run")


def test_the_last_stages_tell_what_was_played_until_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = begun(tmp_path / "run")

    def play_markets(folder: Path, play: object) -> None:
        del play
        journal = Journal(folder / "journal.db", writable=True)
        for unit in work_of(made.plan, read_sources(RunSettings())).units:
            journal.write([commit_entry(unit.market.market_id, number, last=number == 6) for number in range(1, 7)])
        journal.close()

    monkeypatch.setattr(driver, "play_markets", play_markets)
    told: list[tuple[str, int]] = []
    driver.resume(tmp_path / "run", lambda progress: told.append((progress.stage, progress.markets_done)))
    assert told == [("writing records", 2), ("done", 2)]


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
