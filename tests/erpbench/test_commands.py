"""`report`, `problem`, `models` and `standin` where all is well."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

from ecologies.problems import read_panel, shipped_panel
from erpbench import exits
from tests.erpbench.conftest import Command
from tests.erpbench.fake_driver import FakeDriver


def test_a_report_is_printed_and_written_again(erpbench: Command, played: FakeDriver) -> None:
    erpbench("run", "--problems", "2", "--out", "here", "--no-report")
    result = erpbench("report", "here")
    assert result.exit_code == exits.DONE, result.output
    for title in ("What was played", "Valuation and rank", "Winners", "Interventions by model: Arena"):
        assert title in result.output
    assert "Written: here/report/report.md" in result.output


def test_the_formats_of_a_report_are_what_the_files_hold(erpbench: Command, played: FakeDriver) -> None:
    erpbench("run", "--problems", "1", "--out", "here")
    page = erpbench("report", "here", "--out", "there", "--format", "md")
    figures = erpbench("report", "here", "--out", "there", "--format", "json")
    assert page.stdout == Path("there/report.md").read_text(encoding="utf-8")
    assert figures.stdout == Path("there/report.json").read_text(encoding="utf-8")
    assert Path("here/report/report.json").read_text(encoding="utf-8") == figures.stdout


def test_a_report_on_an_incomplete_run_ends_with_one(erpbench: Command, played: FakeDriver) -> None:
    played.broken = ("solo/P001/standin-a",)
    erpbench("run", "--problems", "1", "--out", "here")
    result = erpbench("report", "here", "--format", "json")
    assert result.exit_code == exits.INCOMPLETE
    assert json.loads(result.stdout)["coverage"]["missing"] == [
        {"market_id": "solo/P001/standin-a", "seat": 0, "model": "standin/a", "cause": "overloaded"}
    ]


def test_a_report_outlives_the_models_file(erpbench: Command, played: FakeDriver) -> None:
    Path("models.toml").write_text('[models."x"]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\nstandin = false\n')
    erpbench("run", "--problems", "1", "--out", "here", "--models", "models.toml", "--ecology", "solo")
    Path("models.toml").unlink()
    assert erpbench("report", "here").exit_code == exits.DONE


def test_problems_are_listed_and_chosen(erpbench: Command) -> None:
    result = erpbench("problem", "list")
    assert result.exit_code == exits.DONE
    assert "100 problems" in result.output
    assert all(problem.problem_id in result.output for problem in shipped_panel().problems)
    chosen = json.loads(erpbench("problem", "list", "--problems", "P002,P001", "--json").stdout)
    assert [problem["problem_id"] for problem in chosen] == ["P001", "P002"]


def test_a_problem_is_told_in_words_and_as_data(erpbench: Command) -> None:
    result = erpbench("problem", "show", "P001")
    assert result.exit_code == exits.DONE
    assert result.output.startswith("P001")
    data = json.loads(erpbench("problem", "show", "P001", "--json").stdout)
    assert data["seed"] == shipped_panel().problems[0].seed


def test_a_generated_panel_can_be_played(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("problem", "generate", "--seed", "7", "--count", "3", "--rounds", "2", "--out", "mine.json")
    assert result.exit_code == exits.DONE
    assert "3 problems" in result.output
    panel = read_panel(Path("mine.json"))
    assert {problem.horizon for problem in panel.problems} == {2}
    assert (
        erpbench("problem", "generate", "--seed", "7", "--count", "3", "--rounds", "2").stdout_bytes
        == Path("mine.json").read_bytes()
    )
    done = erpbench("run", "--panel", "mine.json", "--problems", "all")
    assert done.exit_code == exits.DONE, done.output
    assert "solo 18 of 18 trajectories, 36 of 36 model rounds" in done.output


def test_models_are_listed_by_seat_without_their_keys(erpbench: Command, monkeypatch: object) -> None:
    text = '[models."x"]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\napi_key_env = "SURELY_NOT_SET"\n'
    Path("models.toml").write_text(text)
    result = erpbench("models", "list", "--models", "models.toml")
    assert result.exit_code == exits.DONE
    assert "SURELY_NOT_SET" in result.output
    assert "1 model: models.toml" in result.output
    assert "missing" in result.output
    (model,) = json.loads(erpbench("models", "list", "--models", "models.toml", "--json").stdout)
    assert (model["seat"], model["label"], model["key"], model["standin"]) == (0, "x", "missing", False)


def test_a_policy_over_http_is_listed_as_one_and_passes_the_check(erpbench: Command) -> None:
    Path("policies.toml").write_text(
        '[models."mine"]\npolicy = "http"\nbase_url = "http://127.0.0.1:1/decide"\nmodel = "m"\n'
    )
    (model,) = json.loads(erpbench("models", "list", "--models", "policies.toml", "--json").stdout)
    assert (model["label"], model["dialect"]) == ("mine", "http")
    assert erpbench("models", "check", "--models", "policies.toml").exit_code == exits.DONE


def test_without_a_file_the_stand_ins_are_listed(erpbench: Command) -> None:
    models = json.loads(erpbench("models", "list", "--json").stdout)
    assert [model["label"] for model in models] == [f"standin/{letter}" for letter in "abcdef"]
    assert all(model["standin"] for model in models)


def test_a_models_file_that_can_play_is_said_to(erpbench: Command) -> None:
    Path("models.toml").write_text('[models."x"]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n')
    result = erpbench("models", "check", "--models", "models.toml")
    assert result.exit_code == exits.DONE
    assert "1 model, every key is set" in result.output
    assert "Arena seats exactly 6 models" in result.output


def test_the_stand_in_server_says_its_port_and_answers(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "erpbench", "standin", "--port", "0", "--delay", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        try:
            assert server.stdout is not None
            word, port = server.stdout.readline().split()
            assert word == "listening"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=10) as answer:
                names = [model["id"] for model in json.load(answer)["data"]]
        finally:
            server.terminate()
            server.wait(timeout=10)
    assert names == [f"standin/{letter}" for letter in "abcdef"]
