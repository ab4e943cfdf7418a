"""`erpbench models check --prompts`: the tokens of what a model is sent."""

import pytest

from actors.llm import prompt_sizes, token_counts
from actors.llm.prompt_sizes import Size
from erpbench import exits
from tests.erpbench.conftest import Command


@pytest.fixture(autouse=True)
def _measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that need no market to be played."""

    async def sizes(problems: object) -> tuple[Size, ...]:
        del problems
        return Size("system prompt", 2_707, 3_000), Size("tools with their schemas", 2_099)

    monkeypatch.setattr(prompt_sizes, "prompt_sizes", sizes)


def test_prompts_are_counted_without_a_models_file(erpbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_counts, "has_tokenizer", lambda: True)
    result = erpbench("models", "check", "--prompts")
    assert result.exit_code == exits.DONE, result.output
    rows = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "system prompt 2,707 3,000" in rows
    assert "tools with their schemas 2,099" in rows
    assert "counted with o200k_base; other tokenizers differ" in rows


def test_an_estimate_is_called_one(erpbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_counts, "has_tokenizer", lambda: False)
    text = erpbench("models", "check", "--prompts").stdout
    assert "about 2,707" in text
    assert "to within 15%; install the extra `tokens` to count" in text


def test_a_check_of_nothing_is_bad_use(erpbench: Command) -> None:
    result = erpbench("models", "check")
    assert result.exit_code == exits.BAD_USE
    assert "name a models file with --models, or ask for --prompts; see `" in result.stderr
    assert result.stderr.count("\n") == 1


def test_both_are_checked_at_once(erpbench: Command) -> None:
    result = erpbench("models", "check", "--prompts", "--models", "nowhere.toml")
    assert result.exit_code == exits.BAD_USE
    assert "nowhere.toml" in result.stderr
    assert "system prompt" not in result.stdout
