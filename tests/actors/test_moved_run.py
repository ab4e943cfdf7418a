"""A run in another place than where it was made goes on, replays, reports, verifies, shows; what it lacks is named."""

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from actors import driver, run_file
from actors.progress import Progress
from actors.run_file import RunSettings
from actors.sources import found_again, keep_sources, require_replayed
from actors.verification import verify
from erpbench import exits, report_files
from erpbench.__main__ import app
from erpsim.errors import RunError
from tests.security.hostile_run import make_nasty_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete run with a models file and a panel beside it, moved away from where it was made."""
    folder = tmp_path_factory.mktemp("made")
    make_nasty_run(folder)
    return folder.rename(folder.parent / "elsewhere")


@pytest.fixture
def along(made: Path, tmp_path: Path) -> Path:
    """The run, moved along with its files."""
    shutil.copytree(made, tmp_path / "along")
    return tmp_path / "along" / "run"


@pytest.fixture
def alone(made: Path, tmp_path: Path) -> Path:
    """The run folder alone."""
    shutil.copytree(made / "run", tmp_path / "alone" / "run")
    return tmp_path / "alone" / "run"


def ignore(progress: Progress) -> None:
    del progress


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_run_moved_along_with_its_files_goes_on_and_verifies(along: Path) -> None:
    assert driver.resume(along, ignore).complete
    assert driver.status(along).rounds_total == 2 * 7
    assert asyncio.run(verify(along, lambda done, total: None)).holds


def test_a_run_moved_along_with_its_files_replays(along: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[RunSettings] = []
    monkeypatch.setattr(driver, "play", lambda folder, plan, settings, listener: asked.append(settings))
    driver.replay(along, along.parent / "again", RunSettings(), ignore)
    (settings,) = asked
    assert settings.panel_path == str(along.parent / "panel.json")
    assert settings.models_path == str(along.parent / "models.toml")
    assert settings.replay_path == str(along)


@pytest.mark.parametrize("name", ["along", "alone"])
def test_a_moved_run_is_shown_and_its_progress_told(name: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(name)
    assert command("show", folder, "arena/P001", "0", "1").exit_code == exits.DONE
    result = command("status", folder, "--json")
    assert result.exit_code == exits.DONE
    assert json.loads(result.stdout)["progress"]["markets_done"] == 7


def test_a_run_moved_along_with_its_files_is_reported(along: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_files, "drawn", lambda _report: {})
    assert command("report", along).exit_code == exits.DONE


@pytest.mark.parametrize("asked", ["resume", "verify", "report", "replay"])
def test_a_run_without_its_panel_names_it_and_the_ways_to_hand_it_over(alone: Path, asked: str) -> None:
    more = ("--out", alone.parent / "again") if asked == "replay" else ()
    result = command(asked, alone, *more)
    assert result.exit_code == exits.BAD_USE, result.output
    assert result.stderr.startswith(f"error: {alone}: the run needs its panel ")
    assert "panel.json, which is not there; put a copy of it into the run folder, or say where it is: --panel FILE" in (
        result.stderr
    )
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("asked", ["resume", "verify", "replay"])
def test_a_run_without_its_models_file_names_it_and_the_ways_to_hand_it_over(
    alone: Path, made: Path, asked: str
) -> None:
    more = ("--out", alone.parent / "again") if asked == "replay" else ()
    result = command(asked, alone, "--panel", made / "panel.json", *more)
    assert result.exit_code == exits.BAD_USE, result.output
    assert "the run needs its models file " in result.stderr
    assert "say where it is: --models FILE" in result.stderr


def test_a_run_goes_on_with_the_files_that_are_handed_over_and_remembers_them(alone: Path, made: Path) -> None:
    files = ("--models", made / "models.toml", "--panel", made / "panel.json")
    assert command("verify", alone, *files).exit_code == exits.DONE
    assert command("resume", alone, "--no-report", *files).exit_code == exits.DONE
    assert run_file.load(alone).settings.models_path == str(made / "models.toml")
    assert command("verify", alone).exit_code == exits.DONE


def test_copies_in_the_run_folder_are_enough(alone: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_files, "drawn", lambda _report: {})
    shutil.copy(made / "panel.json", alone)
    assert command("report", alone).exit_code == exits.DONE  # the models file is not needed for it
    shutil.copy(made / "models.toml", alone)
    assert command("verify", alone).exit_code == exits.DONE
    assert command("resume", alone, "--no-report").exit_code == exits.DONE


def test_the_copies_that_a_run_keeps_of_its_files_are_enough(alone: Path, made: Path) -> None:
    keep_sources(alone, here_of(made))
    assert sorted(path.name for path in alone.glob("[mp]*.*")) == ["models.toml", "panel.json"]
    for path in ("panel.json", "models.toml"):
        assert (alone / path).read_bytes() == (made / path).read_bytes()
    assert command("verify", alone).exit_code == exits.DONE
    assert command("resume", alone, "--no-report").exit_code == exits.DONE


def test_files_at_their_own_place_go_before_their_copies(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "mine.json").write_text("as edited")
    (run / "panel.json").write_text("as it was")
    settings = RunSettings(panel_path=str(tmp_path / "mine.json"))
    assert found_again(run, settings).panel_path == str(tmp_path / "mine.json")
    (tmp_path / "mine.json").unlink()
    assert found_again(run, settings).panel_path == str(run / "panel.json")


def test_a_run_that_ships_with_the_project_keeps_no_copy(tmp_path: Path) -> None:
    keep_sources(tmp_path, RunSettings())
    assert list(tmp_path.iterdir()) == []


def test_a_copy_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{}")
    with pytest.raises(RunError, match=r"panel\.json: the copy of .*mine\.json cannot be written \(No such file"):
        keep_sources(tmp_path / "gone", RunSettings(panel_path=str(tmp_path / "mine.json")))


def test_a_resume_that_refuses_an_edited_file_names_the_copy_that_the_run_keeps(along: Path, made: Path) -> None:
    keep_sources(along, here_of(made))
    changed_models(along, 'model = "constructor"', 'model = "constructor-2"')
    result = command("resume", along, "--models", along.parent / "models.toml")
    assert result.exit_code == exits.BAD_USE
    copy = along / "models.toml"
    assert f"Put that back (the run keeps what it was begun with: --models {copy}), or accept" in result.stderr
    assert command("resume", along, "--no-report", "--models", copy).exit_code == exits.DONE


def here_of(made: Path) -> RunSettings:
    return RunSettings(panel_path=str(made / "panel.json"), models_path=str(made / "models.toml"))


def replaying(along: Path, recorded: Path) -> Path:
    """Have a run be a replay of another one."""
    found = run_file.load(along)
    run_file.save(along, replace(found, settings=replace(found.settings, replay_path=str(recorded))))
    return along


def test_a_replay_finds_the_run_that_it_replays_beside_it(along: Path) -> None:
    shutil.copytree(along, along.parent / "first")
    replaying(along, Path("/nowhere/runs/first"))
    assert found_again(along, run_file.load(along).settings).replay_path == str(along.parent / "first")
    assert command("resume", along, "--no-report").exit_code == exits.DONE


def test_a_replay_without_the_run_that_it_replays_names_it_and_the_way_to_hand_it_over(along: Path) -> None:
    shutil.copytree(along, along.parent / "renamed")
    replaying(along, along.parent / "first")
    assert command("resume", along, "--no-report").exit_code == exits.DONE  # nothing is left to play
    with closing(sqlite3.connect(along / "journal.db")) as connection:
        connection.execute("DELETE FROM commits WHERE market_id = 'arena/P001' AND round = 2")
        connection.commit()
    result = command("resume", along)
    assert result.exit_code == exits.BAD_USE
    assert f"the run takes its replies from {along.parent / 'first'}, which holds no journal.db" in result.stderr
    assert "say where it is: --replay RUN" in result.stderr
    settings = replace(run_file.load(along).settings, replay_path=str(along.parent / "renamed"))
    require_replayed(along, found_again(along, settings))


@pytest.mark.parametrize("asked", ["resume", "verify", "replay"])
def test_other_files_of_the_same_name_are_refused(alone: Path, made: Path, asked: str) -> None:
    document: Any = json.loads((made / "panel.json").read_text())
    document["problems"][0]["seed"] += 1
    (alone / "panel.json").write_text(json.dumps(document))
    shutil.copy(made / "models.toml", alone)
    more = ("--out", alone.parent / "again") if asked == "replay" else ()
    result = command(asked, alone, *more)
    assert result.exit_code == exits.BAD_USE
    assert "panel_digest: the run has " in result.stderr


def changed_models(folder: Path, old: str, new: str) -> None:
    path = folder.parent / "models.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_resume_tells_other_rules(along: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = run_file.load(along).plan.rules_version
    monkeypatch.setattr("actors.planning.RULES_VERSION", "9.9.9")
    with pytest.raises(RunError, match=rf'rules_version: the run has "{before}", here it is "9\.9\.9"\. Put that back'):
        driver.resume(along, ignore)


def test_resume_tells_another_panel(along: Path) -> None:
    path = along.parent / "panel.json"
    path.write_text(path.read_text().replace('"horizon":2', '"horizon":3'))
    with pytest.raises(RunError, match=r"as it was begun: panel_digest: the run has .*--accept-changes"):
        driver.resume(along, ignore)


def test_resume_tells_other_prompts(along: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.planning.prompts_digest", lambda: "other")
    with pytest.raises(RunError, match=r'prompts_digest: the run has .* here it is "other"\. Put that back'):
        driver.resume(along, ignore)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('model = "constructor"', 'model = "constructor-2"'),
        ('model = "constructor"', 'model = "constructor"\nsampling = { temperature = 0.3 }'),
        ("http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"),
    ],
)
def test_resume_tells_another_models_file(along: Path, old: str, new: str) -> None:
    changed_models(along, old, new)
    with pytest.raises(RunError, match=r"as it was begun: models_digest: the run has "):
        driver.resume(along, ignore)


def test_resume_tells_a_model_that_is_gone(along: Path) -> None:
    changed_models(along, '[models."constructor"]', '[models."renamed"]')
    result = command("resume", along)
    assert result.exit_code == exits.BAD_USE
    assert "models.toml: no model is labelled 'constructor'; known: " in result.stderr


def test_resume_takes_a_models_file_that_says_the_same_otherwise(along: Path) -> None:
    changed_models(along, '[models."constructor"]', '# a remark\n\n[models."constructor"]')
    assert driver.resume(along, ignore).complete


def test_resume_goes_on_with_changes_that_are_accepted_and_writes_them_down_once(
    along: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.planning.prompts_digest", lambda: "other")
    assert driver.resume(along, ignore, accept_changes=True).complete
    (change,) = run_file.load(along).changes
    assert change.startswith('prompts_digest: the run has "')
    assert change.endswith('here it is "other"')
    assert driver.resume(along, ignore, accept_changes=True).complete
    assert run_file.load(along).changes == (change,)


def test_accepted_changes_are_told_by_verify_and_by_the_report(along: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.planning.prompts_digest", lambda: "other")
    driver.resume(along, ignore, accept_changes=True)
    monkeypatch.undo()
    with pytest.raises(RunError, match=r"no one set-up gives the records of this run, which went on although"):
        asyncio.run(verify(along, lambda done, total: None))
    with pytest.raises(RunError, match=r"no one set-up gives the records of this run, which went on although"):
        driver.replay(along, along.parent / "again", RunSettings(), ignore)
    report = report_files.build_report([along])
    assert any(remark.startswith("Not of one set-up: ") and '"other"' in remark for remark in report.remarks)
    assert '"other"' in report.figures["certificate"]["run"]["changes"]


def test_a_run_of_one_set_up_has_no_word_of_changes(along: Path) -> None:
    assert "changes" not in (along / "run.toml").read_text()
    report = report_files.build_report([along])
    assert not any("set-up" in remark for remark in report.remarks)
    assert "changes" not in report.figures["certificate"]["run"]


@pytest.mark.parametrize(("old", "new"), [("reasks = 1", "reasks = 0"), ("tool_turns = 6", "tool_turns = 7")])
def test_resume_refuses_a_plan_that_was_edited(along: Path, old: str, new: str) -> None:
    path = along / "run.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(RunError, match="the plan was edited: put it back, or start a new run"):
        driver.resume(along, ignore)
