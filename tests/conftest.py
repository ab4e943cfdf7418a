"""What every test lives under: loud floating-point errors, no network beyond loopback, reproducible examples."""

import errno
import ipaddress
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, database=None)
settings.load_profile("deterministic")

Address = tuple[Any, ...] | str | bytes


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a person ask for the tests that take minutes each."""
    parser.addoption("--long", action="store_true", help="run the tests marked long, too; each takes minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that take minutes, unless they were asked for."""
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="takes minutes; --long runs it"))


@pytest.fixture(autouse=True)
def _numpy_errors_raise() -> Iterator[None]:
    before = np.seterr(all="raise", under="ignore")
    yield
    np.seterr(**before)


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", _guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", _guarded(socket.socket.connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", _guarded_lookup(socket.getaddrinfo))


@pytest.fixture(autouse=True)
def _ray_is_left_as_it_was() -> Iterator[None]:
    """Name the test that ends the Ray that others of this process need, or that lets Ray start one by itself."""
    before = _ray_is_up()
    yield
    assert _ray_is_up() == before, "this test ended the Ray of this process" if before else "this test left a Ray up"


def _ray_is_up() -> bool:
    """Whether this process has a Ray; a process that never loaded it has none."""
    ray = sys.modules.get("ray")
    return ray is not None and bool(ray.is_initialized())


def _guarded(connect: Callable[[socket.socket, Any], Any]) -> Callable[[socket.socket, Any], Any]:
    def guarded(self: socket.socket, address: Address) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
            raise OSError(errno.ENETUNREACH, f"tests may connect to loopback only, not to {address!r}")
        return connect(self, address)

    return guarded


def _guarded_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(host: str | bytes | None, *args: Any, **kwargs: Any) -> Any:
        if host and not _is_loopback(host) and _text(host) != socket.gethostname():
            raise socket.gaierror(socket.EAI_NONAME, f"tests may look up loopback names only, not {host!r}")
        return lookup(host, *args, **kwargs)

    return guarded


def _is_loopback(host: object) -> bool:
    name = _text(host)
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _text(host: object) -> str:
    return host.decode() if isinstance(host, bytes) else str(host)
