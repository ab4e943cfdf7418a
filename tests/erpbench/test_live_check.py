"""`erpbench models check --live` against servers on loopback."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors import preflight
from actors.llm.calls import CallFailure
from actors.preflight import Checked
from erpbench import exits
from erpbench.live_check import live_table
from erpsim.proposal import Proposal, Usage
from tests.actors.llm.peers import CANARY, entry
from tests.actors.llm.worlds import DECISION
from tests.erpbench.conftest import Command
from tests.erpbench.refusing_peer import refusing

HERE = "http://127.0.0.1:9/v1"


def _rows(*checked: Checked) -> list[dict[str, Any]]:
    table = live_table(checked)
    return [dict(zip((column.title for column in table.columns), row, strict=True)) for row in table.rows]


def test_a_model_that_plays_has_everything_in_its_row() -> None:
    usage = Usage(llm_calls=2, tool_calls=3, tokens_in=9_000, tokens_out=400, cost_usd=0.02)
    (row,) = _rows(Checked(entry(HERE), None, Proposal(DECISION, "clean", (), usage), 4.2, '{"left_out":["seed"]}'))
    assert row == {
        "Model": "test/model",
        "Key": "good",
        "Found": "yes",
        "Tool calls": "3",
        "Decision": "clean",
        "Calls": 2,
        "Tokens in": 9_000,
        "Tokens out": 400,
        "Seconds": 4.2,
        "Cost (USD)": 0.02,
        "Learnt": '{"left_out":["seed"]}',
    }


def test_what_is_unknown_is_unknown_and_no_decision_is_none() -> None:
    usage = Usage(llm_calls=1, tokens_in=None, tokens_out=None, cost_usd=None)
    (row,) = _rows(Checked(entry(HERE, api_key_env=None), None, Proposal(None, "fallback", (), usage), 1.0))
    assert (row["Tokens in"], row["Cost (USD)"], row["Decision"], row["Key"]) == (
        "unknown",
        "unknown",
        "none",
        "none needed",
    )


@pytest.mark.parametrize(
    ("error_class", "status", "attempts", "key", "found"),
    [
        ("auth", 401, 1, "refused", None),
        ("auth", None, 0, "missing", None),
        ("model_not_found", 404, 1, None, "no"),
        ("bad_request", 400, 1, None, "yes"),
        ("network", None, 3, None, None),
        ("empty_choices", 200, 3, "good", None),
    ],
)
def test_a_failure_shows_where_it_lies(
    error_class: Any, status: int | None, attempts: int, key: str | None, found: str | None
) -> None:
    failure = CallFailure(error_class, status, attempts, "words")
    (row,) = _rows(Checked(entry(HERE), failure, None, 0.1))
    assert (row["Key"], row["Found"], row["Decision"], row["Tokens in"]) == (key, found, error_class, None)


def test_a_refused_key_is_in_the_table_and_in_one_line_and_ends_with_its_code(
    erpbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_KEY", CANARY)
    with refusing(401) as peer:
        text = '[models.one]\nbase_url = "{0}"\nmodel = "good"\napi_key_env = "CANARY_KEY"\n'
        Path("models.toml").write_text(text.format(peer.address))
        result = erpbench("models", "check", "--models", "models.toml", "--live")
    assert result.exit_code == exits.REFUSED, result.output
    assert "refused" in result.stdout
    assert result.stderr.startswith("error: model one: the key in CANARY_KEY was refused: ")
    assert CANARY not in result.output


def test_a_model_that_decides_ends_with_nothing_to_mend(erpbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", CANARY)
    with refusing(401, good=1) as peer:
        text = '[models.one]\nbase_url = "{0}"\nmodel = "good"\napi_key_env = "CANARY_KEY"\n'
        Path("models.toml").write_text(text.format(peer.address))
        result = erpbench("models", "check", "--models", "models.toml", "--live")
    assert result.exit_code == exits.DONE, result.output
    assert "One decision of 1 model" in result.output
    assert "made no tool call" in result.output
    assert "Arena seats exactly 6 models" in result.output


def test_a_missing_key_is_told_without_a_call(erpbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANARY_KEY", raising=False)
    text = f'[models.one]\nbase_url = "{HERE}"\nmodel = "m"\napi_key_env = "CANARY_KEY"\n'
    Path("models.toml").write_text(text)
    result = erpbench("models", "check", "--models", "models.toml", "--live")
    assert result.exit_code == exits.REFUSED
    assert "missing" in result.stdout
    assert result.stderr == "error: model one: no key in CANARY_KEY; set CANARY_KEY to a key that may use 'm'\n"


def test_live_needs_a_file_and_nothing_is_called_without_it(erpbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    never: Callable[..., None] = lambda *_: pytest.fail("called")  # noqa: E731
    monkeypatch.setattr(preflight, "check", never)
    result = erpbench("models", "check", "--live")
    assert result.exit_code == exits.BAD_USE
    assert "name a models file with --models" in result.stderr
    assert json.dumps(result.stdout) == '""'
