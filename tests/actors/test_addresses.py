"""Lines to actors by their addresses: one for each event loop, dialled anew when it is dead, and Ray's way without."""

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import ray

from actors import addresses
from actors.addresses import Address, RemoteFirm
from actors.line import Extension, Switchboard
from actors.messages import Ack, Lost

NODE = "here"
FIRM = RemoteFirm(Address("run", "firm"))


class Firm:
    """What is called by a line."""

    async def open(self, market_id: str) -> Ack:
        return Ack(market_id, 0)


class Method:
    """A method as a Ray handle has it."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.remote = call


class Handle:
    """An actor's handle, whose switchboard may be another one after a restart; its answer through Ray tells itself."""

    def __init__(self) -> None:
        self.board = Switchboard(Firm(), frozenset({"open"}))
        self.node = NODE
        self.asked = 0
        self.line = Method(self._line)
        self.open = Method(self._open)

    async def restart(self) -> None:
        await self.board.close()
        self.board = Switchboard(Firm(), frozenset({"open"}))

    async def _line(self) -> Extension:
        self.asked += 1
        return await self.board.open(self.node)

    async def _open(self, market_id: str) -> Ack:
        return Ack(f"{market_id} through Ray", 0)


class Context:
    """Where this process runs."""

    def get_node_id(self) -> str:
        return NODE


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Handle:
    made = Handle()
    monkeypatch.setattr(addresses, "_handle", lambda address: made)
    monkeypatch.setattr(ray, "get_runtime_context", Context)
    return made


async def hang_up(handle: Handle) -> None:
    await handle.board.close()
    await asyncio.sleep(0.02)


async def test_callers_at_once_share_a_line_and_a_dead_one_is_dialled_anew(handle: Handle) -> None:
    assert await asyncio.gather(*(FIRM.open(f"m{number}") for number in range(50))) == [
        Ack(f"m{number}", 0) for number in range(50)
    ]
    assert handle.asked == 1
    await handle.restart()
    await asyncio.sleep(0.02)
    assert await FIRM.open("m") == Ack("m", 0)
    assert handle.asked == 2
    await hang_up(handle)


async def test_a_restart_that_the_caller_has_not_noticed_is_a_loss(handle: Handle) -> None:
    await FIRM.open("m")
    await handle.board.close()
    with pytest.raises(Lost, match="its process ended during a call"):
        await FIRM.open("m")
    await asyncio.sleep(0.02)


async def test_an_actor_on_another_node_is_called_through_ray(handle: Handle) -> None:
    handle.node = "there"
    assert await FIRM.open("m") == Ack("m through Ray", 0)
    await hang_up(handle)


@pytest.mark.parametrize("where", ["start_server", "open_connection"])
async def test_where_no_line_can_be_had_an_actor_is_called_through_ray(
    handle: Handle, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    async def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "not here")

    monkeypatch.setattr(asyncio, where, refused)
    assert await FIRM.open("m") == Ack("m through Ray", 0)
    if where == "open_connection":
        await hang_up(handle)


def test_lines_of_a_closed_loop_are_let_go(handle: Handle) -> None:
    async def call() -> None:
        await FIRM.open("m")
        await hang_up(handle)

    loops = []
    for _ in range(3):
        handle.board = Switchboard(Firm(), frozenset({"open"}))
        with asyncio.Runner() as runner:
            runner.run(call())
            loops.append(weakref.ref(runner.get_loop()))
    gc.collect()
    assert [loop() is None for loop in loops] == [True, True, False]
