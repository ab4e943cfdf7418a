"""Plays of one run in a Ray that is up already: each has actors and a folder of its own, and leaves no actor behind."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from actors import processes, remote, run_file, store
from actors.assignment import Assignment
from actors.backlog import Backlog
from actors.deciders import Sealed, StandardDeciders
from actors.fan_out import Bounds, fan_out
from actors.journal import Journal
from actors.llm.agent import AgentOptions
from actors.processes import Descendant
from actors.run_file import JOURNAL_NAME
from benchmarks.reliability.setting import Setting
from ecologies.models import choose

ACTORS: Final = ("Firm", "Market", "Audit", "Desk")
"""Classes of the actors of a run; Ray calls their processes by them."""
READY_SECONDS: Final = 180.0


def play(setting: Setting, folder: Path, nodes: Sequence[str | None]) -> int:
    """Play the run once, one shard on each node named, None for any; gives the markets that were given up."""
    run = run_file.create(folder, setting.plan, setting.settings)
    Journal(folder / JOURNAL_NAME, writable=True).close()
    assignment = Assignment(run.run_id, setting.units)
    entries = choose(setting.sources.models, setting.plan.models).entries
    options = AgentOptions(setting.plan.tool_turns, setting.plan.reasks)
    deciders = StandardDeciders(entries, Sealed({}), options, shards=len(nodes))
    common = remote.Common(deciders.shared_terms())
    cast = remote.start_cast(folder, assignment, deciders.at, list(nodes), common)
    try:
        remote.await_cast(cast, READY_SECONDS)
        accounts = {entry.label: entry.account_name for entry in entries}
        backlog = Backlog(setting.units, fresh=True, tries=3, accounts=accounts)
        fan_out(cast, backlog, assignment, Bounds(len(setting.units), lambda _: False))
    finally:
        remote.end_cast(cast, 20.0)
    if backlog.error is not None:
        raise backlog.error
    store.export(folder, run.run_id, len(setting.plan.models))
    return len(backlog.given_up)


def actor_processes(name: str, of: int | None = None) -> list[Descendant]:
    """Processes of a class of actor, by their ids."""
    found = processes.descendants(of)
    return sorted(item for item in found if title(item).split(".")[0] == f"ray::{name}")


def left_over(seconds: float) -> int:
    """Actor processes that still run after so many seconds at most."""
    known = frozenset(item for name in ACTORS for item in actor_processes(name))
    return len(still_alive(known, seconds))


def still_alive(known: frozenset[Descendant], seconds: float) -> frozenset[Descendant]:
    """Those of some processes that have not ended after so many seconds at most."""
    deadline = time.monotonic() + seconds
    while (left := processes.alive(known)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def title(item: Descendant) -> str:
    """What a process calls itself; empty when it is gone."""
    try:
        text = Path("/proc", str(item.pid), "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
    return text.replace("\0", " ").strip()
