"""Files of lines with a stamp: whole lines count, and what is none of them has no stamp."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecologies.stamped_lines import Stamped, append_line, read_stamped, write_lines


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lines.jsonl"
    write_lines(path, [{"format": 1}, {"a": 1}])
    append_line(path, {"a": 2})
    assert path.read_text() == '{"format":1}\n{"a":1}\n{"a":2}\n'
    with path.open("a") as file:
        file.write('{"a":')
    assert read_stamped(path) == Stamped({"format": 1}, ({"a": 1}, {"a": 2}))


@pytest.mark.parametrize("text", ["", '{"format":1}', "[1]\n", "words\n", "\u00e9\n", '{"format":1}\nwords\n'])
def test_a_file_of_something_else_has_no_stamp(text: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(text, encoding="utf-8")
    assert read_stamped(path) == Stamped({}, ())
