"""A run played again from its journal: the same bytes, nothing called, and an end where a reply is missing."""

import asyncio
import socket
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from actors import run_file, store
from actors.assignment import Assignment
from actors.audit import Audit
from actors.backlog import Backlog
from actors.deciders import Sealed, StandardDeciders
from actors.driver import replay
from actors.firm import Firm
from actors.journal import Journal
from actors.llm.agent import AgentOptions
from actors.llm.calls import DecisionKey, Place
from actors.market import Market
from actors.messages import MarketEnd
from actors.planning import RunRequest, work_of
from actors.recorded import UNRECORDED, RecordedReplies
from actors.run_file import RunFile, RunSettings
from actors.sources import read_sources
from actors.verification import verify
from ecologies.models import standin_models
from ecologies.panel_file import Panel, encode
from erpsim.errors import RunError
from tests.actors.scripts import short_problems
from tests.actors.standin_games import Standins, make_run

ARENA = "arena/P001"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An Arena market of two rounds."""
    parent = tmp_path_factory.mktemp("recorded")
    panel = parent / "panel.json"
    panel.write_bytes(encode(Panel(1, "short", short_problems(1, horizon=2))))
    make_run(parent / "run", RunRequest(problems="all", ecologies=("arena",)), panel)
    return parent / "run"


def play_again(recorded: RunFile, journal: Path, folder: Path, infra_fallback: bool = False) -> list[MarketEnd]:
    """Play a run again by the plain actors."""
    units = work_of(recorded.plan, read_sources(recorded.settings)).units
    assignment = Assignment(recorded.run_id, units, infra_fallback)
    entries = standin_models("http://127.0.0.1:9/v1").entries
    options = AgentOptions(recorded.plan.tool_turns, recorded.plan.reasks)
    deciders = StandardDeciders(entries, Sealed({}), options, replay=journal)

    async def play() -> list[MarketEnd]:
        audit = Audit(folder, assignment)
        firms = {host: Firm(host, assignment, audit, deciders) for host in assignment.hosts}
        market = Market(assignment, audit, firms)
        ends = [await market.play(unit.market.market_id, True) for unit in units]
        await audit.close()
        return ends

    folder.mkdir()
    return asyncio.run(play())


def without_calls(recorded: Path, target: Path, where: str) -> Path:
    """A copy of the journal in which some calls are missing."""
    source, copy = sqlite3.connect(recorded / "journal.db"), sqlite3.connect(target)
    source.backup(copy)
    copy.execute(f"DELETE FROM calls WHERE {where}")
    copy.commit()
    source.close()
    copy.close()
    return target


def test_a_run_played_again_has_the_same_bytes_and_opens_no_connection(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any, **more: Any) -> None:
        raise AssertionError(f"a connection was opened: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    run = run_file.load(recorded)
    ends = play_again(run, recorded / "journal.db", tmp_path / "again")
    assert [end.status for end in ends] == ["done"]
    store.export(tmp_path / "again", run.run_id, len(run.plan.models))
    for table in store.GRADED:
        name = f"records/{table}.parquet"
        assert (tmp_path / "again" / name).read_bytes() == (recorded / name).read_bytes()


def test_the_replies_that_are_used_stand_in_the_new_runs_journal_too(recorded: Path, tmp_path: Path) -> None:
    play_again(run_file.load(recorded), recorded / "journal.db", tmp_path / "again")
    totals = []
    for folder in (recorded, tmp_path / "again"):
        journal = Journal(folder / "journal.db", writable=False)
        totals.append(journal.call_totals())
        journal.close()
    assert totals[0] == totals[1]
    assert totals[0].calls > 12


@pytest.mark.parametrize("infra_fallback", [False, True])
def test_a_reply_that_is_missing_ends_the_play_and_is_never_a_fallback(
    recorded: Path, tmp_path: Path, infra_fallback: bool
) -> None:
    journal = without_calls(recorded, tmp_path / "journal.db", "round = 2 AND seat = 3")
    (end,) = play_again(run_file.load(recorded), journal, tmp_path / "again", infra_fallback)
    assert (end.status, end.round_number, end.cause, end.seat) == ("parked", 2, UNRECORDED, 3)
    assert end.message.startswith(f"{ARENA}, round 2, seat 3: no reply of standin/d is recorded for request ")
    backlog = Backlog((), fresh=True, tries=3)
    assert not backlog.ended(end, 0.0)
    assert isinstance(backlog.error, RunError)


def test_a_conversation_that_was_shortened_is_shortened_again(recorded: Path, tmp_path: Path) -> None:
    parent = tmp_path / "short"
    parent.mkdir()
    panel = parent / "panel.json"
    panel.write_bytes(encode(Panel(1, "short", short_problems(1, horizon=1))))
    run = make_run(parent / "run", RunRequest(problems="all", ecologies=("arena",)), panel, Standins(narrow=True))
    journal = Journal(parent / "run" / "journal.db", writable=False)
    assert journal.call_totals().failed > 0
    journal.close()
    assert asyncio.run(verify(parent / "run", lambda done, total: None)).holds
    (end,) = play_again(run, parent / "run" / "journal.db", tmp_path / "again")
    assert end.status == "done"
    store.export(tmp_path / "again", run.run_id, len(run.plan.models))
    for table in store.GRADED:
        name = f"records/{table}.parquet"
        assert (tmp_path / "again" / name).read_bytes() == (parent / "run" / name).read_bytes()


def test_the_last_reply_to_a_request_is_the_one_found(recorded: Path) -> None:
    replies = RecordedReplies(recorded / "journal.db")
    place = Place(DecisionKey(ARENA, 0, 1), 0, 0)
    connection = sqlite3.connect(recorded / "journal.db")
    (digest,) = connection.execute("SELECT digest FROM calls WHERE round = 1 AND seat = 0 AND turn = 0").fetchone()
    connection.close()
    found = replies.find(place, digest)
    assert found is not None
    assert (found.model, found.round_number, found.turn) == ("standin/a", 1, 0)
    assert replies.find(place, "0" * 64) is None
    assert replies.find(Place(DecisionKey(ARENA, 1, 1), 0, 0), digest) is None


def test_a_folder_without_a_run_cannot_be_played_again(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is no run folder"):
        replay(tmp_path, tmp_path / "again", RunSettings(), lambda progress: None)


def test_other_prompts_are_told_before_anything_is_played(recorded: Path, tmp_path: Path) -> None:
    found = run_file.load(recorded)
    plan = run_file.RunPlan(**{**vars(found.plan), "prompts_digest": "0" * 64})
    other = tmp_path / "other"
    other.mkdir()
    run_file.save(other, RunFile(run_file.run_id_of(plan), plan, found.settings))
    with pytest.raises(RunError, match="cannot be played again with what is here: prompts_digest"):
        replay(other, tmp_path / "again", RunSettings(), lambda progress: None)
    assert not (tmp_path / "again").exists()
