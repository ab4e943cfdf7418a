"""Reference pages made from the code; `python -m tests.erpbench.reference` writes them anew."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer.main

from actors.store import GRADED, ROW_TYPES
from erpbench import exits
from erpbench.__main__ import app
from erpbench.examples import EXAMPLES, LISTS
from tests.erpbench.record_columns import COLUMNS, TABLES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"

STREAMS = (
    "Results go to the output, progress and errors to the error stream. Text that models or files wrote is shown with"
    " its control characters spelt out."
)
RUN_FOLDER = (
    "A run folder holds `run.toml` (all that determines the run), `journal.db` (its journal, SQLite) and"
    " `records/TABLE.parquet`, one file for each table below, sorted by key. Money is in EUR to the cent, rates and"
    " shares have 9 decimals, carbon 3 decimals of a kg."
)
VOLATILE = "The other tables hold all that is volatile: times, attempts, infrastructure."


def pages() -> dict[str, str]:
    """Every page by its file name."""
    return {"command-line.md": command_line_page(), "records.md": records_page()}


def command_line_page() -> str:
    """All commands with their arguments, options and examples."""
    lines = [
        "# Command line",
        "",
        "Made from the code by `python -m tests.erpbench.reference`; `erpbench COMMAND --help` says the same.",
        "",
        STREAMS,
        "",
        "## Exit codes",
        "",
        "| code | meaning |",
        "|---:|---|",
        *(f"| {code} | {text} |" for code, text in exits.MEANINGS.items()),
    ]
    for name, command in _commands(typer.main.get_command(app), ()):
        lines += _command_lines(name, command)
    return "\n".join(lines) + "\n"


def records_page() -> str:
    """All columns of the record tables."""
    lines = [
        "# Records",
        "",
        "Made from the code by `python -m tests.erpbench.reference`.",
        "",
        RUN_FOLDER,
        "",
        f"A function of what was decided, byte for byte: {', '.join(f'`{name}`' for name in GRADED)}. {VOLATILE}",
    ]
    for table, row_type in ROW_TYPES.items():
        lines += ["", f"## {table}", "", TABLES[table], "", "| column | type | unit | meaning |", "|---|---|---|---|"]
        for name, hint in get_type_hints(row_type).items():
            meaning = COLUMNS[name]
            lines.append(f"| `{name}` | {_type_name(hint)} | {meaning.unit} | {meaning.text} |")
    return "\n".join(lines) + "\n"


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, child in getattr(command, "commands", {}).items():
        if hasattr(child, "commands"):
            yield from _commands(child, (*path, name))
        else:
            yield " ".join((*path, name)), child


def _command_lines(name: str, command: Any) -> list[str]:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    usage = " ".join(["erpbench", name, *(parameter.metavar for parameter in arguments), "[OPTIONS]"])
    lines = ["", f"## {name}", "", f"`{usage}`", "", " ".join(command.help.split()), ""]
    lines += ["| option | meaning | default |", "|---|---|---|"]
    lines += [f"| `{parameter.metavar}` | {parameter.help} | required |" for parameter in arguments]
    lines += [f"| `{_option_name(option)}` | {_cell(option.help)} | {_default(option)} |" for option in options]
    for title, rows in LISTS.get(name, {}).items():
        lines += ["", title, "", "| kind | what happens |", "|---|---|"]
        lines += [f"| `{kind}` | {_cell(text)} |" for kind, text in rows.items()]
    return [*lines, "", "```bash", *EXAMPLES[name], "```"]


def _option_name(option: Any) -> str:
    names = ", ".join(option.opts)
    return _cell(names if option.is_flag else f"{names} {option.metavar}")


def _default(option: Any) -> str:
    if option.required:
        return "required"
    if option.is_flag or option.default in (None, ""):
        return ""
    return f"`{getattr(option.default, 'value', option.default)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _type_name(hint: Any) -> str:
    kinds = [kind.__name__ for kind in get_args(hint) or (hint,) if kind is not type(None)]
    null = " or null" if type(None) in get_args(hint) else ""
    return f"{kinds[0]}{null}"


def main() -> None:
    """Write every page."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote docs/reference/{name}\n")


if __name__ == "__main__":
    main()
