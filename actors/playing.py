"""One play of a run on Ray: its actors are started, the open markets played, and everything is ended again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from actors import placement, remote
from actors.assignment import Assignment, model_actors_for
from actors.backlog import Backlog
from actors.budget import is_spent
from actors.deciders import Sealed, StandardDeciders
from actors.entries import read_learnt
from actors.fan_out import Bounds, fan_out
from actors.journal import Journal
from actors.llm.agent import AgentOptions
from actors.llm.governor import Standing
from actors.llm.refusals import refusal_line
from actors.llm.switches import Switches
from actors.losses import losses_told
from actors.messages import Lost
from actors.progress import Progress
from actors.pulse import Pulse
from actors.ray_session import RayChoice, ray_session
from actors.rooms import SHARD_MOST, Rooms, rooms_of
from actors.run_file import JOURNAL_NAME, RunFile
from actors.standin_process import StandinServer, standin_server
from actors.stop_signals import StopSignals
from ecologies.models import Models, choose, standin_models
from ecologies.work import WorkUnit
from erpsim.errors import ProviderError

CLOSE_SECONDS: Final = 10.0
SNAPSHOT_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Play:
    """What is asked of it, and the ways to speak with the person who watches."""

    run: RunFile
    models: Models
    assignment: Assignment
    open_units: tuple[WorkUnit, ...]
    fresh: bool
    pulse: Pulse
    signals: StopSignals

    @property
    def needs_server(self) -> bool:
        """Whether the stand-in models are to be served."""
        return self.run.plan.standin_seed is not None and self.run.settings.replay_path is None


def play_markets(folder: Path, play: Play) -> int | None:
    """Play the open markets on Ray; gives the replies that the stand-in server counted, if there is one."""
    settings = play.run.settings
    replies = None
    with ExitStack() as stack:
        stack.enter_context(losses_told(folder))
        with play.signals.interrupting():
            server = stack.enter_context(_server(play)) if play.needs_server else None
            play.pulse.stage("starting Ray")
            stack.enter_context(ray_session(RayChoice(settings.address, settings.dashboard, settings.ready_seconds)))
            remote.check_workers(settings.ready_seconds)
            play.pulse.stage("starting actors")
            local_only = server is not None or settings.replay_path is not None
            found = placement.nodes()
            nodes = placement.wanted(found, settings.shards, local_only)
            assignment = replace(play.assignment, model_actors=_model_actors(play, found, nodes))
            deciders = replace(_deciders(play, server, len(nodes)), learnt=_learnt(folder))
            common = remote.Common(deciders.shared_terms(), settings.budget_usd)
            cast = remote.start_cast(folder, assignment, deciders.at, nodes, common)
            remote.await_cast(cast, settings.ready_seconds, partial(_up, play))
        accounts = {entry.label: entry.account_name for entry in deciders.entries}
        backlog = Backlog(play.open_units, play.fresh, settings.market_tries, accounts)
        fan_out(cast, backlog, assignment, _bounds(play, cast, deciders))
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


def _model_actors(play: Play, found: Sequence[placement.Node], nodes: Sequence[str | None]) -> int | None:
    """Firm actors that the models of a shard share; a market that is played by itself has one for each firm's model."""
    if play.run.settings.in_flight == 1 or len(play.open_units) == 1:
        return None
    return model_actors_for(placement.cores_of(found, nodes) / len(nodes))


def _up(play: Play, ready: int, total: int) -> None:
    play.pulse.stage("starting actors", detail=f"{ready} of {total} up")


def _bounds(play: Play, cast: remote.Cast, deciders: StandardDeciders) -> Bounds:
    """As many markets at once as a person asked for, or else as the models' connections can use."""
    settings = play.run.settings
    bounds = Bounds(SHARD_MOST, partial(_told, play, cast), rooms_of(deciders.entries), settings.ready_seconds)
    return bounds if settings.in_flight is None else replace(bounds, in_flight=settings.in_flight, rooms=Rooms())


def _told(play: Play, cast: remote.Cast, in_flight: int) -> bool:
    """Tell the listener how far the run is when it is time to, and say whether the run is to stop."""
    if play.pulse.due():
        progress = _snapshot(play, cast)
        if progress is not None:
            play.pulse.playing(progress, in_flight)
    return play.signals.asked or _is_spent(play) or play.pulse.last.refused is not None


def _is_spent(play: Play) -> bool:
    budget_usd = play.run.settings.budget_usd
    return budget_usd is not None and is_spent(play.pulse.last.reckoned_usd, budget_usd)


def _snapshot(play: Play, cast: remote.Cast) -> Progress | None:
    """How far the run is by the audit actor; None while that is on its way back."""
    accounts: tuple[Standing, ...] = ()
    if cast.desk is not None:
        with suppress(Lost):
            accounts = remote.ask(cast.desk.standing.remote(), SNAPSHOT_SECONDS)
    with suppress(Lost):
        progress: Progress = remote.ask(cast.audit.snapshot.remote(), SNAPSHOT_SECONDS)
        return replace(progress, budget_usd=play.run.settings.budget_usd, accounts=accounts)
    return None


def _server(play: Play) -> AbstractContextManager[StandinServer]:
    plan, settings = play.run.plan, play.run.settings
    play.pulse.stage("starting the stand-in models")
    options = ["--port", str(settings.standin_port), "--seed", str(plan.standin_seed)]
    options += [] if settings.delay is None else ["--delay", str(settings.delay)]
    options += [part for fault in settings.standin_faults for part in ("--fault", fault)]
    return standin_server(options)


def _deciders(play: Play, server: StandinServer | None, shards: int) -> StandardDeciders:
    plan = play.run.plan
    models = play.models if server is None else choose(standin_models(server.base_url), plan.models)
    replay = play.run.settings.replay_path
    names = [entry.api_key_env for entry in models.entries if entry.api_key_env and replay is None]
    return StandardDeciders(
        entries=models.entries,
        sealed=Sealed({name: os.environ[name] for name in names if name in os.environ}),
        options=AgentOptions(plan.tool_turns, plan.reasks),
        shards=shards,
        proxies=dict(os.environ) if play.run.settings.use_proxies else {},
        replay=None if replay is None else Path(replay) / JOURNAL_NAME,
    )


def _learnt(folder: Path) -> dict[str, Switches]:
    """What earlier plays found out about the models' servers."""
    journal = Journal(folder / JOURNAL_NAME, writable=False)
    try:
        return read_learnt(journal.rows("learnt"))
    finally:
        journal.close()
