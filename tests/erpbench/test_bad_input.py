"""Bad input: one clear line that names value, bound and mend, exit code 2, no traceback, and nothing written."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest
from typer.testing import Result

from actors.planning import RunRequest
from ecologies.panel_file import Panel, encode
from erpbench import exits
from tests.actors.scripts import short_problems
from tests.actors.standin_games import make_run
from tests.erpbench.conftest import Command
from tests.erpbench.fake_driver import FakeDriver

MODELS = '[models."x"]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'


def _refused(result: Result, *parts: str) -> None:
    assert result.exit_code == exits.BAD_USE, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1, result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""
    for part in parts:
        assert part in result.stderr


@pytest.mark.parametrize(
    ("choice", "parts"),
    [
        ("0", ("0 problems", "ask for 1 to 100")),
        ("-3", ("-3 problems", "ask for 1 to 100")),
        ("101", ("101 problems", "ask for 1 to 100")),
        ("abc", ("unknown problem 'abc'", "such as P")),
        ("P001,P999", ("unknown problem 'P999'", "such as P")),
        ("P001,P001", ("'P001' is asked for twice", "name it once")),
        ("", ("unknown problem ''",)),
    ],
)
def test_a_choice_of_problems_that_makes_no_sense(
    erpbench: Command, played: FakeDriver, choice: str, parts: tuple[str, ...]
) -> None:
    _refused(erpbench("run", "--problems", choice), *parts)
    assert not Path("runs").exists()
    assert played.asked == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("this is no toml", ("is no TOML", "line 1")),
        ("", ("names no model", "base_url and model")),
        ('[models."x"]\nmodel = "m"\n', ("'base_url' is missing", "add it")),
        ('[models."x"]\nbase_url = "nowhere"\nmodel = "m"\n', ("base_url", "https://host/v1")),
        (MODELS + "sampling = { temperature = 9.0 }\n", ("temperature", "9.0", "2", "mend it")),
        (MODELS + "temprature = 1.0\n", ("unknown key 'temprature'", "known:")),
        (MODELS + 'api_key = "abcdef"\n', ("api_key", "api_key_env")),
    ],
)
@pytest.mark.parametrize("command", [("run",), ("models", "list"), ("models", "check")])
def test_a_malformed_models_file(
    erpbench: Command, played: FakeDriver, text: str, parts: tuple[str, ...], command: tuple[str, ...]
) -> None:
    Path("models.toml").write_text(text)
    _refused(erpbench(*command, "--models", "models.toml"), "models.toml", *parts)
    assert played.asked == []


def test_a_models_file_that_is_not_there(erpbench: Command) -> None:
    _refused(erpbench("models", "check", "--models", "none.toml"), "none.toml: cannot be read", "name a models file")


def test_a_key_is_never_printed(erpbench: Command) -> None:
    Path("models.toml").write_text(MODELS + 'api_key = "canary-of-a-key"\n')
    assert "canary-of-a-key" not in erpbench("models", "check", "--models", "models.toml").output


def test_a_missing_key_names_variable_and_model(erpbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("models.toml").write_text(MODELS + 'api_key_env = "SOME_KEY"\n')
    monkeypatch.delenv("SOME_KEY", raising=False)
    _refused(erpbench("models", "check", "--models", "models.toml"), "SOME_KEY", "'x'", "set each variable")
    monkeypatch.setenv("SOME_KEY", "  ")
    _refused(erpbench("models", "check", "--models", "models.toml"), "SOME_KEY")
    monkeypatch.setenv("SOME_KEY", "canary-of-a-key")
    result = erpbench("models", "check", "--models", "models.toml")
    assert result.exit_code == exits.DONE
    assert "canary-of-a-key" not in result.output


def test_a_missing_key_stops_a_run_before_its_folder_is_made(
    erpbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("models.toml").write_text(MODELS + 'api_key_env = "SOME_KEY"\n')
    monkeypatch.delenv("SOME_KEY", raising=False)
    arguments = ("run", "--ecology", "solo", "--models", "models.toml", "--out", "here")
    _refused(erpbench(*arguments), "SOME_KEY (model 'x')", "set each variable")
    assert not Path("here").exists()


def test_a_name_that_is_still_to_be_set(erpbench: Command) -> None:
    Path("models.toml").write_text(MODELS.replace('"m"', '"SET-ME"'))
    _refused(erpbench("models", "check", "--models", "models.toml"), "SET-ME", "x", "write the name")


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"seed": "seven"}, ("problem P001", "seed", '"seven"', "integer")),
        ({"horizon": 6.5}, ("problem P001", "horizon", "6.5", "integer")),
        ({"market": [1]}, ("problem P001", "market", "[1]")),
        ({"horizon": 0}, ("problem P001", "horizon", "greater than or equal to 1")),
        ({"surprise": 1}, ("problem P001", "surprise", "remove it")),
    ],
)
@pytest.mark.parametrize("command", [("run",), ("problem", "list"), ("problem", "show", "P001")])
def test_wrong_types_in_a_users_panel(
    erpbench: Command, played: FakeDriver, change: dict[str, object], parts: tuple[str, ...], command: tuple[str, ...]
) -> None:
    assert erpbench("problem", "generate", "--seed", "1", "--count", "4", "--out", "panel.json").exit_code == exits.DONE
    document = json.loads(Path("panel.json").read_text())
    document["problems"][0] |= change
    Path("panel.json").write_text(json.dumps(document))
    _refused(erpbench(*command, "--panel", "panel.json"), "panel.json", *parts)
    assert played.asked == []


def test_every_fault_of_a_panel_has_a_line(erpbench: Command) -> None:
    erpbench("problem", "generate", "--seed", "1", "--count", "4", "--out", "panel.json")
    document = json.loads(Path("panel.json").read_text())
    for problem in document["problems"][:2]:
        problem["seed"] = "seven"
    Path("panel.json").write_text(json.dumps(document))
    result = erpbench("problem", "list", "--panel", "panel.json")
    assert result.exit_code == exits.BAD_USE
    first, second = result.stderr.splitlines()
    assert first.startswith("error: panel.json: problem P001")
    assert second.startswith("       panel.json: problem P002")


@pytest.mark.parametrize(
    ("lineup", "parts"),
    [
        ("standin/a,nobody", ("unknown policy 'nobody'", "known:", "balanced")),
        ("balanced", ("has 1 seat", "at least 2")),
        ("balanced*0,growth", ("takes no number of seats", "label*2")),
        ("balanced,,growth", ("unknown policy ''", "known:")),
        ("", ("unknown policy ''", "known:")),
        (",", ("unknown policy ''", "known:")),
        ("standin/a*99999999999999999999,growth", ("standin/a*99999999999999999999", "at most 10,000", "name fewer")),
    ],
)
def test_a_lineup_that_makes_no_sense(
    erpbench: Command, played: FakeDriver, lineup: str, parts: tuple[str, ...]
) -> None:
    _refused(erpbench("run", "--lineup", lineup), *parts)
    assert played.asked == []


@pytest.mark.parametrize(
    ("problem_id", "part"),
    [("P999", "unknown problem"), ("6", "not the id of one"), ("P001,P002", "not the id of one"), ("all", "name one")],
)
def test_a_problem_to_show_is_named_by_its_id(erpbench: Command, problem_id: str, part: str) -> None:
    _refused(erpbench("problem", "show", problem_id), part)


@pytest.mark.parametrize(
    ("ecology", "parts"),
    [
        ("solo,duel", ("unknown ecology 'duel'", "known: solo, arena, mixed")),
        ("solo,,arena", ("unknown ecology ''", "known:")),
        ("", ("unknown ecology ''", "known:")),
        ("solo, solo", ("ecology 'solo' is asked for twice", "name it once")),
    ],
)
def test_ecologies_that_make_no_sense(
    erpbench: Command, played: FakeDriver, ecology: str, parts: tuple[str, ...]
) -> None:
    _refused(erpbench("run", "--ecology", ecology), *parts)
    assert played.asked == []


def test_a_lineup_without_its_ecology(erpbench: Command, played: FakeDriver) -> None:
    arguments = ("run", "--lineup", "growth,balanced", "--ecology", "arena,solo")
    _refused(erpbench(*arguments), "arena, solo", "add mixed", "leave the line-up out")
    assert played.asked == []


@pytest.mark.parametrize(
    ("faults", "parts"),
    [(("429",), ("'429'", "KIND=CHANCE", "0-1")), (("429=0.1", "429=0.2"), ("'429=0.2'", "name each kind once"))],
)
def test_a_fault_that_makes_no_sense_stops_a_run_before_it_starts(
    erpbench: Command, played: FakeDriver, faults: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    _refused(erpbench("run", *(part for fault in faults for part in ("--fault", fault))), *parts)
    assert played.asked == []


def test_a_folder_that_holds_something_is_left_alone(erpbench: Command, played: FakeDriver) -> None:
    Path("here").mkdir()
    Path("here/thesis.txt").write_text("mine")
    _refused(erpbench("run", "--problems", "1", "--out", "here"), "here", "'thesis.txt'", "choose another")
    assert [path.name for path in Path("here").iterdir()] == ["thesis.txt"]


def test_a_folder_that_holds_a_run_is_left_alone(erpbench: Command, played: FakeDriver) -> None:
    erpbench("run", "--problems", "1", "--out", "here")
    before = {path: path.read_bytes() for path in Path("here").rglob("*") if path.is_file()}
    result = erpbench("run", "--problems", "2", "--out", "here")
    assert result.exit_code == exits.BAD_USE
    assert "holds a run already" in result.stderr
    assert "erpbench resume here" in result.stderr
    assert {path: path.read_bytes() for path in Path("here").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", ["resume", "status", "report"])
def test_a_folder_without_a_run(erpbench: Command, command: str) -> None:
    _refused(erpbench(command, "nowhere"), "nowhere", "is no run folder", "erpbench run")


@pytest.mark.parametrize("command", ["resume", "status", "report"])
def test_a_run_file_that_cannot_be_read(erpbench: Command, played: FakeDriver, command: str) -> None:
    erpbench("run", "--problems", "1", "--out", "here")
    Path("here/run.toml").write_bytes(b"\xff\xfe")
    _refused(erpbench(command, "here"), "run.toml", "cannot be read")


@pytest.mark.parametrize("command", ["resume", "status", "report"])
def test_a_folder_where_the_run_file_belongs(erpbench: Command, command: str) -> None:
    Path("here/run.toml").mkdir(parents=True)
    _refused(erpbench(command, "here"), "run.toml", "cannot be read", "mend")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one market of two rounds that was played to its end."""
    parent = tmp_path_factory.mktemp("sound")
    (parent / "panel.json").write_bytes(encode(Panel(1, "short", short_problems(1, horizon=2))))
    make_run(parent / "run", RunRequest("all", ecologies=("solo",), models=("standin/a",)), parent / "panel.json")
    return parent / "run"


