"""Files of yardsticks: stamped, appended, gone on with, and refused where they do not belong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ecologies.problems import shipped_panel
from ecologies.yardsticks.rows import static_row
from ecologies.yardsticks.store import Kind, Row, extend, read, shipped, stamp, tidy
from erpsim.errors import WorkError
from erpsim.problem import Problem

PANEL = shipped_panel()
FIRST, SECOND, THIRD = PANEL.problems[:3]


def seed_of(problem: Problem) -> Row:
    return {"seed": problem.seed}


def test_rows_are_appended_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "static.jsonl"
    assert len(list(extend(path, "static", PANEL, [SECOND, FIRST], seed_of))) == 2
    with path.open("a", encoding="ascii") as file:
        file.write('{"problem_id":"P0')  # the machine went off
    made = list(extend(path, "static", PANEL, [FIRST, SECOND, THIRD], seed_of))
    assert [row["problem_id"] for row in made] == ["P003"]
    tidy(path, "static", PANEL)
    lines = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    assert lines[0] == stamp("static", PANEL)
    assert [line["problem_id"] for line in lines[1:]] == ["P001", "P002", "P003"]


def test_a_file_of_another_panel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "static.jsonl"
    list(extend(path, "static", PANEL, [FIRST], seed_of))
    with pytest.raises(WorkError, match="another panel or of other rules"):
        read(path, "static", replace(PANEL, name="other"))


def test_another_panel_has_no_shipped_yardsticks() -> None:
    assert shipped("static", replace(PANEL, name="other")) == {}


@pytest.mark.parametrize("kind", ["static"])
def test_every_problem_has_its_shipped_yardsticks(kind: Kind) -> None:
    assert list(shipped(kind, PANEL)) == [problem.problem_id for problem in PANEL.problems]


@pytest.mark.parametrize("problem_id", ["P001", "P058"])
def test_shipped_static_prices_are_what_the_code_gives(problem_id: str) -> None:
    (problem,) = [one for one in PANEL.problems if one.problem_id == problem_id]
    assert {"problem_id": problem_id, **static_row(problem)} == shipped("static", PANEL)[problem_id]
