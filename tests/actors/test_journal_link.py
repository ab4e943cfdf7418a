import asyncio
from collections.abc import Sequence

import pytest

from actors import journal_link
from actors.entries import Spent, timing_entry
from actors.journal import Entry
from actors.journal_link import JournalLink, JournalRecorder
from actors.llm.calls import DecisionKey, Place
from actors.messages import History, Lost, StoredReply
from actors.progress import Progress
from erpsim.errors import RunError
from tests.actors.samples import call_record

BODY = '{"choices": [{"message": {"content": "%s"}}]}'


class Kept:
    """An audit actor that keeps the messages it is sent; the first ones may be lost or fail."""

    def __init__(self, *first: Exception) -> None:
        self.messages: list[list[Entry]] = []
        self.failures = list(first)

    async def commit(self, entries: Sequence[Entry]) -> None:
        await asyncio.sleep(0.01)
        if self.failures:
            raise self.failures.pop(0)
        self.messages.append(list(entries))

    async def committed(self, market_id: str) -> int:
        return 0

    async def history(self, market_id: str, seats: tuple[int, ...]) -> History:
        return History(0, {}, ())

    async def snapshot(self) -> Progress:
        return Progress()


def _entry(number: int) -> Entry:
    return Entry("commits", ("m", number), (0,))


async def test_what_gathers_while_a_message_is_under_way_goes_with_the_next() -> None:
    kept = Kept()
    link = JournalLink(kept)
    await asyncio.gather(*(link.commit([_entry(number)]) for number in range(100)))
    assert [entry for message in kept.messages for entry in message] == [_entry(number) for number in range(100)]
    assert len(kept.messages) <= 2


async def test_rows_are_sent_again_to_an_audit_actor_that_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_link, "RETRY_SECONDS", 0.001)
    kept = Kept(Lost("gone"), Lost("gone"))
    await JournalLink(kept).commit([_entry(1)])
    assert kept.messages == [[_entry(1)]]


async def test_an_error_of_the_journal_reaches_every_caller_and_the_next_message_goes_on() -> None:
    link = JournalLink(kept := Kept(RunError("the disk is full")))
    with pytest.raises(RunError, match="the disk is full"):
        await link.commit([_entry(1)])
    await link.commit([_entry(2)])
    assert kept.messages == [[_entry(2)]]


async def test_an_attached_row_goes_with_the_next_message_or_with_a_flush() -> None:
    link = JournalLink(kept := Kept())
    rider = timing_entry("m", 1, 0, Spent())
    link.attach(rider)
    await link.commit([_entry(1)])
    link.attach(rider)
    await link.flush()
    await link.flush()
    assert kept.messages == [[rider, _entry(1)], [rider]]


async def test_a_recorder_gives_the_last_journaled_reply_of_the_same_place_and_request_only() -> None:
    recorder = JournalRecorder(JournalLink(Kept()))
    replies = [StoredReply(2, 0, 1, "d", BODY % text, "m||") for text in ("first", "last")]
    recorder.remember("m", 3, replies)
    key = DecisionKey("m", 2, 3)
    found = await recorder.lookup(Place(key, 0, 1), "d")
    assert found is not None
    assert found.body == BODY % "last"
    assert await recorder.lookup(Place(key, 0, 1), "other") is None
    assert await recorder.lookup(Place(key, 0, 0), "d") is None
    assert await recorder.lookup(Place(DecisionKey("m", 1, 3), 0, 1), "d") is None
    recorder.forget("m")
    assert await recorder.lookup(Place(key, 0, 1), "d") is None


async def test_attempts_at_one_place_are_kept_apart_also_over_two_lives_of_an_actor() -> None:
    kept = Kept()
    for _ in range(2):
        recorder = JournalRecorder(JournalLink(kept))
        await recorder.commit(call_record())
        await recorder.commit(call_record())
    keys = [entry.key for message in kept.messages for entry in message]
    assert len(set(keys)) == 4
