"""The page of dialects says what the code and its data give."""

from typing import get_args

import pytest

from actors.llm.calls import RETRYABLE, CallClass
from ecologies.dialects import dialects
from tests.docs.dialects_page import PAGE, page

COMMITTED = PAGE.read_text(encoding="utf-8")


def rows(name: str) -> list[str]:
    return [line for line in COMMITTED.splitlines() if line.startswith(f"| `{name}` |")]


def test_the_committed_table_is_what_the_code_gives() -> None:
    assert page(COMMITTED) == COMMITTED, "run `python -m tests.docs.dialects_page` and read the difference"


@pytest.mark.parametrize("name", dialects())
def test_every_dialect_stands_in_the_table_and_every_provider_has_its_row(name: str) -> None:
    assert f"| {dialects()[name].protocol} |" in rows(name)[0]
    assert len(rows(name)) == (1 if name == "http" else 2)


@pytest.mark.parametrize("name", get_args(CallClass))
def test_every_error_class_has_its_row_and_says_whether_it_is_tried_again(name: CallClass) -> None:
    (row,) = rows(name)
    assert ("tried again" in row) == (name in RETRYABLE)