@pytest.mark.parametrize("command", ["resume", "verify", "status"])
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_g3_09_a_torn_journal_is_told_in_one_line_and_left_as_it_is(
    erpbench: Command, sound: Path, command: str, kept: float
) -> None:
    copytree(sound, "here")
    journal = Path("here/journal.db")
    torn = journal.read_bytes()[: int(kept * journal.stat().st_size) | 1]  # in the middle of a page
    journal.write_bytes(torn)
    _refused(erpbench(command, "here"), "here/journal.db: ", "journal", "put back a copy or start a new run")
    assert journal.read_bytes() == torn


def test_a_report_on_a_folder_without_records(erpbench: Command, played: FakeDriver) -> None:
    played.interrupted = True
    erpbench("run", "--problems", "1", "--out", "here")
    _refused(erpbench("report", "here"), "here/records", "no records yet", "erpbench resume here")


def test_a_report_on_torn_records(erpbench: Command, played: FakeDriver) -> None:
    erpbench("run", "--problems", "1", "--out", "here")
    Path("here/records/rounds.parquet").write_bytes(b"PAR1")
    _refused(erpbench("report", "here"), "rounds.parquet", "cannot be read as parquet", "erpbench resume here")


def test_a_report_that_cannot_be_written(erpbench: Command, played: FakeDriver) -> None:
    erpbench("run", "--problems", "1", "--out", "here")
    Path("file").write_text("")
    _refused(erpbench("report", "here", "--out", "file"), "file", "cannot be written", "--out")


