"""The committed page and schemas of observations are what the code gives."""

import json

import jsonschema
import pytest

from erpsim.observation_document import observation_schema
from tests.docs.observation_page import FOLDER, files, records


@pytest.mark.parametrize("name", ["observation.md", "observation.schema.json", "decision.schema.json"])
def test_a_committed_file_is_what_the_code_gives(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == files()[name], "run `python -m tests.docs.observation_page` and read the difference"


def test_every_member_stands_on_the_page_with_its_meaning() -> None:
    page = files()["observation.md"]
    members = [item for _, schema in records("observation", observation_schema()) for item in _items(schema)]
    assert len(members) > 75
    assert [name for name, meaning in members if f"| `{name}` |" not in page or f"| {meaning} |" not in page] == []


def _items(schema: dict[str, object]) -> list[tuple[str, str]]:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return [(name, part["description"]) for name, part in properties.items()]


@pytest.mark.parametrize("name", ["observation.schema.json", "decision.schema.json"])
def test_a_committed_schema_is_a_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads((FOLDER / name).read_text(encoding="utf-8")))
