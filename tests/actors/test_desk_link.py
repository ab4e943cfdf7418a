"""Firm actors that share an account: the desk and the ways to it, in one process, with desks that are lost."""

import asyncio
import random
from dataclasses import dataclass, field

import pytest

from actors import desk_link
from actors.desk import Desk, Given, Holder, Letter, Returned, Wanted
from actors.desk_link import RemoteGovernor
from actors.llm.governor import Signal
from actors.llm.terms import Terms
from actors.messages import Lost
from erpsim.errors import RunError
from tests.actors.llm.peers import FakeTime


@dataclass
class Line:
    """A way to a desk that keeps the letters, and may lose a letter or its answer."""

    desk: Desk
    letters: list[Letter] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    collected: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def restart(self, desk: Desk) -> None:
        """The desk's process has died, and with it the questions that waited there; another one is up."""
        self.desk = desk
        self.gone.set()
        self.gone = asyncio.Event()

    async def post(self, letter: Letter) -> Given:
        await asyncio.sleep(0.001)
        self.letters.append(letter)
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "letter":
            raise Lost("gone")
        given = await self.desk.post(letter)
        if fault == "answer":
            raise Lost("gone")
        return given

    async def collect(self, holder: Holder) -> Given:
        self.collected += 1
        await asyncio.sleep(0.001)
        given, gone = asyncio.create_task(self.desk.collect(holder)), asyncio.create_task(self.gone.wait())
        try:
            await asyncio.wait([given, gone], return_when=asyncio.FIRST_COMPLETED)
            if given.done():
                return given.result()
            raise Lost("gone")
        finally:
            given.cancel()
            gone.cancel()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_link, "RETRY_SECONDS", 0.001)


async def opened(connections: int = 2, **terms: float) -> Line:
    time = FakeTime()
    desk = Desk({"a": Terms(connections, **terms)}, time.clock, time.sleep)
    await desk.ready()
    return Line(desk)


async def restarted(connections: int = 8) -> Desk:
    """A desk in its second life: nobody has said that it is the first."""
    time = FakeTime()
    return Desk({"a": Terms(connections)}, time.clock, time.sleep)


async def stands(line: Line) -> tuple[int, int, int]:
    """Calls open, cap, and calls waiting, as the desk sees them."""
    await asyncio.sleep(0.02)
    (standing,) = await line.desk.standing()
    return standing.open, standing.cap, standing.waiting


async def test_two_firm_actors_together_never_have_more_open_than_the_account_allows() -> None:
    line = await opened(connections=3)
    firms = [RemoteGovernor(line, name) for name in ("one", "two")]
    now_open = most = served = 0

    async def call(firm: RemoteGovernor) -> None:
        nonlocal now_open, most, served
        permit = await firm.acquire("a")
        now_open += 1
        most = max(most, now_open)
        await asyncio.sleep(0.002)
        now_open -= 1
        served += 1
        await firm.release(permit, Signal(""))

    await asyncio.gather(*(call(firm) for firm in firms for _ in range(20)))
    assert (most, served) == (3, 40)
    assert await stands(line) == (0, 3, 0)


async def test_what_gathers_while_a_letter_is_under_way_goes_with_the_next() -> None:
    line = await opened(connections=64)
    firm = RemoteGovernor(line, "one")
    permits = await asyncio.gather(*(firm.acquire("a") for _ in range(50)))
    assert len(line.letters) <= 2
    for permit in permits:
        await firm.release(permit, Signal(""))
    assert await stands(line) == (0, 64, 0)
    assert len(line.letters) <= 4
    assert line.collected == 0


async def test_a_stop_reaches_everybody_who_waits_at_any_firm_actor() -> None:
    line = await opened(connections=1)
    one, two = RemoteGovernor(line, "one"), RemoteGovernor(line, "two")
    permit = await one.acquire("a")
    waiting = [asyncio.create_task(firm.acquire("a")) for firm in (one, two, two)]
    await asyncio.sleep(0.01)
    await one.release(permit, Signal("quota"))
    assert {(await task).stopped for task in waiting} == {"quota"}
    assert (await two.acquire("a")).stopped == "quota"
    assert await stands(line) == (0, 1, 0)


