"""The committed calibration page fits the committed measurements, and these fit the code where it is cheap to see."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ecologies.calibration.measures import elasticities, winners
from ecologies.calibration.points import Measured
from ecologies.calibration.realism import realism
from ecologies.calibration.reliability import rules_played
from ecologies.calibration.rule_markets import rule_market
from ecologies.calibration.sensitivity import ALTERATIONS
from ecologies.disturbances import HARDSHIPS, KINDS
from ecologies.panel import generate
from ecologies.panel_file import Panel
from ecologies.problems import shipped_panel
from ecologies.stamped_lines import write_lines
from ecologies.yardsticks.store import DATA, read, stamp
from tests.docs.calibration_hardship import measured_hardship
from tests.docs.calibration_page import PAGE, PICTURE, check, main, measured, page, subjects
from tests.docs.calibration_pictures import tornado
from tests.docs.calibration_realism import PATH as REALISM
from tests.docs.calibration_reliability import LIKENESS_SIZES, SIZE, likeness_section
from tests.docs.calibration_reliability import PATH as RELIABILITY
from tests.docs.calibration_run import JUDGED, OTHER, Subject, other_panel
from tests.docs.calibration_sensitivity import PATH as SENSITIVITY
from tests.docs.calibration_sensitivity import moved, played
from tests.docs.calibration_strata import panels
from tests.docs.standin_policy import standin_policies


@pytest.fixture(scope="module")
def panel() -> Measured:
    return measured(shipped_panel(), DATA)


def test_the_committed_page_is_what_the_measurements_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `bash scripts/calibrate` and read the difference"


def test_every_problem_of_both_panels_was_measured(panel: Measured) -> None:
    other = measured(other_panel(), OTHER)
    for rows, problems in ((panel.measured, shipped_panel().problems), (other.measured, other_panel().problems)):
        assert [row["problem_id"] for row in rows] == [problem.problem_id for problem in problems]


@pytest.mark.slow
@pytest.mark.parametrize("index", [7, 58, 90])
def test_a_problem_measured_again_gives_the_same_digits(panel: Measured, index: int) -> None:
    row, problem = panel.measured[index], shipped_panel().problems[index]
    market = asyncio.run(rule_market(problem))
    assert row["valuations"] == [[round(worth) for worth in one] for one in market.valuations]
    assert row["winners"] == list(winners(problem, standin_policies()))


@pytest.mark.slow
def test_elasticities_measured_again_are_the_same(panel: Measured) -> None:
    row = panel.full[0]
    (problem,) = [one for one in shipped_panel().problems if one.problem_id == row["problem_id"]]
    assert row["elasticities"] == [[round(one, 3) for one in kind] for kind in elasticities(problem)]


@pytest.mark.parametrize("subject", subjects(DATA, OTHER), ids=lambda subject: subject.panel.name)
def test_every_point_is_met_by_both_panels(
    subject: Subject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # With every problem measured already, nothing is played.
    shutil.copytree(subject.folder, tmp_path / "measured")
    assert check([subject._replace(folder=tmp_path / "measured")])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["PASS"] * 9


def test_a_check_says_why_a_panel_is_too_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = Panel(1, "few", shipped_panel().problems[:2])
    for kind in JUDGED:
        rows = read(DATA / f"{kind}.jsonl", kind, shipped_panel())
        write_lines(tmp_path / f"{kind}.jsonl", [stamp(kind, few), *(rows[one.problem_id] for one in few.problems)])
    assert not check([Subject(few, tmp_path)])
    said = capsys.readouterr().out.splitlines()
    assert [number for number, line in enumerate(said, start=1) if line.startswith("TOO FEW few ")] == [3, 4, 8]
    assert said[2].endswith("each at least 5%: 5% of 2 problems is less than one; check a panel of 20 or more")


def test_a_folder_without_a_check_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--folder", "kept"])
    assert "name --check or --panel too" in capsys.readouterr().err


def test_a_freeze_pays_only_where_the_page_says_it_may(panel: Measured) -> None:
    pays = {row["problem_id"] for row in panel.measured if row.get("freeze", 0) > 0}
    freezes = [
        (one.start_round, one.length)
        for problem in shipped_panel().problems
        for one in problem.disturbances
        if problem.problem_id in pays and one.kind == "credit_freeze"
    ]
    assert len(freezes) == len(pays)
    assert set(freezes) == {(1, 2)}


def test_random_hardship_is_of_what_is_measured_to_cost() -> None:
    found = measured_hardship().effects
    costs = {kind for kind in KINDS if found[kind, "strong"].mean < -2 * found[kind, "strong"].error}
    assert costs == set(HARDSHIPS)


def test_the_strata_keep_their_order_on_the_mean_of_panels() -> None:
    steps = np.array([one.steps for one in panels()])
    assert len(steps) >= 8
    errors = steps.std(axis=0, ddof=1) / np.sqrt(len(steps))
    assert (steps.mean(axis=0) > 3 * errors).all()


def test_the_committed_picture_is_what_the_measurements_give() -> None:
    assert PICTURE.read_text(encoding="utf-8") == tornado(moved()), "run `bash scripts/calibrate` and look at it"


def test_every_alteration_was_measured() -> None:
    assert {row.name for row in moved()} == set(ALTERATIONS)


@pytest.mark.slow
def test_a_problem_s_likeness_to_real_markets_measured_again_is_the_same() -> None:
    name, row = next(iter(json.loads(REALISM.read_text(encoding="ascii"))["rows"].items()))
    (problem,) = [one for one in shipped_panel().problems if one.problem_id == name]
    assert row["own_others"] == [round(one, 4) for one in realism(problem).own_others]


@pytest.mark.slow
def test_an_alteration_measured_again_gives_the_same_digits() -> None:
    stored = json.loads(SENSITIVITY.read_text(encoding="ascii"))["outcomes"]["setup hours"]["low"]
    assert played("setup hours", "low") == stored


@pytest.mark.slow
def test_a_problem_of_another_panel_played_again_gives_the_same_digits() -> None:
    stored = json.loads(RELIABILITY.read_text(encoding="ascii"))["panels"]["3"]["rules"][60]
    (again,) = rules_played(generate(3, SIZE)[60:61])
    assert stored == [round(worth / 1000) for worth in again.tolist()]


def test_every_generated_panel_shown_is_like_the_shipped_one() -> None:
    rows = [line.split(" | ") for line in likeness_section().splitlines() if line.startswith("| ")][2:]
    assert len(rows) == len(LIKENESS_SIZES)
    assert {row[-1] for row in rows} == {"0 |"}