def test_a_panel_is_not_overwritten(erpbench: Command) -> None:
    Path("mine.json").write_text("mine")
    _refused(erpbench("problem", "generate", "--seed", "1", "--out", "mine.json"), "mine.json", "exists already")
    assert Path("mine.json").read_text() == "mine"
    result = erpbench("problem", "generate", "--seed", "1", "--count", "1", "--out", "no/such/folder.json")
    _refused(result, "cannot be written", "--out")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--delay", "soon"),
        ("run", "--shards", "0"),
        ("run", "--in-flight", "0"),
        ("run", "--seed", "-1"),
        ("run", "extra"),
        ("run", "--no-such-option"),
        ("report",),
        ("report", "here", "--format", "pdf"),
        ("problem", "generate"),
        ("problem", "generate", "--seed", "1", "--rounds", "61"),
        ("models", "check"),
        ("run", "--ecology"),
        ("models", "chek"),
        ("nonsense",),
        ("--nonsense",),
    ],
)
def test_bad_use_is_one_line(erpbench: Command, played: FakeDriver, arguments: tuple[str, ...]) -> None:
    _refused(erpbench(*arguments), "; see `erpbench", "--help`")
    assert played.asked == []


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("run", "--trials", "0"), ("'0'", "'--trials'", "equal to 1")),
        (("run", "--delay", "-1"), ("'-1'", "'--delay'", "equal to 0")),
        (("run", "--delay", "nan"), ("'nan'", "'--delay'", "equal to 0")),
        (("run", "--delay", "inf"), ("inf is no number of seconds", "give one from 0 on")),
        (("standin", "--port", "99999"), ("'99999'", "'--port'", "65535")),
    ],
)
def test_an_option_out_of_bounds_names_value_and_bound(
    erpbench: Command, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    _refused(erpbench(*arguments), *parts, f"see `erpbench {arguments[0]} --help`")


@pytest.mark.parametrize("group", ["problem", "models"])
def test_a_group_without_a_command_shows_its_help(erpbench: Command, group: str) -> None:
    result = erpbench(group)
    assert result.exit_code == exits.BAD_USE
    assert "Usage: erpbench" in result.output
    assert "Commands:" in result.output


def test_an_unknown_fault(erpbench: Command) -> None:
    _refused(erpbench("standin", "--fault", "flood=1"), "'flood=1'", "kinds:", "429")


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "erpbench", "standin", "--port", str(port)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
    assert done.returncode == exits.BAD_USE
    assert done.stderr == f"error: port {port} is in use; choose another one, or 0 for any that is free\n"
    assert done.stdout == ""
