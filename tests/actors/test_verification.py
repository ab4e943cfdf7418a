"""Records held against the rules: a run as it was played holds, and each planted change is found where it is."""

import asyncio
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import orjson
import pytest

from actors import run_file, store
from actors.planning import RunRequest
from actors.verification import Verdict, verify
from ecologies.panel_file import Panel, encode
from erpsim.errors import RunError
from erpsim.records import EventRow
from tests.actors.scripts import short_problems
from tests.actors.standin_games import make_run

ARENA = "arena/P001"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two Arena markets of two rounds."""
    parent = tmp_path_factory.mktemp("verified")
    panel = parent / "panel.json"
    panel.write_bytes(encode(Panel(1, "short", short_problems(2, horizon=2))))
    make_run(parent / "run", RunRequest(problems="all", ecologies=("arena",)), panel)
    return parent / "run"


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path / "run")
    return tmp_path / "run"


def held(folder: Path) -> Verdict:
    return asyncio.run(verify(folder, lambda done, total: None))


def test_a_run_as_it_was_played_is_what_the_rules_give(played: Path) -> None:
    seen: list[tuple[int, int]] = []
    verdict = asyncio.run(verify(played, lambda done, total: seen.append((done, total))))
    assert verdict == Verdict(markets=2, rounds=4, planned=2, finished=2)
    assert verdict.holds
    assert seen == [(1, 2), (2, 2)]


def change(folder: Path, table: str, place: tuple[str, int, int], edit: Callable[[Any], None]) -> None:
    """Edit one journaled row in place, as somebody would who wants another result."""
    connection = sqlite3.connect(folder / "journal.db")
    where = "WHERE market_id = ? AND round = ? AND seat = ?"
    (stored,) = connection.execute(f"SELECT row FROM {table} {where}", place).fetchone()
    packed = table != "events"
    row = orjson.loads(zlib.decompress(stored) if packed else stored)
    edit(row)
    text = orjson.dumps(row)
    connection.execute(f"UPDATE {table} SET row = ? {where}", (zlib.compress(text) if packed else text, *place))
    connection.commit()
    connection.close()


def test_a_changed_value_is_named_by_market_round_seat_table_and_column(run: Path) -> None:
    change(run, "rounds", (ARENA, 2, 3), lambda row: row.update(cash=row["cash"] + 0.01))
    verdict = held(run)
    (found,) = verdict.differences
    assert (found.market_id, found.round, found.seat, found.table, found.column) == (ARENA, 2, 3, "rounds", "cash")
    assert found.recorded == pytest.approx(float(str(found.computed)) + 0.01, abs=1e-6)
    assert verdict.files == ("records/rounds.parquet",)
    assert not verdict.holds


def test_a_sale_that_was_not_made_is_found_in_the_cells(run: Path) -> None:
    change(run, "cells", (ARENA, 1, 0), lambda columns: columns["sold"].__setitem__(4, columns["sold"][4] + 1))
    assert [(found.table, found.column) for found in held(run).differences] == [("cells", "sold")]


def test_an_event_that_was_taken_out_is_found_by_the_number_of_rows(run: Path) -> None:
    connection = sqlite3.connect(run / "journal.db")
    market_id, number, seat = connection.execute(
        "SELECT market_id, round, seat FROM events WHERE length(row) > 2 ORDER BY 1, 2, 3"
    ).fetchone()
    connection.close()
    change(run, "events", (market_id, number, seat), lambda rows: rows.pop())
    (found,) = held(run).differences
    assert (found.market_id, found.round, found.seat) == (market_id, number, seat)
    assert (found.table, found.column) == ("events", "number of rows")


def test_a_reply_that_was_exchanged_gives_other_records(run: Path) -> None:
    connection = sqlite3.connect(run / "journal.db")
    key, stored = connection.execute(
        "SELECT rowid, row FROM calls WHERE market_id = ? AND round = 1 AND seat = 0 ORDER BY turn DESC", (ARENA,)
    ).fetchone()
    call = orjson.loads(zlib.decompress(stored))
    message = {"role": "assistant", "content": '{"prices": {"NUT-500": 4.0}}'}
    body = orjson.loads(call["reply"])
    body["choices"] = [{"message": message, "finish_reason": "stop"}]
    row = zlib.compress(orjson.dumps({**call, "reply": orjson.dumps(body).decode()}))
    connection.execute("UPDATE calls SET row = ? WHERE rowid = ?", (row, key))
    connection.commit()
    connection.close()
    (found,) = held(run).differences
    assert (found.market_id, found.round, found.seat, found.table) == (ARENA, 1, 0, "rounds")


def test_a_reply_that_is_missing_is_named_and_nothing_is_called(run: Path) -> None:
    connection = sqlite3.connect(run / "journal.db")
    connection.execute("DELETE FROM calls WHERE market_id = ? AND round = 2 AND seat = 5", (ARENA,))
    connection.commit()
    connection.close()
    verdict = held(run)
    (line,) = verdict.unexplained
    assert line.startswith(f"{ARENA}, round 2, seat 5: no reply of standin/f is recorded for request ")
    assert verdict.differences == ()


def test_a_file_of_records_that_was_edited_is_named(run: Path) -> None:
    path = run / "records" / "outcomes.parquet"
    path.write_bytes(path.read_bytes() + b"x")
    assert held(run) == Verdict(markets=2, rounds=4, planned=2, finished=2, files=("records/outcomes.parquet",))


def test_a_run_in_mid_play_holds_as_far_as_it_is_committed(run: Path) -> None:
    connection = sqlite3.connect(run / "journal.db")
    connection.execute("DELETE FROM commits WHERE market_id = ? OR round = 2", (ARENA,))
    connection.commit()
    connection.close()
    shutil.rmtree(run / "records")
    assert held(run) == Verdict(markets=1, rounds=1, planned=2)


def test_a_run_that_moved_is_verified_where_it_stands(run: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "run"
    moved.parent.mkdir()
    run.rename(moved)
    assert held(moved).holds


def test_other_rules_are_told_and_not_compared(run: Path) -> None:
    found = run_file.load(run)
    plan = replace(found.plan, rules_version="0.9.0")
    run_file.save(run, replace(found, plan=plan, run_id=run_file.run_id_of(plan)))
    with pytest.raises(RunError, match=r"cannot be verified with what is here: rules_version: the run has \"0.9.0\""):
        held(run)


def rewrite(folder: Path, *statements: str) -> None:
    """Change the journal by SQL, and the records with it."""
    connection = sqlite3.connect(folder / "journal.db")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    run = run_file.load(folder)
    store.export(folder, run.run_id, len(run.plan.models))


def copied(table: str, columns: str, changed: str) -> str:
    where = f"market_id = '{ARENA}' AND round = 2"
    return f"INSERT INTO {table} ({columns}) SELECT {changed} FROM {table} WHERE {where}"


SEATED = "market_id, round, seat, row"
ROUNDS = ("rounds", "cells", "events")


@pytest.mark.parametrize(
    ("statements", "line"),
    [
        (
            [
                *(copied(table, SEATED, "market_id, 3, seat, row") for table in ROUNDS),
                copied("commits", "market_id, round, last", "market_id, 3, 1"),
            ],
            f"{ARENA}: round 3 is committed, and its problem has 2 rounds",
        ),
        (
            [copied("rounds", SEATED, "market_id, round, seat + 6, row")],
            f"{ARENA}, round 2: rounds has a row of seat 6, and the market has 6 seats",
        ),
        (
            [
                *(copied(table, SEATED, "'arena/P009', 1, seat, row") for table in ROUNDS),
                copied("commits", "market_id, round, last", "'arena/P009', 1, 1"),
            ],
            "arena/P009: is no market of the run's plan",
        ),
        (
            [
                f"DELETE FROM commits WHERE market_id = '{ARENA}' AND round = 2",
                f"UPDATE commits SET last = 1 WHERE market_id = '{ARENA}'",
            ],
            f"{ARENA}: is marked as finished after round 1 of 2",
        ),
        (
            [f"UPDATE commits SET last = 0 WHERE market_id = '{ARENA}'"],
            f"{ARENA}: all 2 rounds are committed, and it is not marked as finished",
        ),
        (
            [f"DELETE FROM commits WHERE market_id = '{ARENA}' AND round = 1"],
            f"{ARENA}: round 1 is not committed, and round 2 is",
        ),
    ],
)
def test_what_is_recorded_beside_the_plan_is_named(run: Path, statements: list[str], line: str) -> None:
    rewrite(run, *statements)
    verdict = held(run)
    assert line in verdict.unexplained
    assert not verdict.holds


def test_a_market_that_was_taken_out_is_missing_among_the_finished_ones(run: Path) -> None:
    rewrite(run, *(f"DELETE FROM {table} WHERE market_id = '{ARENA}'" for table in (*ROUNDS, "commits", "calls")))
    verdict = held(run)
    assert (verdict.markets, verdict.finished, verdict.planned) == (1, 1, 2)


def test_a_run_without_a_committed_round_does_not_hold(run: Path) -> None:
    rewrite(run, "DELETE FROM commits")
    assert held(run) == Verdict(planned=2)
    assert not held(run).holds


def forged(folder: Path) -> None:
    """Have a decision be recorded as a fallback, as if its model had not been reached."""
    event = {"category": "fallback_decision", "code": "infra", "asked": "null", "cause": "no answer"}
    change(folder, "events", (ARENA, 2, 0), lambda rows: rows.__setitem__(slice(None), [event_like(event)]))


def event_like(given: dict[str, Any]) -> dict[str, Any]:
    blank = {name: {str: "", int: 0}.get(hint) for name, hint in get_type_hints(EventRow).items()}
    return {**blank, "market_id": ARENA, "round": 2, "seat": 0, **given}


def test_a_fallback_for_a_model_that_was_reached_is_not_taken_as_recorded(run: Path) -> None:
    forged(run)
    (line,) = held(run).unexplained
    assert line.startswith(f"{ARENA}, round 2, seat 0: the fallback is recorded as if the model had not been reached")


def test_a_fallback_is_taken_as_recorded_only_in_a_run_that_allows_it(run: Path) -> None:
    forged(run)
    connection = sqlite3.connect(run / "journal.db")
    connection.execute("DELETE FROM calls WHERE market_id = ? AND round = 2 AND seat = 0", (ARENA,))
    connection.commit()
    connection.close()
    (line,) = held(run).unexplained
    assert "no reply of standin/a is recorded for request " in line
    found = run_file.load(run)
    plan = replace(found.plan, infra_fallback=True)
    run_file.save(run, replace(found, plan=plan, run_id=run_file.run_id_of(plan)))
    assert held(run).unexplained == ()


@pytest.mark.parametrize("table", ["calls", "failures", "timings"])
def test_records_of_how_a_run_was_played_are_held_against_the_journal_too(run: Path, table: str) -> None:
    path = run / "records" / f"{table}.parquet"
    path.write_bytes(path.read_bytes() + b"x")
    assert held(run).files == (f"records/{table}.parquet",)
    path.unlink()
    assert held(run).files == (f"records/{table}.parquet",)


@pytest.mark.parametrize(
    ("table", "row"),
    [("rounds", b"no zlib"), ("cells", zlib.compress(b"{}")), ("events", b"no JSON"), ("events", b"[{}]")],
)
def test_a_row_that_cannot_be_read_is_told_as_damage(run: Path, table: str, row: bytes) -> None:
    connection = sqlite3.connect(run / "journal.db")
    connection.execute(f"UPDATE {table} SET row = ? WHERE market_id = ? AND round = 1 AND seat = 2", (row, ARENA))
    connection.commit()
    connection.close()
    with pytest.raises(RunError, match=f"the journal is damaged: a row of {table} cannot be read"):
        held(run)
