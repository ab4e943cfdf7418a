from importlib import resources
from pathlib import Path

import pytest

from ecologies.models import (
    STANDIN_LABELS,
    choose,
    load_models,
    missing_keys,
    parse_models,
    require_keys,
    standin_models,
)
from ecologies.policy import PolicySpec
from erpsim.errors import ModelsError

ONE = '[models."own/one"]\nbase_url = "http://127.0.0.1:1/v1/"\nmodel = "m"\n'


def test_a_short_entry_takes_the_defaults() -> None:
    (entry,) = parse_models(ONE, "m.toml").entries
    assert (entry.label, entry.base_url, entry.dialect) == ("own/one", "http://127.0.0.1:1/v1", "openai")
    assert (entry.limits.connections, entry.timeouts.read) == (8, 300.0)
    assert entry.prices.input is None
    assert entry.spec == PolicySpec("model", "own/one")


def test_every_key_of_an_entry_is_read() -> None:
    text = ONE + (
        'api_key_env = "OWN_KEY"\ndialect = "vllm"\npolicy = "http"\naccount = "shared"\n'
        'response_format = "json_object"\nreasoning_echo = "drop"\nprices = { input = 1, output = 2.5 }\n'
        "sampling = { temperature = 0, top_p = 0.9, max_tokens = 10, seed = 3 }\n"
        "limits = { connections = 2, requests_per_minute = 60, tokens_per_minute = 1e5 }\n"
        "timeouts = { connect = 1, read = 2, total = 3 }\n"
    )
    (entry,) = parse_models(text, "m.toml").entries
    assert entry.spec.kind == "http"
    assert entry.account_name == "shared"
    assert entry.prices.model_dump() == {
        "input": 1.0,
        "cached": None,
        "cache_write": None,
        "output": 2.5,
        "reasoning": None,
    }
    assert entry.sampling.model_dump() == {"temperature": 0.0, "top_p": 0.9, "max_tokens": 10, "seed": 3}
    assert entry.limits.requests_per_minute == 60
    assert entry.timeouts.total == 3


def test_one_address_and_key_variable_are_one_account() -> None:
    other = ONE.replace("own/one", "own/two").replace('"m"', '"n"')
    first, second = parse_models(ONE + other, "m.toml").entries
    assert first.account_name == second.account_name


def test_the_example_file_holds_six_families_and_three_local_servers() -> None:
    example = resources.files("ecologies") / "data" / "models.example.toml"
    models = parse_models(example.read_text(encoding="utf-8"), "models.example.toml")
    dialects = [entry.dialect for entry in models.entries]
    assert dialects == ["anthropic", "deepseek", "gemini", "openai", "doubao", "qwen", "vllm", "llama.cpp", "ollama"]
    assert {entry.model for entry in models.entries} == {"SET-ME"}
    assert all(entry.prices.output is None for entry in models.entries)
    assert [entry.api_key_env is None for entry in models.entries] == [False] * 6 + [True] * 3


def test_missing_and_blank_keys_are_listed() -> None:
    text = (
        ONE + 'api_key_env = "FIRST"\n' + ONE.replace("one", "two") + 'api_key_env = "SECOND"\n'
        + ONE.replace("one", "three") + 'api_key_env = "THIRD"\n' + ONE.replace("one", "four")
    )  # fmt: skip
    missing = missing_keys(parse_models(text, "m.toml"), {"FIRST": "x", "SECOND": " "})
    assert missing == (("own/two", "SECOND"), ("own/three", "THIRD"))


def test_a_missing_key_is_refused_with_variable_model_and_mend() -> None:
    models = parse_models(ONE + 'api_key_env = "FIRST"\n', "m.toml")
    require_keys(models, {"FIRST": "x"})
    expected = r"^m\.toml: no key in the environment: FIRST \(model 'own/one'\); set each variable to its key$"
    with pytest.raises(ModelsError, match=expected):
        require_keys(models, {})


