"""`erpbench run --dry-run`: what is printed, and that nothing is called or written."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from actors import expected_decision, rooms
from actors.expected_decision import Texts
from erpbench import exits
from tests.actors.samples import call_record
from tests.actors.test_like_run import call, written
from tests.erpbench.conftest import Command
from tests.erpbench.fake_driver import FakeDriver

MODELS = """
[models.priced]
base_url = "http://127.0.0.1:9/v1"
model = "m"
api_key_env = "A_VARIABLE_THAT_IS_NOT_SET"
prices = { input = 2.0, cached = 0.5, output = 10.0, reasoning = 10.0 }

[models.local]
base_url = "http://127.0.0.1:9/v1"
model = "m"
"""


@pytest.fixture(autouse=True)
def _texts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def measure(*_: object) -> Texts:
        return Texts(first=6_000, answer=1_000, longest_answer=2_000, decision=500)

    monkeypatch.setattr(expected_decision, "measure", measure)


def _json(erpbench: Command, *options: str) -> dict[str, Any]:
    Path("models.toml").write_text(MODELS)
    result = erpbench("run", "--dry-run", "--json", "--models", "models.toml", "--problems", "P001", *options)
    assert result.exit_code == exits.DONE, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_it_prints_each_model_and_all_and_plays_nothing(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--dry-run", "--problems", "2")
    assert result.exit_code == exits.DONE, result.output
    assert "2 problems, 14 markets, 144 decisions of 6 models (stand-in panel)" in result.output
    assert "all models" in result.output
    assert "It rests on:" in result.output
    assert "here and the journal make the expected calls take about" in result.output
    assert not played.asked
    assert not list(Path.cwd().iterdir())


def test_an_unknown_price_is_unknown_and_the_known_part_is_told(erpbench: Command, played: FakeDriver) -> None:
    Path("models.toml").write_text(MODELS)
    result = erpbench("run", "--dry-run", "--models", "models.toml", "--problems", "P001")
    money = [line.split()[-3:] for line in result.output.splitlines() if "money (USD)" in line]
    # 6 decisions: 6 x (14,080 x 2 + 1,080 x 10) / 1e6 = 0.23
    assert money[0][1] == "0.23"
    assert money[1:] == [["unknown"] * 3] * 2
    assert "are unknown, which is not 0, of: local; the others are expected to cost 0.23 USD" in result.output


def test_no_key_is_needed_and_figures_are_whole_in_json(erpbench: Command, played: FakeDriver) -> None:
    document = _json(erpbench)
    assert set(document) == {"problems", "ecologies", "markets", "models", "total", "rests_on"}
    priced = document["models"]["priced"]
    assert (priced["decisions"], priced["low"]["calls"], priced["expected"]["calls"]) == (6, 6, 12)
    assert priced["expected"]["prompt"] == 6 * 14_080
    assert priced["expected"]["cost_usd"] == pytest.approx(6 * (14_080 * 2 + 1_080 * 10) / 1e6)
    assert document["total"]["expected"]["cost_usd"] is None
    assert "the preflight takes one decision more of each model" in document["rests_on"]


def test_the_latency_is_an_assumption_that_can_be_given(erpbench: Command, played: FakeDriver) -> None:
    # six rounds of two calls, one after another
    assert _json(erpbench)["models"]["priced"]["expected"]["seconds"] == 120
    assert _json(erpbench, "--latency", "2")["models"]["priced"]["expected"]["seconds"] == 24


def test_without_a_preflight_none_is_reckoned_with(erpbench: Command, played: FakeDriver) -> None:
    assert not any("preflight" in sentence for sentence in _json(erpbench, "--no-preflight")["rests_on"])


def test_like_takes_what_decisions_took_in_another_run_and_says_so(erpbench: Command, played: FakeDriver) -> None:
    Path("before").mkdir()
    written(Path("before"), [call(1, 0, 1_000, model="priced"), call_record(model="priced", turn=1, latency_s=2.0)])
    document = _json(erpbench, "--like", "before")
    assert document["models"]["priced"]["expected"]["calls"] == 12
    assert document["models"]["priced"]["expected"]["prompt"] == 6 * 1_010
    assert document["models"]["priced"]["expected"]["seconds"] == 24
    told = " ".join(document["rests_on"])
    assert "1 decisions in before" in told
    assert "not played there, and taken as the mean of its models: local" in told


def test_a_budget_below_what_is_expected_is_told(erpbench: Command, played: FakeDriver) -> None:
    Path("models.toml").write_text(MODELS.partition("[models.local]")[0])
    options = ("run", "--dry-run", "--models", "models.toml", "--problems", "P001", "--budget")
    assert "The budget of 0.10 USD would be spent before the end" in erpbench(*options, "0.1").output
    assert "would be spent" not in erpbench(*options, "0.3").output


@pytest.mark.parametrize("option", [("--like", "runs/x"), ("--latency", "1")])
def test_what_a_dry_run_goes_by_is_refused_without_one(
    erpbench: Command, played: FakeDriver, option: tuple[str, str]
) -> None:
    result = erpbench("run", *option)
    assert result.exit_code == exits.BAD_USE
    assert "add --dry-run" in result.stderr
    assert not played.asked


def test_a_run_to_go_by_that_is_not_there_is_named(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--dry-run", "--like", "nowhere")
    assert result.exit_code == exits.BAD_USE
    assert "nowhere: journal.db not found" in result.stderr


def test_a_line_up_of_rules_takes_nothing(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--dry-run", "--problems", "1", "--lineup", "growth,balanced")
    assert result.exit_code == exits.DONE, result.output
    assert "0 decisions of 0 models" in result.output
    assert "It rests on" not in result.output


def test_calls_without_a_delay_take_no_time_at_the_models_and_some_here(erpbench: Command, played: FakeDriver) -> None:
    result = erpbench("run", "--dry-run", "--problems", "1", "--delay", "0")
    assert "time at the models" in result.output
    told = " ".join(result.output.split())
    assert (
        "the time at the models is that of their calls, connections and limits a minute alone; without limits a" in told
    )


def test_the_shards_of_a_dry_run_are_those_of_the_run(
    erpbench: Command, played: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def most_at_once(*given: Any) -> int:
        asked.append(given[-1])
        return 1

    monkeypatch.setattr(rooms, "most_at_once", most_at_once)
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    erpbench("run", "--dry-run", "--problems", "1")
    erpbench("run", "--dry-run", "--problems", "1", "--shards", "3")
    assert asked == [2, 3]
