"""`run`, `resume` and `status` over a driver that plays by formula."""

import json
from pathlib import Path

import pytest

from actors import driver
from actors.entries import Spent, commit_entry, timing_entry
from actors.journal import Journal
from actors.progress import Listener, Progress
from actors.run_file import JOURNAL_NAME, RunSettings
from actors.summary import Summary
from erpbench import exits
from erpsim.errors import ProviderError
from tests.erpbench.conftest import Command
from tests.erpbench.fake_driver import FakeDriver


def _folder() -> Path:
    (folder,) = Path("runs").iterdir()
    return folder


def test_run_without_options_plays_six_problems_in_both_ecologies(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run")
    assert result.exit_code == exits.DONE, result.output
    ((plan, settings),) = played.asked
    assert len(plan.problems) == 6
    assert plan.ecologies == ("solo", "arena")
    assert len(plan.models) == 6
    assert settings.models_path is None
    assert "solo 36 of 36 trajectories, 216 of 216 model rounds" in result.output
    assert "arena 36 of 36 trajectories, 216 of 216 model rounds" in result.output
    assert "standin/a (stand-in)" in result.output
    assert f"{_folder()}/report/index.html" in result.output
    assert f"Records: {_folder()}/records\n" in result.output


def test_run_writes_the_report_in_markdown_and_json(erpbench: Command, played: FakeDriver) -> None:
    erpbench("run", "--problems", "2", "--out", "here")
    page = Path("here/report/report.md").read_text(encoding="utf-8")
    figures = json.loads(Path("here/report/report.json").read_text(encoding="utf-8"))
    assert "## Valuation and rank" in page
    # Seat 5 in round 6 is worth 11 million, and no seat more.
    assert figures["models"]["standin/f"]["arena"]["mean_valuation_m"] == 11.0
    assert figures["models"]["standin/f"]["arena"]["mean_rank"] == 1.0
    assert figures["models"]["standin/a"]["solo"]["mean_valuation_m"] == 6.0
    assert figures["certificate"]["standins"] == [f"standin/{letter}" for letter in "abcdef"]
    assert (figures["agreement"]["same_winner"], figures["agreement"]["n_problems"]) == (2, 2)
    assert "<title>ERPBench run" in Path("here/report/index.html").read_text(encoding="utf-8")


def test_progress_goes_to_the_error_stream_and_results_to_the_output(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--problems", "1")
    assert "starting Ray: 0 of 7 markets done" in result.stderr
    assert "playing: 7 of 7 markets done" in result.stderr
    assert "starting Ray" not in result.stdout
    assert "Valuation and rank" in result.stdout


def test_json_is_the_whole_output(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--problems", "1", "--json")
    document = json.loads(result.stdout)
    assert document["complete"] is True
    assert document["report"]["coverage"]["complete"] is True
    assert document["progress"]["markets_total"] == 7
    assert Path(document["folder"]).is_dir()


def test_without_a_report_none_is_written(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--problems", "1", "--no-report", "--out", "here")
    assert result.exit_code == exits.DONE
    assert not Path("here/report").exists()
    assert "Valuation" not in result.output


def test_what_is_given_reaches_plan_and_settings(erpbench: Command, played: FakeDriver) -> None:
    options = ["--ecology", "solo", "--trials", "2", "--seed", "3", "--delay", "0", "--shards", "2", "--in-flight", "5"]
    more = ["--infra-fallback", "--dashboard", "--proxies", "--fault", "429=0.1", "--address", "10.0.0.1:6379"]
    result = erpbench("run", "--problems", "P001,P050", *options, *more)
    assert result.exit_code == exits.DONE, result.output
    ((plan, settings),) = played.asked
    assert (plan.problems, plan.ecologies, plan.trials) == (("P001", "P050"), ("solo",), 2)
    assert (plan.standin_seed, plan.infra_fallback) == (3, True)
    assert settings.delay == 0
    assert (settings.shards, settings.in_flight, settings.dashboard) == (2, 5, True)
    assert (settings.use_proxies, settings.standin_faults, settings.address) == (True, ("429=0.1",), "10.0.0.1:6379")


def test_a_lineup_plays_a_mixed_market_with_a_table_of_seats(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--problems", "1", "--lineup", "standin/a*2,standin/b,balanced")
    assert result.exit_code == exits.DONE, result.output
    assert played.asked[0][0].ecologies == ("mixed",)
    assert "standin/a#0 (stand-in)" in result.output
    assert "standin/a#1 (stand-in)" in result.output


def test_a_lineup_of_rules_alone_lists_no_model(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--problems", "1", "--lineup", "growth,balanced", "--out", "here")
    assert result.exit_code == exits.DONE, result.output
    assert played.asked[0][0].models == ()
    assert "standin/" not in result.output
    assert "standin/" not in Path("here/report/report.json").read_text(encoding="utf-8")


def test_a_market_given_up_ends_with_one_and_its_cause(erpbench: Command, played: FakeDriver) -> None:
    played.broken = ("arena/P001",)
    result = erpbench("run", "--problems", "P001,P002")
    assert result.exit_code == exits.INCOMPLETE
    assert "failed: arena/P001: overloaded" in result.output
    assert "arena 6 of 12 trajectories" in result.output
    assert "6 missing: standin/a in arena/P001 (overloaded)" in result.output
    assert "Missing trajectories" in result.output
    assert f"erpbench resume {_folder()}" in result.output


def test_an_interrupted_run_ends_with_130_and_says_how_to_go_on(erpbench: Command, played: FakeDriver) -> None:
    played.interrupted = True
    result = erpbench("run", "--problems", "1")
    assert result.exit_code == exits.INTERRUPTED
    assert f"erpbench resume {_folder()}" in result.output
    assert "Records:" not in result.output


def test_an_interrupt_outside_the_play_ends_with_130(erpbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(driver, "play", interrupted)
    assert erpbench("run").exit_code == exits.INTERRUPTED


def test_an_error_on_purpose_is_one_line_without_control_characters(
    erpbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise ProviderError("the server says \x1b[2J[bold]no[/bold]; mend the key")

    monkeypatch.setattr(driver, "play", refused)
    result = erpbench("run")
    assert result.exit_code == exits.REFUSED
    assert result.stderr == "error: the server says \\x1b[2J[bold]no[/bold]; mend the key\n"


def test_resume_goes_on_with_the_runs_own_settings(erpbench: Command, played: FakeDriver) -> None:
    played.broken = ("arena",)
    assert erpbench("run", "--problems", "1", "--out", "here", "--in-flight", "9").exit_code == exits.INCOMPLETE
    played.broken = ()
    result = erpbench("resume", "here", "--delay", "0")
    assert result.exit_code == exits.DONE, result.output
    assert played.asked[1][1].in_flight == 9
    assert played.asked[1][1].delay == 0
    assert "arena 6 of 6 trajectories" in result.output


def test_status_says_how_far_a_run_is(erpbench: Command, played: FakeDriver) -> None:
    erpbench("run", "--problems", "1", "--out", "here")
    result = erpbench("status", "here")
    assert result.exit_code == exits.DONE
    assert "7 of 7 markets done" in result.output
    assert "reask: 2" in result.output
    played.broken = ("arena",)
    result = erpbench("status", "here", "--json")
    assert result.exit_code == exits.INCOMPLETE
    assert json.loads(result.stdout)["progress"]["markets_failed"] == 1


@pytest.mark.usefixtures("played")
def test_status_says_where_the_time_went(erpbench: Command) -> None:
    erpbench("run", "--problems", "1", "--out", "here")
    assert "waiting of all firms" not in erpbench("status", "here").output
    journal = Journal(Path("here") / JOURNAL_NAME, writable=True)
    timed = timing_entry("arena/P001", 1, 0, Spent(model_s=60.0, overhead_s=20.0))
    journal.write([commit_entry("arena/P001", 1, last=False), timed])
    journal.close()
    assert "waiting of all firms and markets 1:20: " in erpbench("status", "here").output
    spent = json.loads(erpbench("status", "here", "--json").stdout)["time_s"]
    assert (spent["model"], spent["overhead"], sum(spent.values())) == (60.0, 20.0, 80.0)


def test_an_arena_that_cannot_be_seated_is_noted(erpbench: Command, played: FakeDriver) -> None:
    Path("two.toml").write_text(
        "".join(f'[models."{label}"]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n' for label in "xy")
    )
    result = erpbench("run", "--problems", "1", "--models", "two.toml")
    assert result.exit_code == exits.DONE, result.output
    assert "note: Arena is left out" in result.stderr
    assert played.asked[0][0].ecologies == ("solo",)


def test_a_budget_is_a_setting_of_the_play_and_a_resume_may_raise_it(erpbench: Command, played: FakeDriver) -> None:
    played.broken = ("arena",)
    assert erpbench("run", "--problems", "1", "--out", "here", "--budget", "2.5").exit_code == exits.INCOMPLETE
    assert erpbench("resume", "here", "--budget", "10").exit_code == exits.INCOMPLETE
    assert [settings.budget_usd for _, settings in played.asked] == [2.5, 10.0]
    assert len({plan for plan, _ in played.asked}) == 1


@pytest.mark.parametrize("sum_", ["0", "-1", "nan", "inf"])
def test_a_budget_that_is_no_sum_of_money_is_refused(erpbench: Command, played: FakeDriver, sum_: str) -> None:
    result = erpbench("run", "--budget", sum_)
    assert result.exit_code == exits.BAD_USE
    assert "give one above 0" in " ".join(result.stderr.split())
    assert played.asked == []


def test_a_run_that_was_stopped_says_why_and_how_to_go_on(erpbench: Command, played: FakeDriver) -> None:
    played.broken = ("arena",)
    played.spent_usd = 2.75
    played.stops = ("the budget is spent: 2.75 of 2.50 USD; no further call was made",)
    result = erpbench("run", "--problems", "1", "--out", "here", "--budget", "2.5")
    assert result.exit_code == exits.INCOMPLETE
    assert "stopped: the budget is spent: 2.75 of 2.50 USD" in result.stdout
    assert "Go on:   erpbench resume here --budget 5.50" in result.stdout
    document = json.loads(erpbench("resume", "here", "--json").stdout)
    assert document["stops"] == list(played.stops)
    assert document["progress"]["reckoned_usd"] == 2.75


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, Path, RunSettings]]:
    """Put a fake in the place of the driver's replay, and give what it was asked for."""
    asked: list[tuple[Path, Path, RunSettings]] = []

    def replay(recorded: Path, folder: Path, settings: RunSettings, listener: Listener) -> Summary:
        asked.append((recorded, folder, settings))
        return Summary("0" * 12, folder, Progress("done"), complete=True)

    monkeypatch.setattr(driver, "replay", replay)
    return asked


def test_run_and_replay_play_a_run_again_alike(
    erpbench: Command, replayed: list[tuple[Path, Path, RunSettings]]
) -> None:
    more = ("--out", "again", "--shards", "2", "--panel", "mine.json", "--no-report")
    assert erpbench("run", "--replay", "first", *more).exit_code == exits.DONE
    assert erpbench("replay", "first", *more).exit_code == exits.DONE
    first, second = replayed
    assert first == second == (Path("first"), Path("again"), RunSettings(panel_path="mine.json", shards=2))


@pytest.mark.parametrize(
    "more", [("--problems", "6"), ("--budget", "4"), ("--address", "auto"), ("--dry-run",), ("--no-preflight",)]
)
def test_run_refuses_beside_a_replay_what_that_settles(
    erpbench: Command, replayed: list[tuple[Path, Path, RunSettings]], more: tuple[str, ...]
) -> None:
    result = erpbench("run", "--replay", "first", *more)
    assert result.exit_code == exits.BAD_USE
    assert (
        f"{more[0]} says what is played or how models are called, and --replay plays what was played" in result.stderr
    )
    assert not replayed
