"""One long step a pass of the event loop, in the order in which they were asked for."""

import asyncio
from collections.abc import Sequence

from actors.journal import Entry
from actors.journal_link import JournalLink
from actors.turns import Turns
from tests.actors.test_journal_link import Kept


class Passes:
    """Counts the passes of the event loop, until it is stopped."""

    def __init__(self) -> None:
        self.number = 0
        self._handle = asyncio.get_running_loop().call_soon(self._count)

    def _count(self) -> None:
        self.number += 1
        self._handle = asyncio.get_running_loop().call_soon(self._count)

    def stop(self) -> None:
        self._handle.cancel()


async def test_turns_come_in_order_and_each_in_a_pass_of_its_own() -> None:
    turns, passes = Turns(), Passes()
    seen: list[tuple[int, int]] = []

    async def work(number: int) -> None:
        await turns.next()
        seen.append((number, passes.number))

    await asyncio.gather(*(work(number) for number in range(20)))
    passes.stop()
    assert [number for number, _ in seen] == list(range(20))
    assert len({when for _, when in seen}) == 20


async def test_who_has_gone_takes_no_turn_and_the_next_burst_gets_turns_again() -> None:
    turns = Turns()
    first, gone, last = [asyncio.create_task(turns.next()) for _ in range(3)]
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(first, last)
    assert gone.cancelled()
    await asyncio.wait_for(turns.next(), 5.0)
    await asyncio.wait_for(turns.next(), 5.0)


async def test_what_was_journaled_in_one_go_goes_on_in_turns_while_other_work_is_seen_to() -> None:
    link, passes = JournalLink(Kept()), Passes()
    went_on: list[int] = []

    async def reply(entries: Sequence[Entry]) -> None:
        await link.commit(entries)
        went_on.append(passes.number)

    await asyncio.gather(*(reply([Entry("commits", ("m", number), (0,))]) for number in range(50)))
    passes.stop()
    assert len(set(went_on)) == 50
