from pathlib import Path

import numpy as np
import pytest

from ecologies.hunt import campaign, findings, probes, tricks
from ecologies.hunt.__main__ import main
from ecologies.hunt.campaign import CYCLE, hunt, standing
from ecologies.hunt.findings import read_findings
from ecologies.hunt.islands import Island, opened
from ecologies.hunt.journal import FILE, append, read, stamp, start
from ecologies.hunt.objectives import SEARCHES, Baseline
from ecologies.problems import shipped_panel
from erpsim.errors import WorkError
from erpsim.problem import Problem
from tests.ecologies.hunt.plays import CALM, PROBLEMS

PANEL = shipped_panel()
PAIR = (CALM, PROBLEMS["P075"])


def test_a_journal_gives_back_its_islands(tmp_path: Path) -> None:
    path, head = tmp_path / FILE, stamp(PANEL, PAIR)
    island = opened(CALM, "harm", Baseline(1.0, 2.0))
    start(path, head, ())
    append(path, island)
    (again,) = read(path, head)
    assert (again.genome == island.genome).all()
    assert (again.problem_id, again.search, again.plays, again.step) == ("P001", "harm", 0, island.step)


def test_a_journal_of_other_problems_is_refused(tmp_path: Path) -> None:
    start(tmp_path / FILE, stamp(PANEL, PAIR), ())
    with pytest.raises(WorkError, match="is of other problems or of other rules"):
        standing(tmp_path, PANEL, PAIR[:1])


def test_a_folder_without_a_journal_has_nothing_standing(tmp_path: Path) -> None:
    assert standing(tmp_path, PANEL, PAIR) == {}


def test_the_search_for_tricks_goes_on_from_better_management(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[Island] = []

    def advanced(island: Island, _: object, plays: int) -> Island:
        seen.append(island)
        genome = np.full_like(island.genome, 0.25 if island.search == "management" else 0.75)
        score = {"management": 9e9, "tricks": 1e9, "endgame": 1e9, "harm": 2.0}[island.search]
        return Island(island.problem_id, island.search, island.plays + plays, score, 0.1, genome)

    monkeypatch.setattr(campaign, "advance", advanced)
    islands = list(hunt(tmp_path, PANEL, PAIR, 250))
    assert [island.search for island in islands] == [*CYCLE, *CYCLE]
    assert {island.problem_id for island in islands[:5]} == {"P001"}
    tricks = [island for island in seen if island.search == "tricks"]
    assert all((island.genome == 0.25).all() for island in tricks)
    assert list(hunt(tmp_path, PANEL, PAIR, 250)) == []
    assert standing(tmp_path, PANEL, PAIR)["P075", "tricks"].plays == 50


def test_findings_that_are_there_stay_until_the_new_ones_are_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(problem: Problem, _: object) -> dict[str, object]:
        if problem.problem_id == broken:
            raise KeyboardInterrupt
        return {"problem_id": problem.problem_id, "named": []}

    monkeypatch.setattr(findings, "finding", found)
    islands = [opened(CALM, search, Baseline(1.0, 2.0)) for search in SEARCHES]
    start(tmp_path / FILE, stamp(PANEL, PAIR), [*islands, opened(PAIR[1], "harm", Baseline(1.0, 2.0))])
    broken = ""
    assert main(["judge", str(tmp_path), "--problems", "P001,P075"]) == 0
    lacks = [search for search in SEARCHES if search != "harm"]
    assert capsys.readouterr().out.splitlines() == ["P001 no trick", f"P075 not judged: no {', '.join(lacks)} yet"]
    broken = "P001"
    with pytest.raises(KeyboardInterrupt):
        main(["judge", str(tmp_path), "--problems", "P001,P075"])
    assert [one["problem_id"] for one in read_findings(tmp_path)] == ["P001"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("run", "--problems", "P999"), "unknown problem 'P999'"),
        (("run", "--problems", "P002"), "is of other problems or of other rules"),
        (("judge", "--problems", "P001"), "no problem has every search behind it"),
        (("tables",), "findings.jsonl: cannot be read"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    asked: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start(tmp_path / FILE, stamp(PANEL, PAIR[:1]), ())
    with pytest.raises(SystemExit) as ended:
        main([asked[0], str(tmp_path), *asked[1:]])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_findings_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / findings.FILE).write_text("")
    with pytest.raises(WorkError, match="holds no findings"):
        read_findings(tmp_path)


def test_fewer_than_one_play_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", str(tmp_path), "--plays", "-5"])
    assert "--plays has to be at least 1, not -5" in capsys.readouterr().err


@pytest.mark.slow
def test_a_hunt_that_was_cut_off_goes_on_as_if_it_had_not_been(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(campaign, "TURN", 2)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert len(list(hunt(whole, PANEL, PAIR[:1], 14))) == 7
    assert len(list(hunt(parts, PANEL, PAIR[:1], 6))) == 3
    with (parts / FILE).open("a") as file:
        file.write('{"problem_id":"P001","sea')
    assert len(list(hunt(parts, PANEL, PAIR[:1], 14))) == 4
    assert (parts / FILE).read_text() == (whole / FILE).read_text()

    monkeypatch.setattr(probes, "PROBES", probes.PROBES[:1])
    monkeypatch.setattr(tricks, "TRICKS", tricks.TRICKS[:1])
    assert main(["judge", str(whole), "--problems", "P001"]) == 0
    (found,) = read_findings(whole)
    assert set(found["worth"]) == {"balanced", "before_endgame", *SEARCHES}
    assert found["worth"]["tricks"] >= found["worth"]["management"]
    assert main(["tables", str(whole), "--problems", "P001"]) == 0
    assert "14 plays on 1 problems" in capsys.readouterr().out
