"""Entry point of the `erpbench` command. Commands import what they need when they run, so that help is quick."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from erpbench import (
    exits,
    model_commands,
    play_commands,
    problem_commands,
    replay_command,
    report_commands,
    show_command,
    standin_command,
    verify_command,
)
from erpbench.examples import block, examples
from erpbench.group import Commands

START: Final = (
    "erpbench run                        6 problems, both ecologies, stand-in models, no key",
    "erpbench report runs/FOLDER         the tables of a run again",
    "erpbench show runs/FOLDER arena/P001 Almond 1",
    "erpbench problem show P042          one problem in words",
    "erpbench models check --models models.toml",
    "erpbench run --models models.toml --problems all",
)
CODES: Final = tuple(f"{code:<4} {text}" for code, text in exits.MEANINGS.items())

app = typer.Typer(
    name="erpbench",
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    epilog=f"{block('Start here:', START)}\n\n{block('Exit codes:', CODES)}",
    add_completion=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        from erpsim.parameters import RULES_VERSION

        typer.echo(f"erpbench {version('erpbench')}, rules {RULES_VERSION}")
        raise typer.Exit


@app.callback()
def erpbench(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """LLM agents run cereal manufacturers: the same problems against rules (Solo) and against each other (Arena)."""
    del version


app.command(epilog=examples("run"))(play_commands.run)
app.command(epilog=examples("resume"))(play_commands.resume)
app.command(epilog=examples("status"))(play_commands.status)
app.command(epilog=examples("report"))(report_commands.report)
app.command(epilog=examples("show"))(show_command.show)
app.command(epilog=examples("replay"))(replay_command.replay)
app.command(epilog=examples("verify"))(verify_command.verify)
app.command(epilog=examples("standin"))(standin_command.standin)
app.add_typer(problem_commands.app, name="problem")
app.add_typer(model_commands.app, name="models")


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
