"""A play from the command line: progress while it lasts, tables, records and the exit code at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import typer

from analysis.tables import inert_json
from erpbench import exits, live
from erpbench.terminal import inert, output, progress_console, show

if TYPE_CHECKING:
    from actors.progress import Listener
    from actors.summary import Summary
    from analysis.report import Report

SHOWN_TABLES: Final = ("results", "winners", "interventions", "seats", "missing")
"""Tables of the report that a run prints at its end; the report has more."""


class Shown(NamedTuple):
    """What a play leaves to be read: whether there is no report, and whether the output is JSON."""

    no_report: bool
    as_json: bool


def play_and_report(play: Callable[[Listener], Summary], shown: Shown) -> None:
    """Play with progress on the error stream, then print the report and leave with the code that fits."""
    with live.shown(progress_console()) as listener:
        summary = play(listener)
        report = None if shown.no_report or summary.interrupted else _written_report(summary, listener)
    if shown.as_json:
        typer.echo(inert_json(_summary_figures(summary, report)))
    else:
        _print_end(summary, report)
    if summary.interrupted:
        raise typer.Exit(exits.INTERRUPTED)
    raise typer.Exit(exits.DONE if summary.complete else exits.INCOMPLETE)


def _written_report(summary: Summary, listener: Listener) -> Report:
    listener(replace(summary.progress, stage="writing the report"))
    from erpbench.report_files import build_report, report_folder, write_report
    from erpbench.report_formats import PAGE

    report = build_report([summary.folder])
    write_report(report, report_folder([summary.folder]), PAGE)
    return report


def _print_end(summary: Summary, report: Report | None) -> None:
    console = output()
    if report is not None:
        by_name = {table.name: table for table in report.tables}
        for name in SHOWN_TABLES:
            if name in by_name:
                show(console, by_name[name])
    console.print()
    console.print(live.line(summary.progress), soft_wrap=True)
    for stop in summary.stops:
        console.print(f"stopped: {inert(stop)}", soft_wrap=True)
    for failure in summary.failures:
        console.print(f"failed: {inert(failure)}", soft_wrap=True)
    if summary.standin_replies is not None:
        console.print(f"Stand-in server: {summary.standin_replies:,} replies by its own count", soft_wrap=True)
    folder = inert(str(summary.folder))
    for name, place in {"Records": "records", "Report": "report/index.html"}.items():
        if (summary.folder / place).exists():
            console.print(f"{name + ':':9}{folder}/{place}", soft_wrap=True)
    if not summary.complete:
        console.print(f"Go on:   erpbench resume {folder}{_higher_budget(summary)}", soft_wrap=True)


def _higher_budget(summary: Summary) -> str:
    from actors.budget import is_spent

    budget_usd, reckoned_usd = summary.progress.budget_usd, summary.progress.reckoned_usd
    if budget_usd is None or not is_spent(reckoned_usd, budget_usd):
        return ""
    return f" --budget {2 * max(budget_usd, reckoned_usd or 0.0):.2f}"


def _summary_figures(summary: Summary, report: Report | None) -> dict[str, Any]:
    return {
        "run_id": summary.run_id,
        "folder": str(summary.folder),
        "complete": summary.complete,
        "interrupted": summary.interrupted,
        "failures": list(summary.failures),
        "stops": list(summary.stops),
        "standin_replies": summary.standin_replies,
        "progress": asdict(summary.progress),
        "report": None if report is None else report.figures,
    }
