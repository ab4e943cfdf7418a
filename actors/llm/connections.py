"""The pool of connections of one process, whose idle ones say now and then that they are alive.

A model may think for many minutes before the first byte of an answer comes. Routers on the way forget a connection
that is silent for that long (some after 350 s), and then the answer never arrives.
"""

from __future__ import annotations

import socket
from typing import Any, Final

import aiohttp

ALIVE_AFTER_S: Final = 60
"""Seconds of silence after which a connection says that it is alive, and between one time and the next."""
LOST_AFTER: Final = 5
"""Times without an echo after which it is given up."""


class Pool:
    """The one session of a process, which all its clients share; it opens when it is first asked for."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        """The session, of the event loop that runs."""
        if self._session is None:
            self._session = open_session()
        return self._session

    async def close(self) -> None:
        """Close the session and its connections; who asks then gets another."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


def open_session() -> aiohttp.ClientSession:
    """A session without cookies, and without variables of the environment.

    Its connections are not bounded; the governor does that.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, socket_factory=_socket),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
    )


def _socket(address: tuple[Any, ...]) -> socket.socket:
    """A socket for one result of getaddrinfo: family, type, protocol, name and address."""
    family, kind, protocol, *_ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _ALIVE.items():
        if hasattr(socket, option):  # not every system has each
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return made


_ALIVE: Final = {"TCP_KEEPIDLE": ALIVE_AFTER_S, "TCP_KEEPINTVL": ALIVE_AFTER_S, "TCP_KEEPCNT": LOST_AFTER}
