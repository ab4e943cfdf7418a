import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from actors.journal import CallTotals, Entry, Journal, Stored
from erpsim.errors import RunError
from tests.architecture.checks import ROOT

# Commits one market round after another and prints each number once it is durable.
WRITER = """
import sys
from pathlib import Path
from actors.journal import Entry, Journal
journal = Journal(Path(sys.argv[1]), writable=True)
number = 0
while True:
    number += 1
    journal.write(
        [Entry("rounds", ("m", number, seat), (b"x" * 3000,)) for seat in range(6)]
        + [Entry("commits", ("m", number), (0,))]
    )
    print(number, flush=True)
"""


def _row(market_id: str, round_number: int, seat: int, row: bytes = b"{}") -> Entry:
    return Entry("rounds", (market_id, round_number, seat), (row,))


def _call(number: int, error_class: str, status: int, cost: float | None = 0.5) -> Entry:
    key = ("m", 1, 0, 0, 0, "life", number)
    return Entry("calls", key, ("digest", error_class, status, 100, 10, cost, b"{}"))


def test_a_round_counts_only_once_it_is_committed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    journal.write([_row("m", 1, 0), _row("m", 1, 1), _row("m", 2, 0), Entry("commits", ("m", 1), (0,))])
    assert [stored.key for stored in journal.rows("rounds")] == [("m", 1, 0), ("m", 1, 1)]
    assert journal.committed() == {"m": 1}
    assert journal.finished() == set()
    assert [stored.key[1] for stored in journal.rows("rounds", uncommitted=True)] == [1, 1, 2]
    journal.write([Entry("commits", ("m", 2), (1,))])
    assert [stored.key for stored in journal.rows("rounds")] == [("m", 1, 0), ("m", 1, 1), ("m", 2, 0)]
    assert journal.finished() == {"m"}
    assert journal.rounds_committed() == [("m", 1), ("m", 2)]
    journal.close()


