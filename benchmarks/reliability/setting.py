"""What the trials play: a short panel of its own, two models of one account at a server of ours, and what comes of it.

Two models that share an account need the governor actor, so that every kind of actor is there to be killed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
import pyarrow.parquet as pq

from actors import store
from actors.entries import read_call
from actors.journal import REPLIED, Journal
from actors.planning import RunRequest, make_plan, work_of
from actors.run_file import JOURNAL_NAME, RECORDS_NAME, RunPlan, RunSettings
from actors.sources import Sources, read_sources
from ecologies.panel import generate
from ecologies.panel_file import Panel, encode
from ecologies.work import WorkUnit
from erpsim.errors import RunError

LINEUP: Final = ("standin/a*3", "standin/b*3")
_ENTRY: Final = """
[models."{label}"]
base_url = "{url}"
model = "{label}"
account = "one account"
response_format = "json_schema"
limits = {{ connections = {connections} }}
retries = {{ attempts = 12, first = 0.2, longest = 2.0 }}
prices = {{ input = 1.0, cached = 1.0, output = 1.0, reasoning = 1.0 }}
"""


@dataclass(frozen=True)
class Setting:
    """A run that is played again and again.

    Attributes:
        plan: what determines it.
        settings: how it is played, without delays of its own.
        sources: panel and models.
        units: its markets.
    """

    plan: RunPlan
    settings: RunSettings
    sources: Sources
    units: tuple[WorkUnit, ...]


@dataclass(frozen=True)
class Size:
    """How much is played: mixed markets of six firms, one for each problem."""

    problems: int = 2
    rounds: int = 2
    seed: int = 11  # of the panel
    connections: int = 64  # of the account that the two models share


def make_setting(folder: Path, url: str, size: Size, more: str = "") -> Setting:
    """Write panel and models file into a folder and settle the run.

    Args:
        folder: takes both files.
        url: the server's base.
        size: how much is played.
        more: lines of TOML for each model.
    """
    panel = Panel(1, "short", generate(size.seed, size.problems, size.rounds))
    (folder / "panel.json").write_bytes(encode(panel))
    labels = [item.partition("*")[0] for item in LINEUP]
    entries = [_ENTRY.format(label=label, url=url, connections=size.connections) + more for label in labels]
    (folder / "models.toml").write_text("".join(entries))
    settings = RunSettings(
        panel_path=str(folder / "panel.json"), models_path=str(folder / "models.toml"), skip_preflight=True
    )
    plan = make_plan(RunRequest("all", ecologies=("mixed",), lineup=LINEUP), settings)
    sources = read_sources(settings)
    return Setting(plan, settings, sources, work_of(plan, sources).units)


def graded(folder: Path) -> dict[str, str]:
    """SHA-256 of each graded table of a run folder."""
    return {
        table: hashlib.sha256((folder / RECORDS_NAME / f"{table}.parquet").read_bytes()).hexdigest()
        for table in store.GRADED
    }


def differing(one: Path, other: Path) -> list[str]:
    """Columns of the graded tables in which two run folders differ, as table.column, or a table whose length does."""
    found = []
    for table in store.GRADED:
        first, second = (pq.read_table(folder / RECORDS_NAME / f"{table}.parquet") for folder in (one, other))
        if first.num_rows != second.num_rows:
            found.append(table)
        else:
            found += [f"{table}.{name}" for name in first.column_names if not first[name].equals(second[name])]
    return found


@dataclass(frozen=True)
class Standing:
    """What the journal of a run holds at a moment.

    Attributes:
        replies: how often each reply is in it, by the tag that its server gave it.
        rounds: committed rounds over all markets.
        unfinished: rows of firms in rounds that are not committed yet.
    """

    replies: Counter[str]
    rounds: int
    unfinished: int


def standing(folder: Path) -> Standing:
    """Read the journal of a run that may be played at this moment."""
    try:
        journal = Journal(folder / JOURNAL_NAME, writable=False)
    except RunError:  # it is not there yet, or being made at this moment
        return Standing(Counter(), 0, 0)
    try:
        calls = [read_call(stored.row) for stored in journal.rows("calls")]
        committed = set(journal.rounds_committed())
        rows = [stored.key[:2] for stored in journal.rows("rounds", uncommitted=True)]
    finally:
        journal.close()
    replies = Counter(_tag(call["reply"]) for call in calls if call["error_class"] in REPLIED)
    return Standing(replies, len(committed), sum(key not in committed for key in rows))


def _tag(reply: str) -> str:
    identity: str = orjson.loads(reply)["id"]
    return identity.removeprefix("chatcmpl-standin-")
