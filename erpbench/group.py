"""The group of all commands: turns the project's errors into one clear line and an exit code."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from erpbench import exits
from erpbench.terminal import error_text
from erpsim.errors import ErpbenchError


class Commands(TyperGroup):
    """All commands; an error that was raised on purpose ends in `error: …` and code 2, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Invoke the command that was asked for."""
        try:
            return super().invoke(ctx)
        except ErpbenchError as error:
            typer.echo(error_text(error), err=True)
            raise typer.Exit(exits.BAD_USE) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(exits.INTERRUPTED) from None
