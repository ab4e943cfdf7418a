"""Figures are drawn under the theme, as `draw` does."""

from collections.abc import Iterator

import pytest

from analysis.theme import themed


@pytest.fixture(autouse=True)
def _theme() -> Iterator[None]:
    with themed():
        yield
