"""Lines: calls and answers over loopback, and what a caller meets when the other end is gone."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from actors.line import HOST, Extension, Fault, Line, Switchboard, dial
from actors.messages import Ack, Lost
from erpsim.errors import RunError


class Desk:
    """What is called."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.called = asyncio.Event()

    async def double(self, values: np.ndarray) -> tuple[np.ndarray, Ack]:
        return 2 * values, Ack("m", len(values))

    async def wait(self) -> str:
        self.called.set()
        await self.opened.wait()
        return "opened"

    async def fail(self, kind: str) -> None:
        if kind == "ours":
            raise RunError("the disk is full")
        if kind == "path":
            raise RunError("runs/caf\udce9 is full")
        raise KeyError(kind)

    async def wait_and_fail(self) -> None:
        await self.wait()
        raise KeyError("too late")

    async def odd(self) -> object:
        return {1, 2}

    async def secret(self) -> str:
        return "not to be called"


@asynccontextmanager
async def connected(desk: Desk) -> AsyncIterator[tuple[Line, Switchboard, Extension]]:
    """A line to a desk."""
    board = Switchboard(desk, frozenset({"double", "wait", "wait_and_fail", "fail", "odd"}))
    extension = await board.open("node")
    line = await dial("desk", extension)
    try:
        yield line, board, extension
    finally:
        line.close()
        await board.close()
        await asyncio.sleep(0.01)


async def test_a_call_is_answered() -> None:
    async with connected(Desk()) as (line, _, _):
        doubled, ack = await line.ask("double", np.arange(3))
        assert doubled.tolist() == [0, 2, 4]
        assert ack == Ack("m", 3)


async def test_answers_come_in_any_order_and_a_large_one_is_whole() -> None:
    desk = Desk()
    async with connected(desk) as (line, _, _):
        late = [asyncio.create_task(line.ask("wait")) for _ in range(300)]
        large = np.arange(1_000_000)
        sums = await asyncio.gather(*(line.ask("double", large + step) for step in range(5)))
        assert [int(doubled.sum()) for doubled, _ in sums] == [int(2 * (large + step).sum()) for step in range(5)]
        assert not any(task.done() for task in late)
        desk.opened.set()
        assert await asyncio.gather(*late) == ["opened"] * 300


async def test_errors_of_ours_keep_their_class_and_others_are_told() -> None:
    async with connected(Desk()) as (line, _, _):
        with pytest.raises(RunError, match=r"^the disk is full$"):
            await line.ask("fail", "ours")
        with pytest.raises(RunError, match="caf\udce9 is full"):
            await line.ask("fail", "path")
        with pytest.raises(Fault, match=r"^KeyError: 'bug' \(test_line.py:\d+\)$"):
            await line.ask("fail", "bug")
        with pytest.raises(Fault, match=r"^TypeError: .*missing 1 required"):
            await line.ask("fail")
        with pytest.raises(Fault, match="a set does not cross between actors"):
            await line.ask("odd")
        assert (await line.ask("double", np.arange(1)))[1] == Ack("m", 1), "the line goes on"


async def test_calls_under_way_are_lost_when_the_other_end_hangs_up() -> None:
    desk = Desk()
    async with connected(desk) as (line, board, _):
        waiting = asyncio.create_task(line.ask("wait"))
        await desk.called.wait()
        await board.close()
        with pytest.raises(Lost, match=r"^desk: its process ended during a call$"):
            await waiting
        assert line.dead
        with pytest.raises(Lost, match=r"^desk: its process has ended$"):
            await line.ask("wait")


async def test_a_cancelled_call_leaves_the_line_in_use() -> None:
    desk = Desk()
    async with connected(desk) as (line, _, _):
        waiting = asyncio.create_task(line.ask("wait"))
        await desk.called.wait()
        waiting.cancel()
        desk.opened.set()
        assert (await line.ask("double", np.arange(2)))[1] == Ack("m", 2)


async def test_an_error_that_nobody_waits_for_any_more_is_not_shouted(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    async with connected(desk) as (line, _, _):
        waiting = asyncio.create_task(line.ask("wait_and_fail"))
        await desk.called.wait()
        line.close()
        with pytest.raises(Lost):
            await waiting
        await asyncio.sleep(0.01)
        desk.opened.set()
        await asyncio.sleep(0.01)
    gc.collect()
    assert not caplog.records


async def test_only_the_methods_served_can_be_called() -> None:
    async with connected(Desk()) as (line, _, _):
        with pytest.raises(Lost):
            await line.ask("secret")


async def test_who_does_not_show_the_secret_is_hung_up_on_unread() -> None:
    async with connected(Desk()) as (_, _, extension):
        reader, writer = await asyncio.open_connection(HOST, extension.port)
        writer.write(bytes(32) + b"\x00" * 100)
        assert await reader.read() == b""
        writer.close()
        assert str(extension.secret) not in repr(extension)


async def test_who_shows_nothing_is_hung_up_on_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.line.SECRET_SECONDS", 0.02)
    async with connected(Desk()) as (line, _, extension):
        reader, writer = await asyncio.open_connection(HOST, extension.port)
        writer.write(bytes(3))
        assert await asyncio.wait_for(reader.read(), 5) == b""
        writer.close()
        assert (await line.ask("double", np.arange(1)))[1] == Ack("m", 1), "a caller stays"


async def test_an_actor_has_one_port_whoever_asks_first() -> None:
    board = Switchboard(Desk(), frozenset())
    one, two = await asyncio.gather(board.open("node"), board.open("node"))
    assert one == two
    await board.close()
    with pytest.raises(OSError, match="Connect call failed"):
        await dial("desk", one)
