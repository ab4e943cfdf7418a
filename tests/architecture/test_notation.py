"""NOTATION.md names things that exist."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

NOTATION = Path(__file__).parents[2] / "NOTATION.md"
NAMES = sorted(set(re.findall(r"`(erpsim\.[\w.]+)`", NOTATION.read_text(encoding="utf-8"))))


def test_notation_names_most_rooms_of_the_simulation() -> None:
    assert len({name.rsplit(".", 1)[0] for name in NAMES}) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_name_can_be_imported(name: str) -> None:
    module, member = name.rsplit(".", 1)
    assert hasattr(import_module(module), member)
