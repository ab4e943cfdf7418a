"""`erpbench models list` and `check`: the models file and the keys that it asks for. A key is never shown."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from analysis.tables import Column, Table, text_column
from erpbench import options
from erpbench.examples import examples
from erpbench.terminal import counted, inert, output, show
from erpsim.errors import ModelsError

if TYPE_CHECKING:
    from ecologies.models import ModelEntry, Models

PLACEHOLDER: Final = "SET-ME"
"""Name of a model that the example file asks to replace."""
NO_ADDRESS: Final = "http://127.0.0.1/v1"

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="The models file: list it, check it.")


@app.command("list", epilog=examples("models list"))
def list_models(models: options.ModelsFile = None, as_json: options.AsJson = False) -> None:
    """List the models that would play, by seat."""
    chosen = _read(models)
    if as_json:
        typer.echo(json.dumps([_figures(seat, entry) for seat, entry in enumerate(chosen.entries)]))
        return
    names = ("Model", "Served at", "Name there", "Dialect", "Key variable", "Key")
    columns = (Column("Seat"), *(text_column(name) for name in names))
    rows = tuple(
        (seat, *(_text(figures[name]) for name in ("label", "base_url", "model", "dialect", "api_key_env", "key")))
        for seat, figures in enumerate(_figures(seat, entry) for seat, entry in enumerate(chosen.entries))
    )
    show(output(), Table("models", f"{counted(len(rows), 'model')}: {chosen.source}", columns, rows))


@app.command("check", epilog=examples("models check"))
def check_models(
    models: Annotated[Path, typer.Option("--models", metavar="FILE", help="Models file.")],
) -> None:
    """Read a models file, and say what is still to be done before it can play; no call is made."""
    from actors.llm.support import refuse_unsupported
    from ecologies.ecology import SEATS
    from ecologies.models import require_keys
    from ecologies.work import check_labels

    chosen = _read(models)
    check_labels([entry.label for entry in chosen.entries])
    unset = [entry.label for entry in chosen.entries if entry.model == PLACEHOLDER]
    if unset:
        raise ModelsError(
            f"{chosen.source}: model is still {PLACEHOLDER} for {', '.join(unset)}; write the name at its server"
        )
    refuse_unsupported(chosen.entries, chosen.source)
    require_keys(chosen, os.environ)
    typer.echo(inert(f"{chosen.source}: {counted(len(chosen.entries), 'model')}, every key is set"))
    if len(chosen.entries) != SEATS:
        typer.echo(f"Solo can be played; Arena seats exactly {SEATS} models (or name seats with --lineup)")


def _read(path: Path | None) -> Models:
    from ecologies.models import load_models, standin_models

    return standin_models(NO_ADDRESS) if path is None else load_models(path)


def _figures(seat: int, entry: ModelEntry) -> dict[str, object]:
    key = "none needed"
    if entry.api_key_env:
        key = "set" if os.environ.get(entry.api_key_env, "").strip() else "missing"
    return {
        "seat": seat,
        "label": entry.label,
        "base_url": "started with the run" if entry.base_url == NO_ADDRESS else entry.base_url,
        "model": entry.model,
        "dialect": entry.dialect,
        "api_key_env": entry.api_key_env,
        "key": key,
        "standin": entry.standin,
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)
