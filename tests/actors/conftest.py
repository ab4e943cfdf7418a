"""One Ray for all tests that need one in this process; it starts with the first of them."""

from collections.abc import Iterator

import pytest

from actors.ray_session import RayChoice, ray_session


@pytest.fixture(scope="session")
def ray_up() -> Iterator[None]:
    with ray_session(RayChoice()):
        yield
