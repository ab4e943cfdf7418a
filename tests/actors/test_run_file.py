import dataclasses
from pathlib import Path

import pytest

from actors import run_file
from actors.run_file import RunPlan, RunSettings
from erpsim.errors import RunError

PLAN = RunPlan(
    rules_version="1.0.0",
    panel_digest="aa",
    models_digest="bb",
    prompts_digest="cc",
    problems=("P001", "P002"),
    ecologies=("solo", "arena"),
    models=("standin/a", 'odd "label" \\ é'),
)


def test_a_run_file_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    settings = RunSettings(panel_path="a\tb\x7f.json", delay=0.0, shards=2)
    made = run_file.create(tmp_path / "run", PLAN, settings, created="2030-01-01T00:00:00Z")
    assert run_file.load(tmp_path / "run") == made
    assert made.plan == PLAN
    assert made.settings == settings


def test_the_run_id_is_twelve_hex_digits_of_the_plan_alone(tmp_path: Path) -> None:
    first = run_file.create(tmp_path / "a", PLAN, RunSettings(), created="now")
    second = run_file.create(tmp_path / "b", PLAN, RunSettings(shards=4, delay=1.0), created="later")
    assert first.run_id == second.run_id == run_file.run_id_of(PLAN)
    assert len(first.run_id) == 12
    assert int(first.run_id, 16) >= 0


@pytest.mark.parametrize(
    "changed",
    [{"rules_version": "1.0.1"}, {"problems": ("P002", "P001")}, {"trials": 2}, {"standin_seed": 1}, {"reasks": 0}],
)
def test_whatever_determines_the_run_moves_its_id(changed: dict[str, object]) -> None:
    assert run_file.run_id_of(dataclasses.replace(PLAN, **changed)) != run_file.run_id_of(PLAN)  # type: ignore[arg-type]


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    run_file.create(tmp_path / "run", PLAN, RunSettings())
    with pytest.raises(RunError, match="holds a run already; go on with it"):
        run_file.create(tmp_path / "run", PLAN, RunSettings())


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(RunError, match=r"holds 'thesis\.tex', a run folder starts empty"):
        run_file.create(tmp_path, PLAN, RunSettings())


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot be made or read"):
        run_file.create(tmp_path / "file", PLAN, RunSettings())


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is no run folder; name one made by"):
        run_file.load(tmp_path)


def test_an_unreadable_run_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.toml").mkdir()
    with pytest.raises(RunError, match="cannot be read"):
        run_file.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("trials = 1", "trials = 0", r"plan\.trials is 0"),
        ("trials = 1", "trials = ", "is no TOML"),
        ("trials = 1", "trails = 1", r"plan\.trails"),
        ("trials = 1", "trials = 2", "the plan was edited"),
        ('"P001"', "1", r"plan\.problems\.0"),
    ],
)
def test_an_edited_run_file_is_refused_with_the_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    run_file.create(tmp_path, PLAN, RunSettings())
    path = tmp_path / "run.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(RunError, match=message):
        run_file.load(tmp_path)


def test_differences_name_each_value_that_changed() -> None:
    other = dataclasses.replace(PLAN, rules_version="2.0.0", models=("x",))
    found = run_file.differences(PLAN, other)
    assert found[0] == 'rules_version: the run has "1.0.0", here it is "2.0.0"'
    assert [line.split(":")[0] for line in found] == ["rules_version", "models"]
    assert run_file.differences(PLAN, PLAN) == []
