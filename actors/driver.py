"""Plays a run: starts Ray and the actors, fans the markets out, and leaves nothing running behind.

plan = make_plan(RunRequest(problems="6"), settings)      # actors.planning
summary = play(Path("runs/first"), plan, settings, listener)
summary = resume(Path("runs/first"), listener)
progress = status(Path("runs/first"))                     # reads the journal only, also while the run is played
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from actors import remote, run_file, store
from actors.assignment import Assignment
from actors.backlog import Backlog
from actors.budget import is_spent, require_prices, require_rest
from actors.deciders import Sealed, StandardDeciders
from actors.entries import read_learnt
from actors.fan_out import Bounds, fan_out
from actors.folder_lock import held
from actors.journal import Journal
from actors.llm.agent import AgentOptions
from actors.llm.governor import Standing
from actors.llm.refusals import refusal_line
from actors.llm.support import refuse_unsupported
from actors.llm.switches import Switches
from actors.messages import Lost
from actors.planning import Sources, extent_of_plan, present_plan, read_sources, work_of
from actors.preflight import preflight
from actors.progress import Listener, Progress
from actors.pulse import Pulse
from actors.ray_session import RayChoice, ray_session
from actors.run_file import JOURNAL_NAME, RECORDS_NAME, RunFile, RunPlan, RunSettings
from actors.standin_process import StandinServer, standin_server
from actors.stop_signals import StopSignals, stop_signals
from actors.summary import Summary, failure_lines, stop_lines
from actors.tally import Tally, extent_of
from ecologies.models import Models, choose, require_keys, standin_models
from ecologies.work import WorkUnit
from erpsim.errors import ProviderError, RunError

LOCK_NAME: Final = "run.lock"
CORES_PER_SHARD: Final = 8
CLOSE_SECONDS: Final = 10.0
SNAPSHOT_SECONDS: Final = 5.0


def play(folder: Path, plan: RunPlan, settings: RunSettings, listener: Listener) -> Summary:
    """Make the folder, play every market of the plan and write the records.

    Ctrl-C and SIGTERM end it cleanly: the journal is consistent and the summary says `interrupted`.

    Raises:
        RunError: the folder cannot be used, or Ray or an actor does not come up in time.
        ModelsError: a key is missing or the models file makes no sense.
        ProviderError: a model's server refuses to work at all.
    """
    settings = _absolute(settings)
    sources = read_sources(settings)
    _check_models(plan, sources, settings)
    made = run_file.create(folder, plan, settings, datetime.now(UTC).isoformat(timespec="seconds"))
    with held(folder / LOCK_NAME):
        return _play(folder, made, sources, listener)


def resume(
    folder: Path, listener: Listener, settings: RunSettings | None = None, accept_changes: bool = False
) -> Summary:
    """Go on with a run from what its journal holds; `settings` replaces those in the folder.

    Raises:
        RunError: rules, panel, models file or prompts are not those of the run and `accept_changes` is not set; the
            message names each difference. Or the journal is gone though records were written. Otherwise as `play`.
    """
    found = run_file.load(folder)
    with held(folder / LOCK_NAME):
        if settings is not None:
            found = replace(found, settings=_absolute(settings))
        sources = read_sources(found.settings)
        changed = run_file.differences(found.plan, present_plan(found.plan, sources))
        if changed and not accept_changes:
            raise RunError(
                f"{folder}: cannot go on as it was begun: {'; '.join(changed)}. Put that back, or accept the changes"
            )
        _check_models(found.plan, sources, found.settings)
        if settings is not None:
            run_file.save(folder, found)
        if _has_journal(folder):
            _check_journal(folder)
        return _play(folder, found, sources, listener)


def status(folder: Path) -> Progress:
    """Say how far the run in a folder is, from its journal and `run.toml`; no models file is needed.

    Raises:
        RunError: the folder holds no run or cannot be read.
    """
    found = run_file.load(folder)
    extent = extent_of_plan(found.plan, found.settings)
    if not _has_journal(folder):
        return replace(Tally().progress(extent), stage="not begun")
    progress = replace(Tally.of(folder / JOURNAL_NAME).progress(extent), budget_usd=found.settings.budget_usd)
    return replace(progress, stage="done" if progress.markets_done == progress.markets_total else "to be continued")


@dataclass(frozen=True)
class _Play:
    """One play of a run: what is asked of it, and the ways to speak with the person who watches."""

    run: RunFile
    models: Models
    assignment: Assignment
    open_units: tuple[WorkUnit, ...]
    fresh: bool
    pulse: Pulse
    signals: StopSignals


def _play(folder: Path, run: RunFile, sources: Sources, listener: Listener) -> Summary:
    units = work_of(run.plan, sources).units
    Journal(folder / JOURNAL_NAME, writable=True).close()
    before = Tally.of(folder / JOURNAL_NAME)
    pulse = Pulse(listener, replace(before.progress(extent_of(units)), budget_usd=run.settings.budget_usd))
    replies = None
    with stop_signals() as signals:
        play = _Play(
            run=run,
            models=choose(sources.models, run.plan.models),
            assignment=Assignment(run.run_id, units, run.plan.infra_fallback),
            open_units=tuple(unit for unit in units if unit.market.market_id not in before.finished),
            fresh=not before.rounds and not before.calls,
            pulse=pulse,
            signals=signals,
        )
        if play.open_units:
            require_rest(pulse.last, run.settings.budget_usd)
            with suppress(KeyboardInterrupt):
                _preflight(folder, play)
                replies = _play_markets(folder, play)
        Journal(folder / JOURNAL_NAME, writable=True).close()  # the last writer to leave folds the log into the file
        told = Tally.of(folder / JOURNAL_NAME).progress(extent_of(units))
        progress = replace(told, budget_usd=run.settings.budget_usd, quota_spent=pulse.last.quota_spent)
        progress = replace(progress, notes=pulse.last.notes)
        if not signals.asked:
            pulse.stage("writing records", progress)
            store.export(folder, run.run_id, len(run.plan.models))
        return _summary(folder, play, progress, replies)


def _preflight(folder: Path, play: _Play) -> None:
    """Ask every real model once, before anything is started that costs time or money.

    Raises:
        ProviderError: a model's server refuses to work.
    """
    if play.run.plan.standin_seed is None and not play.run.settings.skip_preflight:
        play.pulse.stage("asking each model once")
        with play.signals.interrupting():
            play.pulse.note(preflight(folder, play.run, play.models.entries, play.open_units))


def _play_markets(folder: Path, play: _Play) -> int | None:
    """Play the open markets on Ray; gives the replies that the stand-in server counted, if there is one."""
    settings = play.run.settings
    replies = None
    with ExitStack() as stack:
        with play.signals.interrupting():
            server = stack.enter_context(_server(play)) if play.run.plan.standin_seed is not None else None
            play.pulse.stage("starting Ray")
            stack.enter_context(ray_session(RayChoice(settings.address, settings.dashboard, settings.ready_seconds)))
            remote.check_workers(settings.ready_seconds)
            play.pulse.stage("starting actors")
            nodes = _nodes(settings, local_only=server is not None)
            deciders = replace(_deciders(play, server, len(nodes)), learnt=_learnt(folder))
            common = remote.Common(deciders.shared_terms(), settings.budget_usd)
            cast = remote.start_cast(folder, play.assignment, deciders.at, nodes, common)
            remote.await_cast(cast, settings.ready_seconds)
        accounts = {entry.label: entry.account_name for entry in deciders.entries}
        backlog = Backlog(play.open_units, play.fresh, settings.market_tries, accounts)
        fan_out(cast, backlog, play.assignment, Bounds(settings.in_flight, partial(_told, play, cast)))
        if _is_spent(play):
            play.pulse.stage("budget spent, waiting for open calls")
            longest_s = max(entry.timeouts.total for entry in deciders.entries)
            remote.stop_calls(cast, longest_s + CLOSE_SECONDS, lambda: play.signals.asked)
        play.pulse.stage("stopping", _snapshot(play, cast))
        remote.end_cast(cast, CLOSE_SECONDS)
        if server is not None:
            replies = server.replies()
    refused = play.pulse.last.refused
    if refused is not None:
        raise ProviderError(refusal_line(play.models.entry(refused.model), refused.error_class, refused.message))
    if backlog.error is not None:
        raise backlog.error
    return replies


def _told(play: _Play, cast: remote.Cast, in_flight: int) -> bool:
    """Tell the listener how far the run is when it is time to, and say whether the run is to stop."""
    if play.pulse.due():
        progress = _snapshot(play, cast)
        if progress is not None:
            play.pulse.playing(progress, in_flight)
    return play.signals.asked or _is_spent(play) or play.pulse.last.refused is not None


def _is_spent(play: _Play) -> bool:
    budget_usd = play.run.settings.budget_usd
    return budget_usd is not None and is_spent(play.pulse.last.reckoned_usd, budget_usd)


def _snapshot(play: _Play, cast: remote.Cast) -> Progress | None:
    """How far the run is by the audit actor; None while that is on its way back."""
    accounts: tuple[Standing, ...] = ()
    if cast.desk is not None:
        with suppress(Lost):
            accounts = remote.ask(cast.desk.standing.remote(), SNAPSHOT_SECONDS)
    with suppress(Lost):
        progress: Progress = remote.ask(cast.audit.snapshot.remote(), SNAPSHOT_SECONDS)
        return replace(progress, budget_usd=play.run.settings.budget_usd, accounts=accounts)
    return None


def _server(play: _Play) -> AbstractContextManager[StandinServer]:
    plan, settings = play.run.plan, play.run.settings
    play.pulse.stage("starting the stand-in models")
    options = ["--port", str(settings.standin_port), "--seed", str(plan.standin_seed)]
    options += [] if settings.delay is None else ["--delay", str(settings.delay)]
    options += [part for fault in settings.standin_faults for part in ("--fault", fault)]
    return standin_server(options)


def _deciders(play: _Play, server: StandinServer | None, shards: int) -> StandardDeciders:
    plan = play.run.plan
    models = play.models if server is None else choose(standin_models(server.base_url), plan.models)
    names = [entry.api_key_env for entry in models.entries if entry.api_key_env]
    return StandardDeciders(
        entries=models.entries,
        sealed=Sealed({name: os.environ[name] for name in names}),
        options=AgentOptions(plan.tool_turns, plan.reasks),
        shards=shards,
        proxies=dict(os.environ) if play.run.settings.use_proxies else {},
    )


def _learnt(folder: Path) -> dict[str, Switches]:
    """What earlier plays found out about the models' servers."""
    journal = Journal(folder / JOURNAL_NAME, writable=False)
    try:
        return read_learnt(journal.rows("learnt"))
    finally:
        journal.close()