@pytest.mark.parametrize("fault", ["letter", "answer"])
async def test_a_letter_or_an_answer_that_is_lost_neither_doubles_nor_drops_a_permit(fault: str) -> None:
    line = await opened(connections=2)
    firm = RemoteGovernor(line, "one")
    for _ in range(3):
        line.faults = [fault]
        permit = await firm.acquire("a")
        line.faults = [fault]
        await firm.release(permit, Signal(""))
    assert await stands(line) == (0, 2, 0)


async def test_a_caller_that_is_cancelled_holds_nothing_whenever_that_happens() -> None:
    line = await opened(connections=1)
    firm = RemoteGovernor(line, "one")
    for pause_s in (0.0, 0.0005, 0.0015, 0.01):
        held = await firm.acquire("a")
        gone = asyncio.create_task(firm.acquire("a"))
        await asyncio.sleep(pause_s)
        gone.cancel()
        stays = asyncio.create_task(firm.acquire("a"))
        await firm.release(held, Signal(""))
        await firm.release(await asyncio.wait_for(stays, 5.0), Signal(""))
        assert gone.cancelled()
        assert await stands(line) == (0, 1, 0)


async def test_a_desk_that_comes_back_serves_who_waits_also_when_nobody_says_anything_new() -> None:
    line = await opened(connections=1)
    one = RemoteGovernor(line, "one")
    held = await one.acquire("a")
    waiting = asyncio.create_task(one.acquire("a"))
    await asyncio.sleep(0.01)
    line.restart(await restarted(connections=1))
    assert await stands(line) == (1, 1, 1)
    await one.release(held, Signal(""))
    assert (await asyncio.wait_for(waiting, 5.0)).stopped is None
    assert await stands(line) == (1, 1, 0)


async def test_calls_that_were_open_when_the_desk_was_lost_count_at_the_next_one() -> None:
    line = await opened(connections=8)
    firm = RemoteGovernor(line, "one")
    permits = [await firm.acquire("a") for _ in range(5)]
    line.restart(await restarted(connections=8))
    waiting = asyncio.create_task(firm.acquire("a"))
    assert await stands(line) == (5, 2, 1)
    for permit in permits[:3]:
        await firm.release(permit, Signal(""))
    assert await stands(line) == (2, 2, 1)
    await firm.release(permits[3], Signal(""))
    assert (await waiting).stopped is None


async def test_a_permit_of_a_desk_that_is_gone_does_no_harm_to_the_next() -> None:
    line = await opened(connections=1)
    one, two = RemoteGovernor(line, "one"), RemoteGovernor(line, "two")
    old = await one.acquire("a")
    line.restart(await restarted(connections=1))
    await two.acquire("a")
    await one.release(old, Signal("rate", 0.0))
    assert await stands(line) == (1, 1, 0)


async def test_a_permit_of_the_desk_before_that_was_asked_for_again_is_not_given_once_more() -> None:
    desk, one, two = (await opened(connections=1)).desk, Holder("one", "life"), Holder("two", "life")
    asked = Wanted(5, "a", 10)
    await desk.post(Letter(two, wanted=(Wanted(1, "a", 10),)))
    await desk.post(Letter(one, wanted=(asked,)))  # sent before its permit of the desk before had come
    await desk.post(Letter(one, held=(asked,)))
    await desk.post(Letter(one, returned=(Returned(5, "a", Signal("rate")),)))
    given = await desk.post(Letter(two, returned=(Returned(1, "a", Signal("")),)))
    assert given.permits == ()
    assert (await desk.post(Letter(one))).permits == ()
    assert [(account.open, account.waiting) for account in await desk.standing()] == [(0, 0)]


async def test_whoever_collected_before_the_way_broke_takes_nothing_from_who_collects_now() -> None:
    desk, one, two = (await opened(connections=1)).desk, Holder("one", "life"), Holder("two", "life")
    await desk.post(Letter(two, wanted=(Wanted(1, "a", 10),)))
    await desk.post(Letter(one, wanted=(Wanted(5, "a", 10),)))
    before = asyncio.create_task(desk.collect(one))
    await asyncio.sleep(0)
    now = asyncio.create_task(desk.collect(one))
    await asyncio.sleep(0)
    await desk.post(Letter(two, returned=(Returned(1, "a", Signal("")),)))
    assert [permit.key for permit in (await asyncio.wait_for(now, 5.0)).permits] == [("life", 5)]
    assert (await asyncio.wait_for(before, 5.0)).permits == ()