def test_the_stand_in_panel_has_six_marked_models_without_keys() -> None:
    models = standin_models("http://127.0.0.1:9/v1")
    assert tuple(entry.label for entry in models.entries) == STANDIN_LABELS
    assert all(entry.standin and entry.api_key_env is None for entry in models.entries)
    assert missing_keys(models, {}) == ()


def test_the_digest_sees_values_and_not_layout() -> None:
    digest = parse_models(ONE, "m.toml").digest()
    assert parse_models("# note\n" + ONE, "other.toml").digest() == digest
    assert parse_models(ONE + 'dialect = "vllm"\n', "m.toml").digest() != digest


def test_models_are_chosen_in_the_order_asked() -> None:
    models = standin_models("http://127.0.0.1:9/v1")
    assert [entry.label for entry in choose(models, ["standin/c", "standin/a"]).entries] == ["standin/c", "standin/a"]
    with pytest.raises(ModelsError, match="stand-in panel: no model is labelled 'standin/z'; known: standin/a, "):
        choose(models, ["standin/z"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models = [", "m.toml: is no TOML: .*mend that line"),
        ("", "m.toml: names no model; add a table"),
        ("[models]\n", "m.toml: names no model"),
        ("[panel]\n" + ONE, "m.toml: unknown key 'panel' at the top"),
        ("[models]\nx = 3\n", "m.toml: model 'x': is no table"),
        (ONE.replace("own/one", "a, b"), "m.toml: model 'a, b': a label has 1-80 characters"),
        (ONE.replace('model = "m"\n', ""), "m.toml: model 'own/one': key 'model' is missing; add it"),
        (ONE + "colour = 1\n", "unknown key 'colour'; known: base_url, model, api_key_env"),
        (ONE + "sampling = { heat = 1 }\n", "unknown key 'sampling.heat'; known: temperature, top_p, max_tokens, seed"),
        (ONE + "sampling = { temperature = 3 }\n", "key 'sampling.temperature' is 3: .*less than or equal to 2; mend"),
        (ONE + "sampling = { temperature = nan }\n", "key 'sampling.temperature' is nan: .*finite"),
        (ONE + 'limits = { connections = "2" }\n', "key 'limits.connections' is '2': .*valid integer"),
        (ONE + 'dialect = "esperanto"\n', "key 'dialect' is 'esperanto': .*'llama.cpp'"),
        (ONE + 'label = "x"\n', "key 'label': unknown key; the label is the table's name"),
        (ONE.replace("http:", "ftp:"), "key 'base_url': must be an address such as"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place_and_mend(text: str, message: str) -> None:
    with pytest.raises(ModelsError, match=message):
        parse_models(text, "m.toml")


@pytest.mark.parametrize(
    "line", ['api_key = "hush-hush"\n', 'api_key_env = "hush-hush"\n', 'sampling = { key = "hush-hush" }\n']
)
def test_a_key_written_into_the_file_is_refused_and_never_repeated(line: str) -> None:
    with pytest.raises(ModelsError, match="never write a key itself into the file") as caught:
        parse_models(ONE + line, "m.toml")
    assert "hush" not in str(caught.value)


def test_a_password_in_an_address_is_refused_and_never_repeated() -> None:
    with pytest.raises(ModelsError, match="must hold neither a user, a password nor a query") as caught:
        parse_models(ONE.replace("127.0.0.1:1", "me:hush@host"), "m.toml")
    assert "hush" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelsError, match=r"none\.toml: cannot be read \(No such file or directory\)"):
        load_models(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(ModelsError, match=r"latin\.toml: byte 5 is not UTF-8"):
        load_models(tmp_path / "latin.toml")


def test_a_file_is_read_from_disk(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(ONE, encoding="utf-8")
    assert load_models(tmp_path / "m.toml").source == str(tmp_path / "m.toml")
