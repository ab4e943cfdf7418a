import asyncio

import pytest

from actors.llm.governor import LocalGovernor, Signal
from actors.llm.tap import Tap
from actors.llm.terms import Terms
from tests.actors.llm.peers import FakeTime


def tapped(connections: int) -> tuple[Tap, LocalGovernor]:
    time = FakeTime()
    governor = LocalGovernor({"a": Terms(connections)}, time.clock, time.sleep)
    return Tap(governor), governor


async def test_once_it_is_off_no_call_starts_and_those_that_are_open_end() -> None:
    tap, governor = tapped(1)
    open_call = await tap.acquire("a")
    waiting = asyncio.create_task(tap.acquire("a"))
    await asyncio.sleep(0)
    tap.turn_off()
    late = asyncio.create_task(tap.acquire("a"))
    drained = asyncio.create_task(tap.drained())
    await asyncio.sleep(0)
    assert not drained.done()
    await tap.release(open_call, Signal(""))
    await drained
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    assert not late.done()
    assert governor.standing()[0][1:4] == (0, 1, 0)
    for task in (waiting, late):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_tap_that_nothing_runs_through_is_drained_and_one_of_a_stopped_account_says_so() -> None:
    tap, _ = tapped(1)
    await tap.drained()
    await tap.release(await tap.acquire("a"), Signal("auth"))
    assert (await tap.acquire("a")).stopped == "auth"
    await tap.drained()
