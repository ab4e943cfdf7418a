"""A setting that would have no effect is refused, and the message says what to write instead."""

from __future__ import annotations

from importlib import resources

import pytest

from actors.llm.support import refuse_unsupported, unsupported
from ecologies.models import parse_models, standin_models
from erpsim.errors import ModelsError

FILE = """
[models."some/model"]
base_url = "http://127.0.0.1:9/v1"
model = "m"
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("quirks = { mark_caches = true }", "quirks.mark_caches has no effect on dialect 'openai'; leave it out"),
        ('dialect = "anthropic"\nquirks = { token_parameter = "max_tokens" }', "quirks.token_parameter has no effect"),
        (
            'dialect = "anthropic"\nquirks = { schemas = "plain" }',
            "quirks.schemas has no effect on dialect 'anthropic'",
        ),
        ('policy = "http"\nsampling = { seed = 3 }', "sampling has no effect on policy 'http'; leave it out"),
        ('policy = "http"\ndialect = "vllm"', "dialect has no effect"),
        ('policy = "http"\nquirks = { last_turn = "omit" }', "quirks.last_turn has no effect"),
    ],
)
def test_a_setting_without_effect_is_refused_by_name(line: str, told: str) -> None:
    models = parse_models(FILE + line, "models.toml")
    with pytest.raises(ModelsError, match=r"models\.toml: model 'some/model'") as caught:
        refuse_unsupported(models.entries, models.source)
    assert told in str(caught.value)


def test_what_can_be_played_passes() -> None:
    refuse_unsupported(parse_models(FILE, "models.toml").entries, "models.toml")
    assert [unsupported(entry) for entry in standin_models("http://127.0.0.1:9/v1").entries] == [[]] * 6


@pytest.mark.parametrize(
    "line",
    [
        'dialect = "anthropic"\nquirks = { max_tokens = 32000, mark_caches = false, last_turn = "omit" }',
        'reasoning_echo = "drop"',
        'quirks = { schemas = "plain", token_parameter = "max_completion_tokens", last_turn = "forbid" }',
        'quirks = { path = "/v2/chat", key_header = "api-key", key_prefix = "", headers = { x-title = "bench" } }',
        'extra = { reasoning_effort = "low" }',
    ],
)
def test_every_setting_that_has_an_effect_passes(line: str) -> None:
    refuse_unsupported(parse_models(FILE + line, "models.toml").entries, "models.toml")


def test_a_policy_over_http_can_be_played() -> None:
    line = 'policy = "http"\nextra = { player = "blue" }\nquirks = { key_header = "x-key" }\n'
    refuse_unsupported(parse_models(FILE + line, "models.toml").entries, "models.toml")


def test_every_template_of_the_example_file_can_be_played() -> None:
    example = resources.files("ecologies") / "data" / "models.example.toml"
    models = parse_models(example.read_text(encoding="utf-8"), "models.example.toml")
    refuse_unsupported(models.entries, models.source)
