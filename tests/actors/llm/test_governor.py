import asyncio

from actors.llm.calls import CallClass
from actors.llm.governor import HOLD_S, LocalGovernor, Permit, Signal
from tests.actors.llm.peers import FakeTime


def governed(limit: int) -> tuple[LocalGovernor, FakeTime]:
    time = FakeTime()
    return LocalGovernor({"a": limit}, time.clock, time.sleep), time


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
    await governor.release(first, Signal(""))
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2]
    await governor.release(second, Signal(""))


async def test_a_429_halves_the_cap_once_for_all_calls_that_were_open() -> None:
    governor, time = governed(16)
    permits = await many(governor, 16)
    time.now = 1.0
    await settle(governor, permits, "rate")
    assert governor.cap("a") == 8
    time.now = 2.0
    await settle(governor, await many(governor, 1), "rate")
    assert governor.cap("a") == 4


async def test_the_cap_grows_only_when_it_is_in_use_and_never_beyond_the_limit() -> None:
    governor, time = governed(4)
    time.now = 1.0
    await settle(governor, await many(governor, 1), "rate")
    assert governor.cap("a") == 2
    for _ in range(20):
        await settle(governor, await many(governor, 1))
    assert governor.cap("a") == 2
    for _ in range(20):
        await settle(governor, await many(governor, governor.cap("a")))
    assert governor.cap("a") == 4


async def test_a_server_error_holds_growth_for_a_while() -> None:
    governor, time = governed(4)
    time.now = 1.0
    await settle(governor, await many(governor, 1), "rate")
    await settle(governor, await many(governor, 1), "server")
    for _ in range(20):
        await settle(governor, await many(governor, 2))
    assert governor.cap("a") == 2
    time.now += HOLD_S
    for _ in range(20):
        await settle(governor, await many(governor, governor.cap("a")))
    assert governor.cap("a") == 4


async def test_retry_after_closes_the_account_for_everybody() -> None:
    governor, time = governed(4)
    (permit,) = await many(governor, 1)
    await governor.release(permit, Signal("rate", 30.0))
    assert (await governor.acquire("a")).opened_at == 30.0
    assert time.slept == [30.0]


async def test_a_refused_key_stops_the_account_and_frees_all_who_wait() -> None:
    governor, _ = governed(1)
    (permit,) = await many(governor, 1)
    waiting = [asyncio.create_task(governor.acquire("a")) for _ in range(3)]
    await asyncio.sleep(0)
    await governor.release(permit, Signal("auth"))
    assert {(await task).stopped for task in waiting} == {"auth"}
    assert (await governor.acquire("other")).stopped is None


async def test_a_waiter_that_is_cancelled_passes_its_turn_on() -> None:
    governor, _ = governed(1)
    (permit,) = await many(governor, 1)
    gone = asyncio.create_task(governor.acquire("a"))
    stays = asyncio.create_task(governor.acquire("a"))
    await asyncio.sleep(0)
    await governor.release(permit, Signal(""))
    gone.cancel()
    assert (await stays).stopped is None
    assert gone.cancelled()


async def test_a_spent_quota_opens_again_when_the_server_said_it_would() -> None:
    governor, time = governed(1)
    (permit,) = await many(governor, 1)
    await governor.release(permit, Signal("quota", 14_400.0))
    time.now = 14_399.0
    assert (await governor.acquire("a")).stopped == "quota"
    time.now = 14_400.0
    assert (await governor.acquire("a")).stopped is None
