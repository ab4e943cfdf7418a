"""`erpbench run`, `resume` and `status`: play a run, go on with one, say how far one is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from analysis.tables import inert_json
from erpbench import exits, live, options
from erpbench.dry_run import Basis, print_expectation
from erpbench.terminal import inert, output, progress_console, show

if TYPE_CHECKING:
    from actors.planning import RunRequest
    from actors.progress import Listener
    from actors.run_file import RunPlan, RunSettings
    from actors.summary import Summary
    from analysis.report import Report

SHOWN_TABLES: Final = ("results", "winners", "interventions", "seats", "missing")
"""Tables of the report that a run prints at its end; the report has more."""


def run(
    problems: options.Problems = "6",
    ecology: options.Ecologies = None,
    models: options.ModelsFile = None,
    panel: options.PanelFile = None,
    lineup: options.Lineup = None,
    out: options.OutFolder = None,
    trials: options.Trials = 1,
    seed: options.StandinSeed = 0,
    delay: options.Delay = None,
    shards: options.Shards = None,
    in_flight: options.InFlight = None,
    address: options.Address = None,
    infra_fallback: options.InfraFallback = False,
    proxies: options.Proxies = False,
    fault: options.Faults = None,
    budget: options.Budget = None,
    no_preflight: options.NoPreflight = False,
    dry_run: options.DryRun = False,
    like: options.LikeRun = None,
    latency: options.Latency = None,
    dashboard: options.Dashboard = False,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Play problems, write records and report, print the tables.

    Without options: 6 problems in Solo and Arena with the six stand-in models; no key is needed.
    """
    from actors import driver
    from actors.planning import RunRequest

    files = _given(panel_path=_text(panel), models_path=_text(models), standin_faults=tuple(fault or ()))
    how = _given(delay=delay, shards=shards, in_flight=in_flight, address=address, budget_usd=budget)
    flags = _given(use_proxies=proxies, dashboard=dashboard, skip_preflight=no_preflight)
    request = RunRequest(
        problems, _parts(ecology), _parts(lineup), trials=trials, infra_fallback=infra_fallback, standin_seed=seed
    )
    plan, settings = _planned(request, files | how | flags)
    basis = _basis(dry_run, like, latency)
    if basis is not None:
        print_expectation(plan, settings, basis, as_json)
    else:
        play_and_report(partial(driver.play, out or _dated_folder(Path("runs")), plan, settings), no_report, as_json)


def resume(
    folder: options.RunFolder,
    accept_changes: Annotated[
        bool, typer.Option("--accept-changes", help="Go on although rules, panel, models or prompts have changed.")
    ] = False,
    delay: options.Delay = None,
    shards: options.Shards = None,
    in_flight: options.InFlight = None,
    address: options.Address = None,
    budget: options.Budget = None,
    models: options.MovedModels = None,
    panel: options.MovedPanel = None,
    no_preflight: options.NoPreflight = False,
    dashboard: options.Dashboard = False,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Go on with a run that was interrupted or has failed markets.

    Nothing that was played is played twice, and no reply that was received is asked for again. Options left out are
    those that the run was started with.
    """
    from actors import driver, run_file

    recorded = run_file.load(folder)
    how = _given(delay=delay, shards=shards, in_flight=in_flight, address=address, budget_usd=budget)
    changed = how | _given(dashboard=dashboard, skip_preflight=no_preflight) | options.files(models, panel)
    settings = replace(recorded.settings, **changed) if changed else None
    play_and_report(lambda listener: driver.resume(folder, listener, settings, accept_changes), no_report, as_json)


def status(folder: options.RunFolder, as_json: options.AsJson = False) -> None:
    """Say how far a run is, also while it is being played.

    Exits with 1 while markets are left or given up.
    """
    from actors import driver, run_file

    run_id = run_file.load(folder).run_id
    progress = driver.status(folder)
    if as_json:
        typer.echo(json.dumps({"run_id": run_id, "progress": asdict(progress)}))
    else:
        console = output()
        console.print(f"Run {run_id} in {inert(str(folder))}")
        console.print(live.line(progress), soft_wrap=True)
        for category, count in sorted(progress.events.items()):
            console.print(f"  {inert(category)}: {count:,}")
    raise typer.Exit(exits.DONE if progress.markets_done == progress.markets_total else exits.INCOMPLETE)


def _planned(request: RunRequest, given: dict[str, Any]) -> tuple[RunPlan, RunSettings]:
    """The plan that is asked for and how it is played; what a person should know of it is printed."""
    from actors.planning import make_plan, notes_on
    from actors.run_file import RunSettings

    settings = replace(RunSettings(), **given)
    plan = make_plan(request, settings)
    for note in notes_on(request, settings):
        typer.echo(f"note: {inert(note)}", err=True)
    return plan, settings


def _basis(dry_run: bool, like: Path | None, latency: float | None) -> Basis | None:
    """What a dry run goes by; None without one."""
    if not dry_run and (like is not None or latency is not None):
        raise typer.BadParameter("--like and --latency say what a dry run goes by; add --dry-run, or leave them out")
    return Basis(like, latency) if dry_run else None


def play_and_report(play: Callable[[Listener], Summary], no_report: bool, as_json: bool) -> None:
    """Play with progress on the error stream, then print the report and leave with the code that fits."""
    with live.shown(progress_console()) as listener:
        summary = play(listener)
    report = None if no_report or summary.interrupted else _written_report(summary.folder)
    if as_json:
        typer.echo(inert_json(_summary_figures(summary, report)))
    else:
        _print_end(summary, report)
    if summary.interrupted:
        raise typer.Exit(exits.INTERRUPTED)
    raise typer.Exit(exits.DONE if summary.complete else exits.INCOMPLETE)


def _written_report(folder: Path) -> Report:
    from erpbench.report_files import REPORT_NAME, build_report, write_report
    from erpbench.report_formats import PAGE

    report = build_report([folder])
    write_report(report, folder / REPORT_NAME, PAGE)
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


def _given(**values: object) -> dict[str, Any]:
    """The settings that were given on the command line, by name; the others keep what they are."""
    # By identity: a delay of 0 is given, and equals False.
    return {name: value for name, value in values.items() if value is not None and value is not False and value != ()}


def _parts(text: str | None) -> tuple[str, ...]:
    """Items of a comma list, empty ones too: they are refused by whoever knows what an item may be."""
    return () if text is None else tuple(part.strip() for part in text.split(","))


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _dated_folder(parent: Path) -> Path:
    """A folder named by today's date and time; numbered if two runs start in one second."""
    name = datetime.now(UTC).astimezone().strftime("%Y-%m-%d_%H%M%S")
    folder, number = parent / name, 1
    while folder.exists():
        number += 1
        folder = parent / f"{name}-{number}"
    return folder
