import asyncio
from pathlib import Path

import pytest

from actors.group_commit import GroupCommit
from actors.journal import Entry, Journal
from erpsim.errors import RunError


def _entry(number: int) -> Entry:
    return Entry("commits", (f"m{number}", 1), (1,))


async def test_rows_are_durable_when_the_commit_returns(tmp_path: Path) -> None:
    writer = GroupCommit(tmp_path / "j.db")
    await writer.commit([_entry(1), _entry(2)])
    reader = Journal(tmp_path / "j.db", writable=False)
    assert reader.finished() == {"m1", "m2"}
    reader.close()
    writer.close()


async def test_callers_share_transactions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    write = Journal.write

    def counted(self: Journal, entries: list[Entry]) -> list[bool]:
        batches.append(len(entries))
        return write(self, entries)

    monkeypatch.setattr(Journal, "write", counted)
    writer = GroupCommit(tmp_path / "j.db")
    fresh = await asyncio.gather(*(writer.commit([_entry(number)]) for number in range(300)))
    writer.close()
    assert fresh == [[True]] * 300
    assert sum(batches) == 300
    assert len(batches) < 300


async def test_what_waits_is_written_when_the_writer_closes(tmp_path: Path) -> None:
    writer = GroupCommit(tmp_path / "j.db")
    waiting = asyncio.create_task(writer.commit([_entry(1)]))
    await asyncio.sleep(0)
    writer.close()
    assert await waiting == [True]


async def test_an_error_reaches_every_caller_of_the_batch_and_later_ones_go_on(tmp_path: Path) -> None:
    writer = GroupCommit(tmp_path / "j.db")
    with pytest.raises(RunError, match="cannot be used"):
        await writer.commit([Entry("commits", ("m",), (1,))])
    assert await writer.commit([_entry(1)]) == [True]
    writer.close()


def test_a_journal_that_cannot_be_opened_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be opened"):
        GroupCommit(tmp_path / "missing" / "j.db")
