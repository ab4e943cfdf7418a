"""Files of yardsticks: stamped, appended, gone on with, and refused where they do not belong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ecologies.problems import shipped_panel
from ecologies.rule_parameters import RULE_PARAMETERS
from ecologies.rules import RulePolicy
from ecologies.yardsticks.played import against_rules
from ecologies.yardsticks.response import SPANS
from ecologies.yardsticks.rows import played_row, static_row
from ecologies.yardsticks.store import Kind, Row, begin, extend, read, shipped, stamp, tidy
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


@pytest.mark.parametrize("text", ["", "[1]\n", "not a file of yardsticks\n", "\u00e9\n"])
def test_a_file_of_something_else_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "static.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WorkError, match="another panel or of other rules"):
        read(path, "static", PANEL)


def test_a_file_keeps_the_command_that_began_it(tmp_path: Path) -> None:
    path = tmp_path / "static.jsonl"
    begin(path, "static", PANEL, "one")
    list(extend(path, "static", PANEL, [FIRST], seed_of))
    begin(path, "static", PANEL, "two")
    tidy(path, "static", PANEL)
    assert path.read_text(encoding="ascii").splitlines()[0] == json.dumps(
        stamp("static", PANEL, "one"), separators=(",", ":")
    )


def test_another_panel_has_no_shipped_yardsticks() -> None:
    assert shipped("static", replace(PANEL, name="other")) == {}


@pytest.mark.parametrize("kind", ["static", "played", "measured", "response", "plan"])
def test_every_problem_has_its_shipped_yardsticks(kind: Kind) -> None:
    assert list(shipped(kind, PANEL)) == [problem.problem_id for problem in PANEL.problems]


@pytest.mark.parametrize("problem_id", ["P001", "P058"])
def test_shipped_static_prices_are_what_the_code_gives(problem_id: str) -> None:
    (problem,) = [one for one in PANEL.problems if one.problem_id == problem_id]
    assert {"problem_id": problem_id, **static_row(problem)} == shipped("static", PANEL)[problem_id]


@pytest.mark.slow
def test_shipped_valuations_are_what_the_code_gives() -> None:
    assert {"problem_id": "P077", **played_row(PANEL.problems[76])} == shipped("played", PANEL)["P077"]


@pytest.mark.slow
def test_a_shipped_response_is_worth_what_is_said() -> None:
    row = next(iter(shipped("response", PANEL).values()))
    (problem,) = [one for one in PANEL.problems if one.problem_id == row["problem_id"]]
    figures = {name: (round(figure) if SPANS[name].whole else figure) for name, figure in row["parameters"].items()
               if name in SPANS}  # fmt: skip
    tilt = tuple(row["parameters"]["channel_tilt"])
    policy = RulePolicy(replace(RULE_PARAMETERS["balanced"], **figures, channel_tilt=tilt))
    # Parameters are stored with four decimals, which moves the outcome a little.
    assert against_rules(problem, policy) == pytest.approx(row["valuation"], rel=0.02)
