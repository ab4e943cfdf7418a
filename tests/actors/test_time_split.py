"""Where the time of a run went so far."""

from pathlib import Path

from actors.entries import MARKET_SEAT, Spent, commit_entry, firm_entries, timing_entry
from actors.journal import Journal
from actors.run_file import JOURNAL_NAME
from actors.time_split import time_split
from tests.actors.samples import firm_records


def test_before_a_round_there_is_no_time(tmp_path: Path) -> None:
    assert time_split(tmp_path) == {}


def test_parts_of_committed_rounds_are_added_up(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL_NAME, writable=True)
    market_id = "solo/P001/a"
    journal.write(
        [
            *firm_entries(firm_records()),
            commit_entry(market_id, 1, last=False),
            timing_entry(market_id, 1, 0, Spent(queue_s=1.0, model_s=2.0, overhead_s=0.5)),
            timing_entry(market_id, 1, MARKET_SEAT, Spent(market_s=0.25, journal_s=0.125)),
            timing_entry(market_id, 2, 0, Spent(model_s=9.0)),
        ]
    )
    journal.close()
    assert time_split(tmp_path) == {
        "queue": 1.0,
        "model": 2.0,
        "tools": 0.0,
        "market": 0.25,
        "journal": 0.125,
        "overhead": 0.5,
    }
