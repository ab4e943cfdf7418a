"""The group of all commands: turns the project's errors, and bad use, into one clear line and an exit code."""

from __future__ import annotations

from typing import Any, Final, cast

import typer
from typer.core import TyperGroup

from erpbench import exits
from erpbench.terminal import error_text
from erpsim.errors import ErpbenchError, ProviderError

_BAD_USE: Final = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""What every error of the option parser is; Typer makes only this one kind of it public."""
_HELP: Final = "NoArgsIsHelpError"
"""Name of the one that is no error: a group called without a command shows its help."""


class Commands(TyperGroup):
    """All commands; an error that was raised on purpose ends in `error: …` and a code, without a traceback."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read what stands before the command."""
        try:
            return super().make_context(*args, **extra)
        except _BAD_USE as error:
            raise _told(error) from None

    def invoke(self, ctx: Any) -> Any:
        """Invoke the command that was asked for."""
        try:
            return super().invoke(ctx)
        except _BAD_USE as error:
            raise _told(error) from None
        except ProviderError as error:
            typer.echo(error_text(error), err=True)
            raise typer.Exit(exits.REFUSED) from None
        except ErpbenchError as error:
            typer.echo(error_text(error), err=True)
            raise typer.Exit(exits.BAD_USE) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(exits.INTERRUPTED) from None


def _told(error: Any) -> Exception:
    """Tell bad use in one line; gives what is to be raised."""
    if type(error).__name__ == _HELP:
        return cast("Exception", error)
    fault = " ".join(error.format_message().split()).rstrip(".").replace("Value error, ", "")
    errors = getattr(error.__cause__, "errors", None)  # pydantic's, which knows the value
    if errors is not None:
        fault = fault.replace("Invalid value for", f"Invalid value {errors()[0]['input']!r} for", 1)
    command = error.ctx.command_path if error.ctx else "erpbench"
    typer.echo(error_text(ValueError(f"{fault}; see `{command} --help`")), err=True)
    return typer.Exit(exits.BAD_USE)
