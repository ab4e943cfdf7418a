"""Parquet in, frames out; what is no table of records is refused with its place."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from actors.store import ROW_TYPES, write_table
from analysis.load import TABLES, UNREAD, read_records, read_table
from erpsim.errors import RunError
from erpsim.records import EventRow, FailureRow, OutcomeRow
from tests.analysis.samples import call, event, failure, outcome, rounds_of


def _write(folder: Path) -> Path:
    done = outcome("solo", "P1", "a", 2e6)
    rows: dict[str, Sequence[object]] = {
        "rounds": rounds_of(done),
        "outcomes": [done],
        "events": [event("solo", None, "price_adjusted")],
        "failures": [failure("solo/P1/a", "rate")],
        "calls": [call("solo/P1/a", "a")],
    }
    for name in TABLES:
        write_table(folder / f"{name}.parquet", ROW_TYPES[name], [vars(row) for row in rows[name]])
    return folder


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    records = read_records(_write(tmp_path / "records"))
    assert list(records.rounds["round"]) == [1, 2]
    assert list(records.outcomes["valuation"]) == [2e6]
    assert list(records.events["model"].isna()) == [True]
    assert list(records.failures["cause"]) == ["rate"]
    assert list(records.calls["used"]) == [True]
    assert not UNREAD.intersection(records.rounds.columns)
    assert records.source.endswith("records")


def test_a_missing_folder_is_named_with_the_mend(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"records: there is no such folder.*erpbench resume"):
        read_records(tmp_path / "records")


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    folder = _write(tmp_path / "records")
    (folder / "events.parquet").unlink()
    with pytest.raises(RunError, match=r"events\.parquet: not found"):
        read_records(folder)


def test_a_torn_file_is_refused(tmp_path: Path) -> None:
    folder = _write(tmp_path / "records")
    content = (folder / "rounds.parquet").read_bytes()
    (folder / "rounds.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(RunError, match=r"rounds\.parquet: cannot be read as parquet"):
        read_records(folder)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "failures.parquet"
    pq.write_table(pa.table({"market_id": ["a"]}), path)
    with pytest.raises(RunError, match="column 'ecology' is missing"):
        read_table(path, FailureRow)


def test_text_where_a_number_belongs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.parquet"
    write_table(path, OutcomeRow, [vars(outcome("solo", "P1", "a", 1.0))])
    table = pq.read_table(path)
    position = table.schema.get_field_index("valuation")
    pq.write_table(table.set_column(position, "valuation", pa.array(["dear"])), path)
    with pytest.raises(RunError, match="column 'valuation' holds string, not float"):
        read_table(path, OutcomeRow)


def test_an_empty_table_keeps_its_columns(tmp_path: Path) -> None:
    write_table(tmp_path / "events.parquet", EventRow, [])
    frame = read_table(tmp_path / "events.parquet", EventRow)
    assert frame.empty
    assert "category" in frame.columns


@pytest.mark.parametrize("kind", [pa.null(), pa.string(), pa.large_string()])
def test_an_optional_column_may_be_wholly_empty(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "failures.parquet"
    write_table(path, FailureRow, [vars(failure("solo/P1/a", "rate"))])
    table = pq.read_table(path)
    position = table.schema.get_field_index("model")
    pq.write_table(table.set_column(position, "model", pa.nulls(1, kind)), path)
    assert list(read_table(path, FailureRow)["model"].isna()) == [True]
