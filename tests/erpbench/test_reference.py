"""The committed reference pages say what the code does."""

from typing import get_type_hints

import pytest

from actors.store import ROW_TYPES
from tests.erpbench.record_columns import COLUMNS, TABLES
from tests.erpbench.reference import FOLDER, pages


@pytest.mark.parametrize("name", ["command-line.md", "records.md"])
def test_a_committed_page_is_what_the_code_gives(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == pages()[name], "run `python -m tests.erpbench.reference` and read the difference"


def test_every_column_has_a_meaning_and_no_meaning_is_left_over() -> None:
    columns = {name for row_type in ROW_TYPES.values() for name in get_type_hints(row_type)}
    assert set(COLUMNS) == columns
    assert set(TABLES) == set(ROW_TYPES)
