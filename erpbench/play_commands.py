"""`erpbench run`, `resume` and `status`: play a run, go on with one, say how far one is."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from erpbench import exits, live, options
from erpbench.dry_run import Basis, print_expectation
from erpbench.playing import Shown, play_and_report
from erpbench.replay_command import replay_and_report
from erpbench.terminal import inert, output

if TYPE_CHECKING:
    from actors.planning import RunRequest
    from actors.progress import Listener
    from actors.run_file import RunPlan, RunSettings
    from actors.summary import Summary

REPLAYED_WITH: Final = frozenset(
    {"replay", "out", "models", "panel", "shards", "in_flight", "no_report", "as_json", "dashboard"}
)
"""Parameters of `run` that say how a replay is played; all others are settled by the run that is replayed."""


def run(
    context: typer.Context,
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
    replay: options.Replayed = None,
    dashboard: options.Dashboard = False,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Play problems, write records and report, print the tables.

    Without options: 6 problems in Solo and Arena with the six stand-in models; no key is needed.
    """
    folder, shown = out or _dated_folder(Path("runs")), Shown(no_report, as_json)
    files, here = options.files(models, panel), _given(shards=shards, in_flight=in_flight, dashboard=dashboard)
    if replay is not None:
        _refuse_beside_replay(context)
        replay_and_report(replay, folder, files | here, shown)
        return
    how = _given(delay=delay, address=address, budget_usd=budget, use_proxies=proxies, skip_preflight=no_preflight)
    seats = {"ecologies": _parts(ecology), "lineup": _parts(lineup), "trials": trials}
    request = _request(problems, **seats, infra_fallback=infra_fallback, standin_seed=seed)
    planned = _planned(request, files | here | how | _given(standin_faults=tuple(fault or ())))
    _play(folder, planned, _basis(dry_run, like, latency), shown)


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
    replay: options.MovedReplayed = None,
    no_preflight: options.NoPreflight = False,
    dashboard: options.Dashboard = False,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Go on with a run that was interrupted or has failed markets.

    Nothing that was played is played twice, and no reply that was received is asked for again. Options left out are
    those that the run was started with.
    """
    from actors import run_file

    recorded = run_file.load(folder)
    how = _given(delay=delay, shards=shards, in_flight=in_flight, address=address, budget_usd=budget)
    changed = how | _given(dashboard=dashboard, skip_preflight=no_preflight) | options.files(models, panel, replay)
    settings = replace(recorded.settings, **changed) if changed else None

    def go_on(listener: Listener) -> Summary:
        from actors import driver

        return driver.resume(folder, listener, settings, accept_changes)

    play_and_report(go_on, Shown(no_report, as_json))


def status(folder: options.RunFolder, as_json: options.AsJson = False) -> None:
    """Say how far a run is, also while it is being played.

    Exits with 1 while markets are left or given up.
    """
    from actors import driver, run_file
    from actors.time_split import time_split

    run_id = run_file.load(folder).run_id
    progress, spent = driver.status(folder), time_split(folder)
    if as_json:
        typer.echo(json.dumps({"run_id": run_id, "progress": asdict(progress), "time_s": spent}))
    else:
        console = output()
        console.print(f"Run {run_id} in {inert(str(folder))}")
        console.print(live.line(progress), soft_wrap=True)
        for category, count in sorted(progress.events.items()):
            console.print(f"  {inert(category)}: {count:,}")
        if spent:
            console.print(f"  {live.time_line(spent)}", soft_wrap=True)
    raise typer.Exit(exits.DONE if progress.markets_done == progress.markets_total else exits.INCOMPLETE)


def _refuse_beside_replay(context: typer.Context) -> None:
    """Refuse options that say what is played: a replay plays what was played."""
    settled = (name for name in context.params if name not in REPLAYED_WITH)
    wrong = [f"--{name.replace('_', '-')}" for name in settled if _is_given(context, name)]
    if wrong:
        raise typer.BadParameter(
            f"{wrong[0]} says what is played or how models are called, and --replay plays what was played in its run,"
            " without a call; leave one of the two out"
        )


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _request(problems: str, **given: Any) -> RunRequest:
    from actors.planning import RunRequest

    return RunRequest(problems, **given)


def _play(folder: Path, planned: tuple[RunPlan, RunSettings], basis: Basis | None, shown: Shown) -> None:
    """Play, or print what that is expected to take where there is something to go by."""

    def begin(listener: Listener) -> Summary:
        from actors import driver  # which loads Ray: a second in which something is to be seen

        return driver.play(folder, *planned, listener)

    if basis is not None:
        print_expectation(*planned, basis, shown.as_json)
    else:
        play_and_report(begin, shown)


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


def _given(**values: object) -> dict[str, Any]:
    """The settings that were given on the command line, by name; the others keep what they are."""
    # By identity: a delay of 0 is given, and equals False.
    return {name: value for name, value in values.items() if value is not None and value is not False and value != ()}


def _parts(text: str | None) -> tuple[str, ...]:
    """Items of a comma list, empty ones too: they are refused by whoever knows what an item may be."""
    return () if text is None else tuple(part.strip() for part in text.split(","))


def _dated_folder(parent: Path) -> Path:
    """A folder named by today's date and time; numbered if two runs start in one second."""
    name = datetime.now(UTC).astimezone().strftime("%Y-%m-%d_%H%M%S")
    folder, number = parent / name, 1
    while folder.exists():
        number += 1
        folder = parent / f"{name}-{number}"
    return folder
