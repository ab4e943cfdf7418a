"""A run's report holds it against the yardsticks of its panel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from actors.planning import RunRequest
from actors.run_file import load
from analysis.report import report_markdown
from ecologies.panel_file import Panel, encode, panel_digest
from ecologies.problems import shipped_panel
from erpbench.report_files import build_report
from erpbench.report_yardsticks import read_yardsticks, unlike_yardsticks
from erpsim.parameters import RULES_VERSION
from tests.actors.standin_games import make_run

TITLE = "## Against what could have been reached"


@pytest.mark.slow
def test_a_report_holds_a_run_against_its_panels_yardsticks(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", RunRequest(problems="P001", ecologies=("solo",), models=("standin/a",)))
    found = read_yardsticks(tmp_path / "run" / "records", run)
    assert found is not None
    assert sorted(found.levels["round"].unique()) == [1, 2, 3, 4, 5, 6]
    report = build_report([tmp_path / "run"])
    assert TITLE in report_markdown(report)
    mine = report.figures["yardsticks"]["standin/a"]["solo"]
    assert 0.3 < mine["of_plan"] < mine["of_rule"] < 1.5
    assert mine["of_plan"] < mine["of_response"] < mine["of_rule"]
    assert [mine[f"n_{name}"] for name in ("rule", "response", "plan")] == [1, 1, 1]
    assert 0 <= mine["rounds"] <= mine["all_rounds"] == 6

    played = load(tmp_path / "run")
    assert unlike_yardsticks(played) == ()
    older = replace(played, plan=replace(played.plan, rules_version="0.9.0"))
    assert read_yardsticks(tmp_path / "run" / "records", older) is None
    (said,) = unlike_yardsticks(older)
    assert said == f"Not held against the yardsticks of its panel: they are of rules {RULES_VERSION}, the run of 0.9.0."

    (tmp_path / "run" / "records" / "cells.parquet").unlink()
    assert read_yardsticks(tmp_path / "run" / "records", load(tmp_path / "run")) is None


@pytest.mark.slow
def test_a_panel_of_ones_own_has_none(tmp_path: Path) -> None:
    panel = tmp_path / "panel.json"
    panel.write_bytes(encode(Panel(1, "own", shipped_panel().problems[:1])))
    make_run(tmp_path / "run", RunRequest(problems="P001", ecologies=("solo",), models=("standin/a",)), panel)
    assert TITLE not in report_markdown(build_report([tmp_path / "run"]))


@pytest.mark.slow
def test_a_run_on_other_problems_of_the_standard_panel_is_told_apart(tmp_path: Path) -> None:
    standard = shipped_panel()
    panel = tmp_path / "panel.json"
    panel.write_bytes(encode(Panel(1, standard.name, standard.problems[:1])))
    make_run(tmp_path / "run", RunRequest(problems="P001", ecologies=("solo",), models=("standin/a",)), panel)
    text = report_markdown(build_report([tmp_path / "run"]))
    assert TITLE not in text
    assert f"they are of {panel_digest(standard)[:12]}, the run of other problems" in text
