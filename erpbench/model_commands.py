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
from erpbench.live_check import print_live_check
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
    context: typer.Context,
    models: Annotated[
        Path | None, typer.Option("--models", metavar="FILE", help="Models file; may be left out with --prompts.")
    ] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Say how many tokens the prompts, tools and answers have.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Have each model make one real decision, which costs what it costs.")
    ] = False,
    proxies: options.Proxies = False,
) -> None:
    """Read a models file, and say what is still to be done before it can play; without --live no call is made.

    With --live every model makes the first decision of the first problem, as before a run. A table tells whether its
    key is good, the model is found, tools are called and a decision can be read, with tokens, seconds and cost.

    With --prompts the tokens of all that a model is sent are told as well: counted by o200k_base where the extra
    `tokens` is installed, else estimated. The largest round prompt is looked for in a market of 12 firms.
    """
    if live and models is None:
        raise typer.BadParameter("which models are to be called: name a models file with --models", context)
    if models is not None:
        _check(models, live)
    elif not prompts:
        raise typer.BadParameter("nothing to check: name a models file with --models, or ask for --prompts", context)
    if prompts:
        _show_prompts()
    if live and models is not None:
        print_live_check(_read(models), proxies)


def _check(models: Path, live: bool) -> None:
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
    if not live:  # else a missing key has its place in the table
        require_keys(chosen, os.environ)
        typer.echo(inert(f"{chosen.source}: {counted(len(chosen.entries), 'model')}, every key is set"))
    if len(chosen.entries) != SEATS:
        typer.echo(f"Solo can be played; Arena seats exactly {SEATS} models (or name seats with --lineup)")


def _show_prompts() -> None:
    import asyncio

    from actors.llm.prompt_sizes import prompt_sizes
    from actors.llm.token_counts import BAND, ENCODING, has_tokenizer
    from ecologies.problems import shipped_panel

    counted_with = f"counted with {ENCODING}; other tokenizers differ"
    estimated = f"estimated from characters, to within {BAND:.0%}; install the extra `tokens` to count"
    about = "" if has_tokenizer() else "about "
    rows = tuple(
        (size.what, f"{about}{size.tokens:,}", "" if size.limit is None else f"{size.limit:,}")
        for size in asyncio.run(prompt_sizes(shipped_panel().problems))
    )
    columns = (text_column("Text"), Column("Tokens"), Column("At most"))
    show(
        output(),
        Table("prompts", "Tokens of what a model is sent", columns, rows, (counted_with if not about else estimated,)),
    )


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
        "dialect": "http" if entry.policy == "http" else entry.dialect,
        "api_key_env": entry.api_key_env,
        "key": key,
        "standin": entry.standin,
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)