def _nodes(settings: RunSettings, local_only: bool) -> list[str]:
    """Node of each shard; the stand-in server is on loopback, so its models play beside it."""
    nodes = remote.alive_nodes()[:1] if local_only else remote.alive_nodes()
    shards = settings.shards or max(1, remote.cpus() // CORES_PER_SHARD)
    return [nodes[number % len(nodes)] for number in range(shards)]


def _has_journal(folder: Path) -> bool:
    """Whether a run was begun.

    Raises:
        RunError: its records are there and its journal is not.
    """
    journal, records = folder / JOURNAL_NAME, folder / RECORDS_NAME
    if not journal.exists() and records.exists():
        raise RunError(f"{journal}: not found, though {records} is there; put the journal back, or start a new run")
    return journal.exists()


def _check_journal(folder: Path) -> None:
    journal = Journal(folder / JOURNAL_NAME, writable=True)
    try:
        journal.check()
    finally:
        journal.close()


def _check_models(plan: RunPlan, sources: Sources, settings: RunSettings) -> None:
    models = choose(sources.models, plan.models)
    refuse_unsupported(models.entries, models.source)
    require_keys(models, os.environ)
    require_prices(models.entries, settings.budget_usd)


def _absolute(settings: RunSettings) -> RunSettings:
    """Settings whose paths hold wherever a resume is called from."""
    panel, models = (
        str(Path(path).absolute()) if path else None for path in (settings.panel_path, settings.models_path)
    )
    return replace(settings, panel_path=panel, models_path=models)


def _summary(folder: Path, play: _Play, progress: Progress, replies: int | None) -> Summary:
    complete = progress.markets_done == progress.markets_total
    play.pulse.stage("interrupted" if play.signals.asked else "done", progress)
    return Summary(
        run_id=play.run.run_id,
        folder=folder,
        progress=replace(progress, stage="done" if complete else "to be continued", elapsed_s=play.pulse.elapsed_s()),
        complete=complete,
        interrupted=play.signals.asked and not complete,
        failures=failure_lines(folder),
        stops=() if complete else stop_lines(play.models, progress),
        standin_replies=replies,
    )
