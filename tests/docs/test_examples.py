"""What the pages tell people to type and to write is accepted by the code as it is."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from actors.llm.support import refuse_unsupported
from ecologies.models import parse_models
from erpbench.__main__ import app
from tests.docs.pages import ROOT, blocks, written_pages

PAGES = [*written_pages(), ROOT / "CONTRIBUTING.md"]
_COMMAND = re.compile(r"^(?:bash scripts/run|(?:\.venv/bin/)?erpbench) (?P<arguments>[^#`]*)")


def commands() -> list[str]:
    """Arguments of every `erpbench` command in a block."""
    lines = [line for page in PAGES for block in blocks(page, "bash") for line in block.text.splitlines()]
    return sorted({match["arguments"].strip() for line in lines if (match := _COMMAND.match(line))} - {""})


def parse(words: list[str]) -> str:
    """Parse a command's words without carrying it out; gives the command's name."""
    command: Any = typer.main.get_command(app)
    name = "erpbench"
    while hasattr(command, "commands"):
        name, words = words[0], words[1:]
        command = command.commands[name]
    command.make_context(name, words)
    return name


def test_every_command_on_a_page_is_one() -> None:
    assert len(commands()) > 8
    assert {parse(shlex.split(line)) for line in commands()} >= {"run", "resume", "status", "check"}


def test_a_command_that_is_none_is_noticed() -> None:
    with pytest.raises(Exception, match="No such option"):
        parse(["resume", "runs/first", "--lineup", "balanced"])


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/own-model.md"])
def test_every_models_file_on_a_page_is_read(page: str) -> None:
    files = [parse_models(block.text, page) for block in blocks(ROOT / page, "toml")]
    assert [(entry.label, entry.limits.connections) for entry in files[0].entries] == [("mine", 8)]
    for models in files:
        refuse_unsupported(models.entries, page)


def test_every_module_that_a_page_names_can_be_started() -> None:
    named = {name for page in PAGES for name in re.findall(r"python -m ([\w.]+)", page.read_text(encoding="utf-8"))}
    assert named
    places = {name: ROOT / Path(*name.split(".")) for name in named}
    missing = [
        name
        for name, place in places.items()
        if not place.with_suffix(".py").is_file() and not (place / "__main__.py").is_file()
    ]
    assert missing == []


def test_every_source_file_that_a_page_names_exists() -> None:
    named = {
        name
        for page in PAGES
        for name in re.findall(
            r"`((?:erpsim|ecologies|actors|analysis|erpbench|tests|scripts)/[\w./]+)`", page.read_text(encoding="utf-8")
        )
    }
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
