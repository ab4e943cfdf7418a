import asyncio
import socket

import numpy as np
import pytest


def test_a_division_by_zero_raises() -> None:
    with pytest.raises(FloatingPointError, match="divide by zero"):
        np.array([1.0]) / np.array([0.0])


async def test_a_division_by_zero_raises_in_a_coroutine() -> None:
    await asyncio.sleep(0)
    with pytest.raises(FloatingPointError, match="divide by zero"):
        np.array([1.0]) / np.array([0.0])


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_connection_beyond_loopback_is_refused(family: socket.AddressFamily) -> None:
    address = {socket.AF_INET: ("192.0.2.1", 9), socket.AF_INET6: ("2001:db8::1", 9)}[family]
    with socket.socket(family) as plug, pytest.raises(OSError, match="loopback only"):
        plug.connect(address)


def test_a_connection_without_exception_is_refused_too() -> None:
    with socket.socket() as plug, pytest.raises(OSError, match="loopback only"):
        plug.connect_ex(("192.0.2.1", 9))


async def test_an_event_loop_connection_beyond_loopback_is_refused() -> None:
    with pytest.raises(OSError, match="loopback only"):
        await asyncio.open_connection("192.0.2.1", 9)


def test_a_foreign_name_is_not_looked_up() -> None:
    with pytest.raises(socket.gaierror, match="loopback names only"):
        socket.create_connection(("models.invalid", 443))


def test_loopback_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as plug:
        assert plug.getpeername() == server.getsockname()
