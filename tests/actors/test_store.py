from pathlib import Path
from typing import Any, get_type_hints

import pyarrow.parquet as pq
import pytest

from actors import entries, store
from actors.entries import FirmRecords, Spent, Writer
from actors.journal import Entry, Journal
from actors.llm.calls import Tokens
from erpsim.errors import RunError
from erpsim.records import EventRow, FailureRow, RoundRow
from tests.actors.samples import call_record, firm_records

CALLS_COLUMNS = [
    "run_id",
    "market_id",
    "seat",
    "model",
    "round",
    "ask",
    "turn",
    "attempt",
    "status",
    "error_class",
    "tokens_in",
    "tokens_cached",
    "tokens_cache_write",
    "tokens_out",
    "tokens_reasoning",
    "latency_s",
    "cost_usd",
    "route",
    "used",
    "request",
    "reply",
]


def _write(folder: Path, *batches: list[Entry]) -> None:
    journal = Journal(folder / "journal.db", writable=True)
    for batch in batches:
        journal.write(batch)
    journal.close()


def _commit(records: FirmRecords, last: bool = False) -> list[Entry]:
    row = records.round_row
    return [*entries.firm_entries(records), entries.commit_entry(row.market_id, row.round, last)]


def _read(folder: Path, table: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / "records" / f"{table}.parquet").to_pylist()
    return rows


def test_every_table_is_written_with_its_columns_even_when_empty(tmp_path: Path) -> None:
    _write(tmp_path)
    store.export(tmp_path, "id", n_models=1)
    assert sorted(path.name for path in (tmp_path / "records").iterdir()) == sorted(
        f"{table}.parquet" for table in store.ROW_TYPES
    )
    for table, row_type in store.ROW_TYPES.items():
        schema = pq.read_schema(tmp_path / "records" / f"{table}.parquet")
        assert schema.names == list(get_type_hints(row_type))


def test_columns_have_the_types_that_the_rows_declare() -> None:
    schema = store.schema_of(RoundRow)
    assert str(schema.field("valuation").type) == "double"
    assert str(schema.field("units_sold").type) == "int64"
    assert str(schema.field("model").type) == "string"
    assert schema.field("model").nullable
    assert not schema.field("market_id").nullable
    assert schema.field("price_mean").nullable


def test_a_row_comes_back_as_it_was_recorded(tmp_path: Path) -> None:
    records = firm_records()
    _write(tmp_path, _commit(records))
    store.export(tmp_path, "id", n_models=1)
    (row,) = _read(tmp_path, "rounds")
    assert RoundRow(**row) == records.round_row
    (event,) = _read(tmp_path, "events")
    assert EventRow(**event) == records.events[0]
    assert [cell["sku"] for cell in _read(tmp_path, "cells")] == ["NUT-500", "A"]


def test_rows_are_sorted_by_key_in_one_row_group_and_uncommitted_ones_left_out(tmp_path: Path) -> None:
    order = [("solo/P002/a", 2, 1), ("solo/P001/a", 2, 0), ("solo/P002/a", 1, 0), ("solo/P001/a", 1, 3)]
    batches = [_commit(firm_records(market_id=m, round=r, seat=s)) for m, r, s in order]
    _write(tmp_path, *batches, entries.firm_entries(firm_records(market_id="solo/P009/a")))
    store.export(tmp_path, "id", n_models=1)
    for table in ("rounds", "cells", "events"):
        keys = [(row["market_id"], row["round"], row["seat"]) for row in _read(tmp_path, table)]
        assert list(dict.fromkeys(keys)) == sorted(order)
        assert pq.ParquetFile(tmp_path / "records" / f"{table}.parquet").num_row_groups == 1


def test_equal_rows_give_equal_bytes_whatever_the_order_of_writing(tmp_path: Path) -> None:
    batches = [_commit(firm_records(market_id=f"solo/P00{number}/a"), last=True) for number in range(5)]
    for name, ordered in (("one", batches), ("two", batches[::-1])):
        (tmp_path / name).mkdir()
        _write(tmp_path / name, *ordered)
        store.export(tmp_path / name, "id", n_models=1)
    for table in store.GRADED:
        paths = [tmp_path / name / "records" / f"{table}.parquet" for name in ("one", "two")]
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rounds.parquet"
    store.write_table(path, RoundRow, [])
    before = path.read_bytes()
    with pytest.raises(KeyError):
        store.write_table(path, RoundRow, [{"run_id": "incomplete"}])
    (tmp_path / "rounds.parquet.new").mkdir()
    with pytest.raises(RunError, match="cannot be written"):
        store.write_table(path, RoundRow, [])
    assert path.read_bytes() == before


def _outcome(problem: str, model: str, valuation: float, ecology: str = "solo") -> dict[str, Any]:
    market_id = f"solo/{problem}/{model}" if ecology == "solo" else f"{ecology}/{problem}"
    seat = ord(model) - ord("a")
    return {
        "ecology": ecology,
        "lineup": "",
        "trial": 0,
        "problem_id": problem,
        "market_id": market_id,
        "seat": seat,
        "valuation": valuation,
    }


def test_solo_ranks_the_separate_markets_of_one_problem_and_ties_share_their_mean() -> None:
    rows = [_outcome("P1", "a", 5.0), _outcome("P1", "b", 9.0), _outcome("P1", "c", 5.0), _outcome("P2", "a", 1.0)]
    assert [row["rank"] for row in store.ranked(rows, n_models=3)] == [2.5, 1.0, 2.5, None]


