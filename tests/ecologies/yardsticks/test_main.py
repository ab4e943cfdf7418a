"""The command that computes yardsticks: what it writes, and one line for what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecologies.yardsticks.__main__ import main


def test_a_file_names_the_command_that_makes_it_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["static", "--problems", "P002,P001", "--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "static P001\nstatic P002\n"
    head, *rows = map(json.loads, (tmp_path / "static.jsonl").read_text(encoding="ascii").splitlines())
    assert head["command"] == "python -m ecologies.yardsticks static --problems P002,P001"
    assert [row["problem_id"] for row in rows] == ["P001", "P002"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--problems", "P999"), "unknown problem 'P999'"),
        (("--problems", "0"), "0 problems are asked for"),
        (("--panel", "/nope"), "/nope"),
        (("--folder", "/proc/y"), "/proc/y"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    asked: tuple[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["static", "--folder", str(tmp_path), *asked])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
