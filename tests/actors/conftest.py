"""One Ray for all tests that need one in this process; it starts with the first of them."""

import gc
import subprocess
import threading
from collections.abc import Iterator

import pytest
import ray

from actors.ray_session import RayChoice, ray_session

START_SECONDS = 30.0


@pytest.fixture(scope="session")
def _ray_of_the_session() -> Iterator[None]:
    try:
        with ray_session(RayChoice()):
            yield
    finally:
        _reap()


@pytest.fixture
def ray_up(_ray_of_the_session: None) -> None:
    # Without a Ray that is up, Ray would start another one by itself, with settings that are not ours.
    assert ray.is_initialized(), "a test before this one ended the Ray of all tests; its own report says so"


def _reap() -> None:
    """Collect the processes of Ray that were killed and not waited for, else they warn in whatever test runs next."""
    for thread in threading.enumerate():
        if thread.name == "ray start":
            thread.join(START_SECONDS)
    for known in gc.get_objects():
        if issubclass(type(known), subprocess.Popen):  # of the type itself: some objects only pretend to one
            known.poll()
