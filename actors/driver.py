"""Plays a run: starts Ray and the actors, fans the markets out, and leaves nothing running behind.

plan = make_plan(RunRequest(problems="6"), settings)      # actors.planning
summary = play(Path("runs/first"), plan, settings, listener)
summary = resume(Path("runs/first"), listener)
progress = status(Path("runs/first"))                     # reads the journal only, also while the run is played
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from actors import audit, run_file, store
from actors.assignment import Assignment
from actors.budget import require_prices, require_rest
from actors.folder_lock import held
from actors.journal import Journal
from actors.llm.support import refuse_unsupported
from actors.planning import extent_of_plan, present_plan, work_of
from actors.playing import Play, play_markets
from actors.preflight import preflight
from actors.progress import Listener, Progress
from actors.pulse import Pulse
from actors.run_file import JOURNAL_NAME, RECORDS_NAME, RunFile, RunPlan, RunSettings
from actors.sources import (
    Sources,
    copies_hint,
    found_again,
    keep_sources,
    read_sources,
    require_files,
    require_replayed,
)
from actors.stop_signals import stop_signals
from actors.summary import Summary, failure_lines, stop_lines
from actors.tally import Tally, extent_of
from ecologies.models import choose, require_keys
from erpsim.errors import RunError

LOCK_NAME: Final = "run.lock"
WRITTEN: Final = (
    f"{run_file.FILE_NAME}.new",
    LOCK_NAME,
    JOURNAL_NAME,
    audit.LOCK_NAME,
    f"{JOURNAL_NAME}-wal",
    f"{JOURNAL_NAME}-shm",
    RECORDS_NAME,
)
"""What a play writes in a run folder; `run.toml` itself is put in the place of whatever is there."""


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
        keep_sources(folder, settings)
        return _play(folder, made, sources, listener)


def resume(
    folder: Path, listener: Listener, settings: RunSettings | None = None, accept_changes: bool = False
) -> Summary:
    """Go on with a run from what its journal holds; `settings` replaces those in the folder.

    Changes that are accepted are written down in `run.toml`: the run is then no one set-up's.

    Raises:
        RunError: rules, panel, models file or prompts are not those of the run and `accept_changes` is not set; the
            message names each difference. Or the journal is gone though records were written. Otherwise as `play`.
    """
    found = run_file.load(folder)
    run_file.refuse_links(folder, WRITTEN)
    with held(folder / LOCK_NAME):
        if settings is not None:
            found = replace(found, settings=_absolute(settings))
        here = found_again(folder, found.settings)
        require_files(folder, here)
        sources = read_sources(here)
        changed = run_file.differences(found.plan, present_plan(found.plan, sources))
        if changed and not accept_changes:
            hint = copies_hint(folder, here)
            raise RunError(
                f"{folder}: cannot go on as it was begun: {'; '.join(changed)}. Put that back{hint}, or accept the"
                " changes (--accept-changes)"
            )
        _check_models(found.plan, sources, found.settings)
        unknown = tuple(change for change in changed if change not in found.changes)
        if settings is not None or unknown:
            run_file.save(folder, replace(found, changes=(*found.changes, *unknown)))
        if _has_journal(folder):
            _check_journal(folder)
        return _play(folder, replace(found, settings=here), sources, listener)


def replay(recorded: Path, folder: Path, settings: RunSettings, listener: Listener) -> Summary:
    """Play a run again in a new folder from its recorded replies: no model is called, no key and no network is needed.

    Args:
        recorded: folder of the run that is played again.
        folder: the new run's.
        settings: how it is played; panel and models file are those of the recorded run unless given.
        listener: is told how far it is.

    Raises:
        RunError: rules, panel, prompts or models file are not those of the recorded run; or a reply is asked for that
            is not recorded, which ends the play. Otherwise as `play`.
    """
    found = run_file.load(recorded)
    run_file.require_one_set_up(recorded, found)
    there = found_again(recorded, found.settings)
    settings = replace(
        settings,
        panel_path=settings.panel_path or there.panel_path,
        models_path=settings.models_path or there.models_path,
        replay_path=str(recorded.absolute()),
    )
    require_files(recorded, settings)
    changed = run_file.differences(found.plan, present_plan(found.plan, read_sources(_absolute(settings))))
    if changed:
        raise RunError(f"{recorded}: cannot be played again with what is here: {'; '.join(changed)}; put that back")
    return play(folder, found.plan, settings, listener)


def status(folder: Path) -> Progress:
    """Say how far the run in a folder is, from its journal and `run.toml`; no models file is needed.

    Raises:
        RunError: the folder holds no run or cannot be read.
    """
    found = run_file.load(folder)
    extent = extent_of_plan(found.plan, found_again(folder, found.settings))
    if not _has_journal(folder):
        return replace(Tally().progress(extent), stage="not begun")
    progress = replace(Tally.of(folder / JOURNAL_NAME).progress(extent), budget_usd=found.settings.budget_usd)
    return replace(progress, stage="done" if progress.markets_done == progress.markets_total else "to be continued")


def _play(folder: Path, run: RunFile, sources: Sources, listener: Listener) -> Summary:
    units = work_of(run.plan, sources).units
    Journal(folder / JOURNAL_NAME, writable=True).close()
    before = Tally.of(folder / JOURNAL_NAME)
    pulse = Pulse(listener, replace(before.progress(extent_of(units)), budget_usd=run.settings.budget_usd))
    replies = None
    with stop_signals() as signals:
        play = Play(
            run=run,
            models=choose(sources.models, run.plan.models),
            assignment=Assignment(run.run_id, units, run.plan.infra_fallback),
            open_units=tuple(unit for unit in units if unit.market.market_id not in before.finished),
            fresh=not before.rounds and not before.calls,
            pulse=pulse,
            signals=signals,
        )
        if play.open_units:
            require_replayed(folder, run.settings)
            require_rest(pulse.last, run.settings.budget_usd)
            with suppress(KeyboardInterrupt):
                _preflight(folder, play)
                replies = play_markets(folder, play)
        Journal(folder / JOURNAL_NAME, writable=True).close()  # the last writer to leave folds the log into the file
        told = Tally.of(folder / JOURNAL_NAME).progress(extent_of(units))
        progress = replace(told, budget_usd=run.settings.budget_usd, quota_spent=pulse.last.quota_spent)
        progress = replace(progress, notes=pulse.last.notes)
        if not signals.asked:
            pulse.stage("writing records", progress)
            store.export(folder, run.run_id, len(run.plan.models))
        return _summary(folder, play, progress, replies)


def _preflight(folder: Path, play: Play) -> None:
    """Ask every real model once, before anything is started that costs time or money.

    Raises:
        ProviderError: a model's server refuses to work.
    """
    settings = play.run.settings
    if play.run.plan.standin_seed is None and settings.replay_path is None and not settings.skip_preflight:
        play.pulse.stage("asking each model once")
        with play.signals.interrupting():
            play.pulse.note(preflight(folder, play.run, play.models.entries, play.open_units, play.assignment.units))


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
    if settings.replay_path is None:
        require_keys(models, os.environ)
        require_prices(models.entries, settings.budget_usd)


def _absolute(settings: RunSettings) -> RunSettings:
    """Settings whose paths hold wherever a resume is called from."""
    panel, models, replayed = (
        str(Path(path).absolute()) if path else None
        for path in (settings.panel_path, settings.models_path, settings.replay_path)
    )
    return replace(settings, panel_path=panel, models_path=models, replay_path=replayed)


def _summary(folder: Path, play: Play, progress: Progress, replies: int | None) -> Summary:
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
