"""Help, versions, exit codes, and what a start of the command loads."""

import json
import shlex
import subprocess
import sys

import pytest
import typer.main

from erpbench import exits
from erpbench.__main__ import app
from erpbench.examples import EXAMPLES
from erpsim.parameters import RULES_VERSION
from tests.erpbench.conftest import Command

HEAVY = (
    "aiohttp",
    "jinja2",
    "matplotlib",
    "numpy",
    "pandas",
    "pyarrow",
    "ray",
    "rich",
    "scipy",
    "sqlite3",
    "yaml",
)
ALSO = ("asyncio", "pydantic")
"""The option parser itself loads these for the help of a command, but not for that of all commands."""
WATCH = """
import json, sys
from erpbench.__main__ import app
try:
    app(sys.argv[1:])
except SystemExit as left:
    code = left.code
print(json.dumps([code, sorted(set({heavy!r}) & set(sys.modules))]))
"""


def _loaded(*arguments: str) -> tuple[int, list[str]]:
    command = [sys.executable, "-c", WATCH.format(heavy=(*HEAVY, *ALSO)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    return code, loaded


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("problem", "--help")])
def test_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    code, loaded = _loaded(*arguments)
    assert code == 0
    assert not set(loaded) & set(HEAVY)


def test_the_first_help_loads_neither_the_event_loop_nor_the_models_of_options() -> None:
    assert _loaded("--help") == (0, [])


def test_the_watch_on_help_sees_a_heavy_import() -> None:
    code, loaded = _loaded("problem", "show", "P001")
    assert code == 0
    assert {"numpy", "pydantic"} <= set(loaded)


def test_help_teaches_where_to_start_and_what_exit_codes_mean(erpbench: Command) -> None:
    result = erpbench("--help")
    assert result.exit_code == 0
    assert "Start here:" in result.output
    for code, meaning in exits.MEANINGS.items():
        assert f"{code:<4} {meaning}" in result.output


def test_without_arguments_help_is_shown(erpbench: Command) -> None:
    result = erpbench()
    assert result.exit_code == exits.BAD_USE
    assert "Usage:" in result.output


def test_the_version_names_the_rules(erpbench: Command) -> None:
    result = erpbench("--version")
    assert result.exit_code == 0
    assert f"rules {RULES_VERSION}" in result.output


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_of_a_command_ends_with_its_examples(erpbench: Command, command: str) -> None:
    output = erpbench(*command.split(), "--help").output
    assert output.rstrip().endswith("\n".join(f"    {line}" for line in EXAMPLES[command]).strip())


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_an_example_is_a_call_that_parses(line: str) -> None:
    name, *arguments = shlex.split(line)
    assert name == "erpbench"
    command = typer.main.get_command(app)
    while arguments and not arguments[0].startswith("-") and hasattr(command, "commands"):
        command = command.commands[arguments.pop(0)]
    # Raises a usage error where an option is unknown, out of bounds or missing.
    command.make_context(line, arguments)
