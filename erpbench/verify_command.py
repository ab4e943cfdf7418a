"""`erpbench verify`: hold a run's records against what the rules give for its recorded replies."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import typer

from erpbench import exits, options
from erpbench.terminal import counted, inert, output, progress_console

if TYPE_CHECKING:
    from actors.verification import Verdict

SHOWN_CHARACTERS = 120
"""Length to which a value that differs is shown."""


def verify(
    folder: options.RunFolder,
    models: options.MovedModels = None,
    panel: options.MovedPanel = None,
    as_json: options.AsJson = False,
) -> None:
    """Play every committed round of a run again from its recorded replies, and say whether the records are those.

    Calls nothing and writes nothing. Exits with 1 where a record differs, a reply is missing, something is recorded
    that is not in the run's plan, a file in records/ is not what the journal gives, or no round is committed. What a
    call took and cost, and the text of a failure, are not played again: they are as they were recorded.
    """
    import asyncio

    from actors import run_file
    from actors.verification import verify

    console = progress_console()

    def told(done: int, total: int) -> None:
        if console.is_terminal or done == total or done % 50 == 0:
            console.print(f"{done} of {counted(total, 'market')} played again", end="\r" if done < total else "\n")

    recorded = run_file.load(folder).settings
    verdict = asyncio.run(verify(folder, told, replace(recorded, **options.files(models, panel))))
    if as_json:
        typer.echo(json.dumps({"holds": verdict.holds, **asdict(verdict)}))
    else:
        _print(verdict)
    raise typer.Exit(exits.DONE if verdict.holds else exits.INCOMPLETE)


def _print(verdict: Verdict) -> None:
    console = output()
    for found in verdict.differences:
        place = f"{found.market_id}, round {found.round}, seat {found.seat}: {found.table}.{found.column}"
        console.print(inert(f"differs: {place}"), soft_wrap=True)
        console.print(
            inert(f"  recorded {_short(found.recorded)}, the rules give {_short(found.computed)}"), soft_wrap=True
        )
    for line in verdict.unexplained:
        console.print(inert(f"cannot be explained: {line}"), soft_wrap=True)
    for name in verdict.files:
        console.print(inert(f"differs: {name} is not what the journal gives; `erpbench resume` writes it again"))
    taken = (
        f"; {counted(verdict.taken, 'decision')} taken as recorded, since no reply explains them"
        if verdict.taken
        else ""
    )
    played = f"{counted(verdict.markets, 'market')}, {counted(verdict.rounds, 'market-round')} played again{taken}"
    end = "every record is what the rules give" if verdict.holds else "the records are not what the rules give"
    if not verdict.rounds:
        end = "no round is committed, so there is nothing to verify"
    console.print(f"{played}: {end}", soft_wrap=True)
    if verdict.finished < verdict.planned:
        console.print(f"{verdict.finished} of {counted(verdict.planned, 'market')} of the plan are played to their end")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