def test_a_market_of_several_models_is_ranked_within_itself() -> None:
    rows = [_outcome("P1", "a", 5.0, "mixed"), _outcome("P1", "b", 9.0, "mixed")]
    assert [row["rank"] for row in store.ranked(rows, n_models=6)] == [2.0, 1.0]


def test_outcomes_are_the_last_rounds_of_models_in_finished_markets(tmp_path: Path) -> None:
    market_id = "solo/P001/a"
    rule = firm_records(market_id=market_id, seat=1, round=2, policy_kind="rule", model=None)
    _write(
        tmp_path,
        _commit(firm_records(market_id=market_id, round=1)),
        _commit(firm_records(market_id=market_id, round=2, valuation=7.5)) + entries.firm_entries(rule),
        [entries.commit_entry(market_id, 2, last=True)],
        _commit(firm_records(market_id="solo/P002/a", round=1)),
    )
    store.export(tmp_path, "id", n_models=1)
    (outcome,) = _read(tmp_path, "outcomes")
    assert (outcome["market_id"], outcome["valuation"], outcome["rank"], outcome["n_rounds"]) == (market_id, 7.5, 1, 2)


def test_only_the_last_reply_at_a_place_of_a_committed_round_was_used(tmp_path: Path) -> None:
    calls = [
        entries.call_entry(call_record(status=429, error_class="rate", attempt=1), Writer("z", 0)),
        entries.call_entry(call_record(attempt=2), Writer("z", 1)),
        entries.call_entry(call_record(attempt=1, latency_s=9.0), Writer("a", 0)),
        entries.call_entry(call_record(round_number=2), Writer("z", 2)),
    ]
    _write(tmp_path, _commit(firm_records()), calls)
    store.export(tmp_path, "id", n_models=1)
    rows = _read(tmp_path, "calls")
    assert list(rows[0]) == CALLS_COLUMNS
    assert [(row["round"], row["attempt"], row["used"]) for row in rows] == [
        (1, 1, False),
        (1, 2, False),
        (1, 1, True),
        (2, 1, False),
    ]
    assert (rows[0]["run_id"], rows[0]["tokens_in"], rows[0]["tokens_out"]) == ("id", 10, 5)


def test_tokens_stand_in_a_column_of_their_own_by_kind_and_unknown_ones_are_null(tmp_path: Path) -> None:
    counted = Tokens(prompt=100, cached=40, completion=9, reasoning=5, written=30)
    calls = [
        entries.call_entry(call_record(tokens=counted), Writer("z", 0)),
        entries.call_entry(call_record(turn=1, tokens=Tokens()), Writer("z", 1)),
    ]
    _write(tmp_path, _commit(firm_records(tokens_in=None, tokens_out=None)), calls)
    store.export(tmp_path, "id", n_models=1)
    kinds = ("tokens_in", "tokens_cached", "tokens_cache_write", "tokens_out", "tokens_reasoning")
    found = [[row[kind] for kind in kinds] for row in _read(tmp_path, "calls")]
    assert found == [[100, 40, 30, 9, 5], [None] * 5]
    (row,) = _read(tmp_path, "rounds")
    assert (row["tokens_in"], row["tokens_out"]) == (None, None)


def test_timings_add_up_firms_and_market(tmp_path: Path) -> None:
    spent = {
        0: Spent(queue_s=0.5, model_s=1.0),
        1: Spent(queue_s=0.5, model_s=1.0, overhead_s=0.25),
        entries.MARKET_SEAT: Spent(market_s=2),
    }
    timed = [entries.timing_entry("solo/P001/a", 1, seat, value) for seat, value in spent.items()]
    _write(tmp_path, _commit(firm_records()), timed, [entries.timing_entry("solo/P001/a", 2, 0, Spent())])
    store.export(tmp_path, "id", n_models=1)
    (row,) = _read(tmp_path, "timings")
    assert row == {
        "market_id": "solo/P001/a",
        "round": 1,
        "queue_s": 1.0,
        "model_s": 2.0,
        "tools_s": 0.0,
        "market_s": 2.0,
        "journal_s": 0.0,
        "overhead_s": 0.25,
    }


def test_a_market_given_up_shows_in_events_until_it_is_finished(tmp_path: Path) -> None:
    lost = firm_records(round=2).events[0]
    failure = FailureRow("solo/P001/a", "solo", "P001", "a", 2, "network", 3, "no route")
    _write(
        tmp_path,
        _commit(firm_records()),
        [entries.lost_entry(lost), entries.failure_entry(failure, Writer("x", 0))],
    )
    store.export(tmp_path, "id", n_models=1)
    assert [row["round"] for row in _read(tmp_path, "events")] == [1, 2]
    assert FailureRow(**_read(tmp_path, "failures")[0]) == failure
    _write(tmp_path, _commit(firm_records(round=2), last=True))
    store.export(tmp_path, "id", n_models=1)
    assert [row["round"] for row in _read(tmp_path, "events")] == [1, 2]
    assert [row["round"] for row in _read(tmp_path, "rounds")] == [1, 2]
    assert len(_read(tmp_path, "failures")) == 1
