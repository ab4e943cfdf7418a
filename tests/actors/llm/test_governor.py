"""How callers wait for permits in one process; the rules of an account have their own tests."""

import asyncio

import pytest

from actors.llm.calls import CallClass
from actors.llm.governor import LocalGovernor, Permit, Signal, Standing
from actors.llm.terms import Terms
from tests.actors.llm.peers import FakeTime


def governed(connections: int, requests_per_minute: float | None = None) -> tuple[LocalGovernor, FakeTime]:
    time = FakeTime()
    return LocalGovernor({"a": Terms(connections, requests_per_minute)}, time.clock, time.sleep), time


async def many(governor: LocalGovernor, count: int) -> list[Permit]:
    return [await governor.acquire("a") for _ in range(count)]


async def settle(governor: LocalGovernor, permits: list[Permit], error_class: CallClass | None = None) -> None:
    for permit in permits:
        await governor.release(permit, Signal(error_class or ""))


async def test_no_more_calls_are_open_than_the_cap_and_waiters_go_in_order() -> None:
    governor, _ = governed(2)
    first, second = await many(governor, 2)
    order: list[int] = []

    async def wait(number: int) -> None:
        permit = await governor.acquire("a")
        order.append(number)
        await governor.release(permit, Signal(""))

    tasks = [asyncio.create_task(wait(number)) for number in range(3)]
    await asyncio.sleep(0)
    assert order == []
    assert governor.standing() == (Standing("a", 2, 2, 3, ""),)
    await governor.release(first, Signal(""))
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2]
    await governor.release(second, Signal(""))


async def test_a_429_halves_the_cap_and_those_who_wait_feel_it() -> None:
    governor, time = governed(4)
    permits = await many(governor, 4)
    waiting = [asyncio.create_task(governor.acquire("a")) for _ in range(4)]
    await asyncio.sleep(0)
    time.now = 1.0
    await settle(governor, permits, "rate")
    await asyncio.sleep(0)
    assert governor.cap("a") == 2
    assert [task.done() for task in waiting] == [True, True, False, False]
    for task in waiting:
        await governor.release(await task, Signal(""))


async def test_retry_after_closes_the_account_for_everybody() -> None:
    governor, time = governed(4)
    (permit,) = await many(governor, 1)
    await governor.release(permit, Signal("rate", 30.0))
    assert [(await governor.acquire("a")).opened_at for _ in range(2)] == [30.0, 30.0]
    assert time.slept == [30.0]


async def test_a_caller_beyond_the_requests_of_a_minute_waits_for_the_next_without_anything_being_given_back() -> None:
    governor, time = governed(9, requests_per_minute=2)
    assert [permit.opened_at for permit in await many(governor, 5)] == [0.0, 0.0, 61.0, 61.0, 122.0]
    assert time.slept == [61.0, 61.0]


async def test_a_refused_key_stops_the_account_and_frees_all_who_wait() -> None:
    governor, _ = governed(1)
    (permit,) = await many(governor, 1)
    waiting = [asyncio.create_task(governor.acquire("a")) for _ in range(3)]
    await asyncio.sleep(0)
    await governor.release(permit, Signal("auth"))
    assert {(await task).stopped for task in waiting} == {"auth"}
    assert (await governor.acquire("other")).stopped is None
    assert [standing.stopped for standing in governor.standing()] == ["auth", ""]


async def test_a_waiter_that_is_cancelled_passes_its_turn_on_also_when_it_had_just_come() -> None:
    governor, _ = governed(1)
    for turn_had_come in (False, True):
        (permit,) = await many(governor, 1)
        gone = asyncio.create_task(governor.acquire("a"))
        stays = asyncio.create_task(governor.acquire("a"))
        await asyncio.sleep(0)
        if turn_had_come:
            await governor.release(permit, Signal(""))
            gone.cancel()
        else:
            gone.cancel()
            await governor.release(permit, Signal(""))
        last = await stays
        assert gone.cancelled()
        await governor.release(last, Signal(""))
        assert governor.standing()[0][1:4] == (0, 1, 0)


async def test_a_waiter_that_is_cancelled_used_none_of_the_minute() -> None:
    governor, time = governed(1, requests_per_minute=2)
    (first,) = await many(governor, 1)
    gone = asyncio.create_task(governor.acquire("a"))
    await asyncio.sleep(0)
    await governor.release(first, Signal(""))  # the waiter has its permit, and has not seen it
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert (await governor.acquire("a")).opened_at == 0.0
    assert time.slept == []


async def test_a_spent_quota_opens_again_when_the_server_said_it_would() -> None:
    governor, time = governed(1)
    (permit,) = await many(governor, 1)
    await governor.release(permit, Signal("quota", 14_400.0))
    time.now = 14_399.0
    assert (await governor.acquire("a")).stopped == "quota"
    time.now = 14_400.0
    assert (await governor.acquire("a")).stopped is None


async def test_nothing_is_left_running_when_all_who_waited_are_gone() -> None:
    governor = LocalGovernor({"a": Terms(requests_per_minute=1)}, asyncio.get_running_loop().time)
    await many(governor, 1)
    waiting = asyncio.create_task(governor.acquire("a"))
    await asyncio.sleep(0.01)
    assert len(asyncio.all_tasks()) == 3  # this test, the waiter, and the look at the end of the minute
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1