def test_g3_03_a_row_written_again_replaces_itself(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    marker = Entry("commits", ("m", 1), (0,))
    journal.write([_row("m", 1, 0, b"old"), marker])
    journal.write([_row("m", 1, 0, b"new"), marker])
    assert list(journal.rows("rounds")) == [Stored(("m", 1, 0), b"new")]
    journal.close()


def test_g3_03_an_attempt_is_kept_as_first_written_and_its_repeat_is_told(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    assert journal.write([_call(1, "rate", 429), _call(2, "", 200)]) == [True, True]
    assert journal.write([_call(2, "", 200), _call(3, "", 200)]) == [False, True]
    assert journal.call_totals() == CallTotals(3, failed=1, throttled=1, tokens_in=300, tokens_out=30, cost_usd=1.5)
    journal.write([_call(4, "network", 0, cost=None)])
    assert journal.call_totals().cost_usd == 1.5
    journal.write([_call(5, "", 200, cost=None)])
    assert journal.call_totals().cost_usd is None
    journal.close()


def test_the_last_attempt_without_a_reply_is_found_and_a_content_filter_is_a_reply(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    journal.write([_call(1, "", 200), _call(2, "content_filter", 400)])
    assert (journal.last_failed(), journal.call_totals().failed) == (None, 0)
    last = _call(4, "network", 0)._replace(values=("digest", "network", 0, 0, 0, None, b"last"))
    journal.write([_call(3, "rate", 429), last, _call(5, "", 200)])
    assert (journal.last_failed(), journal.call_totals().failed) == (b"last", 2)
    journal.close()


def test_replies_leave_out_attempts_that_brought_none(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    journal.write([_call(1, "rate", 429), _call(2, "", 200), _call(3, "content_filter", 400)])
    assert [stored.key for stored in journal.replies("m", 1)] == [(0, 0, 0, "digest")] * 2
    assert journal.replies("m", 2) == []
    journal.close()


def test_a_market_given_up_is_lost_until_it_is_finished(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    journal.write([Entry("lost", ("m",), (b"{}",))])
    assert journal.lost() == {"m"}
    journal.write([Entry("commits", ("m", 6), (1,))])
    assert journal.lost() == set()
    journal.close()


def test_a_reader_sees_what_is_written_while_the_writer_is_open(tmp_path: Path) -> None:
    writer = Journal(tmp_path / "j.db", writable=True)
    reader = Journal(tmp_path / "j.db", writable=False)
    writer.write([_row("m", 1, 0), Entry("commits", ("m", 1), (0,))])
    assert reader.committed() == {"m": 1}
    with pytest.raises(RunError, match="cannot be opened or written"):
        reader.write([_row("m", 1, 1)])
    reader.close()
    writer.close()


def test_g3_09_a_kill_in_the_middle_of_writing_loses_no_committed_round(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, cwd=ROOT) as writer:
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(40)]
        os.kill(writer.pid, signal.SIGKILL)
    journal = Journal(path, writable=True)
    journal.check()
    last = journal.committed()["m"]
    assert last >= told[-1] == 40
    assert len(list(journal.rows("rounds"))) == 6 * last
    journal.write([_row("m", last + 1, 0), Entry("commits", ("m", last + 1), (0,))])
    assert journal.committed()["m"] == last + 1
    journal.close()


def test_g3_09_a_torn_tail_of_the_log_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    writer = Journal(path, writable=True)
    for number in (1, 2):
        writer.write([_row("m", number, 0, b"x" * 9000), Entry("commits", ("m", number), (0,))])
    torn = tmp_path / "torn.db"
    torn.write_bytes(path.read_bytes())
    log = (tmp_path / "j.db-wal").read_bytes()
    (tmp_path / "torn.db-wal").write_bytes(log[:-500])
    writer.close()
    journal = Journal(torn, writable=True)
    assert journal.committed() == {"m": 1}
    journal.check()
    journal.close()


def test_a_file_that_is_no_journal_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    path.write_bytes(b"no database at all " * 100)
    with pytest.raises(RunError, match=r"j\.db: is no intact journal.*put back a copy"):
        Journal(path, writable=True)


def test_a_missing_journal_is_refused_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be opened"):
        Journal(tmp_path / "none.db", writable=False)


def test_a_journal_whose_folder_was_taken_away_says_so_at_the_next_write_and_goes_on_where_it_is(
    tmp_path: Path,
) -> None:
    (tmp_path / "run").mkdir()
    journal = Journal(tmp_path / "run" / "j.db", writable=True)
    journal.write([_row("m", 1, 0), Entry("commits", ("m", 1), (0,))])
    (tmp_path / "run").rename(tmp_path / "away")
    with pytest.raises(RunError, match=r"j\.db: is gone; put the run folder back"):
        journal.write([_row("m", 2, 0)])
    journal.close()
    moved = Journal(tmp_path / "away" / "j.db", writable=True)
    assert moved.committed() == {"m": 1}
    moved.close()


def test_a_journal_that_is_being_made_at_this_moment_is_not_called_one_of_another_version(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "j.db").close()
    (tmp_path / "j.db").touch()
    with pytest.raises(RunError, match="holds nothing yet; if a run is starting there, look again"):
        Journal(tmp_path / "j.db", writable=False)


def test_a_journal_of_another_schema_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "j.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(RunError, match="schema 99, this version reads 2"):
        Journal(tmp_path / "j.db", writable=True)


def test_a_full_disk_is_told_and_nothing_of_the_batch_is_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    journal.write([_row("m", 1, 0), Entry("commits", ("m", 1), (0,))])
    pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
    journal._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(RunError, match="disk is full; free space"):
        journal.write([Entry("commits", ("m", 2), (0,)), _row("m", 2, 0, b"x" * 100_000)])
    assert journal.committed() == {"m": 1}
    journal.close()


def test_what_one_firm_did_in_a_round_is_found_committed_or_not(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.db", writable=True)
    journal.write([_row("m", 1, 0), Entry("commits", ("m", 1), (0,)), _row("m", 2, 1, b"later"), _row("other", 1, 0)])
    journal.write([_call(2, "", 200), _call(1, "rate", 429), Entry("failures", ("broken", "life", 1), (b"{}",))])
    assert journal.markets() == ["broken", "m", "other"]
    assert journal.firm_rounds("m") == [(1, 0), (2, 1)]
    assert journal.firm_rounds("nowhere") == []
    assert journal.of_firm_round("rounds", ("m", 2, 1)) == [Stored(("m", 2, 1), b"later")]
    assert [stored.key[-1] for stored in journal.of_firm_round("calls", ("m", 1, 0))] == [2, 1]
    journal.close()