async def test_a_permit_that_nobody_waits_for_any_more_goes_back() -> None:
    line = await opened(connections=1)
    one, two = RemoteGovernor(line, "one"), RemoteGovernor(line, "two")
    held = await two.acquire("a")
    first = asyncio.create_task(one.acquire("a"))
    await asyncio.sleep(0.01)
    await line.desk.post(Letter(line.letters[-1].holder, wanted=(Wanted(7, "a", 10),)))  # one that came late
    second = asyncio.create_task(one.acquire("a"))
    await asyncio.sleep(0.01)
    await two.release(held, Signal(""))
    for task in (first, second):
        await one.release(await asyncio.wait_for(task, 5.0), Signal(""))
    assert await stands(line) == (0, 1, 0)


async def test_a_firm_actor_that_comes_back_drops_what_its_earlier_life_held_and_waited_for() -> None:
    line = await opened(connections=2)
    dead, other = RemoteGovernor(line, "one"), RemoteGovernor(line, "two")
    await dead.acquire("a")
    await dead.acquire("a")
    lost = asyncio.create_task(dead.acquire("a"))
    waiting = asyncio.create_task(other.acquire("a"))
    await asyncio.sleep(0.01)
    assert await stands(line) == (2, 2, 2)
    alive = RemoteGovernor(line, "one")
    assert (await asyncio.wait_for(alive.acquire("a"), 5.0)).stopped is None
    assert (await asyncio.wait_for(waiting, 5.0)).stopped is None
    assert await stands(line) == (2, 2, 0)
    lost.cancel()


async def test_the_permits_of_a_firm_actor_that_never_comes_back_end_with_their_lease() -> None:
    line = await opened(connections=1, lease_s=360.0)
    await RemoteGovernor(line, "one").acquire("a")
    permit = await asyncio.wait_for(RemoteGovernor(line, "two").acquire("a"), 5.0)
    assert permit.opened_at == 360.0


async def test_a_desk_that_does_not_come_back_is_told_to_everybody_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_link, "RETRIES", 3)
    line = await opened()
    line.faults = ["letter"] * 4
    firm = RemoteGovernor(line, "one")
    waiting = [asyncio.create_task(firm.acquire("a")) for _ in range(2)]
    for task in waiting:
        with pytest.raises(Lost):
            await task
    assert len(line.letters) == 4
    assert (await firm.acquire("a")).stopped is None  # a later one asks again


async def test_g3_17_a_fault_of_the_desk_itself_ends_in_a_plain_error_of_the_run() -> None:
    class Broken(Line):
        async def post(self, letter: Letter) -> Given:
            raise KeyError("a bug")

    line = await opened()
    with pytest.raises(RunError, match="the governor failed: KeyError"):
        await RemoteGovernor(Broken(line.desk), "one").acquire("a")


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_is_lost_everybody_is_served_and_nothing_stays_open(seed: int) -> None:
    chance = random.Random(seed)
    line = await opened(connections=3)
    served = 0

    async def call(firm: RemoteGovernor) -> None:
        nonlocal served
        await asyncio.sleep(chance.random() * 0.05)
        if chance.random() < 0.2:
            line.faults.append(chance.choice(["letter", "answer"]))
        if chance.random() < 0.1:
            line.restart(await restarted(connections=3))
        task = asyncio.create_task(firm.acquire("a", 10))
        if chance.random() < 0.2:
            await asyncio.sleep(chance.random() * 0.01)
            task.cancel()
        try:
            permit = await asyncio.wait_for(task, 10.0)
        except asyncio.CancelledError:
            served += 1
            return
        await asyncio.sleep(chance.random() * 0.01)
        await firm.release(permit, Signal(chance.choice(["", "", "rate", "network"]), tokens=5))
        served += 1

    firms = [RemoteGovernor(line, name) for name in ("one", "two", "three")]
    await asyncio.gather(*(call(firm) for firm in firms for _ in range(15)))
    line.faults.clear()
    for firm in firms:
        await firm.release(await firm.acquire("a"), Signal(""))
    assert served == 45
    open_now, _, waiting = await stands(line)
    assert (open_now, waiting) == (0, 0)
