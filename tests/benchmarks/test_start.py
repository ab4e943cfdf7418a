"""The benchmark of a start prints one line with stable names; no time is asserted."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from benchmarks import start


def test_a_line_holds_the_helps_figures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["start", "--helps", "1", "--no-run"])
    start.main()
    line = json.loads(capsys.readouterr().out)
    assert line["benchmark"] == "start"
    assert line["help_ratio"] == pytest.approx(line["help_ms"] / line["python_ms"], abs=0.1)
    assert (line["helps"], line["runs"]) == (1, 0)
    assert {"python", "cores", "load"} <= line.keys()


def test_stages_follow_each_other_from_the_start_to_the_first_round() -> None:
    assert start.spans({"starting Ray": 1.0, "playing": 4.0}, 6.0) == {
        "loading": 1.0,
        "starting Ray": 3.0,
        "playing": 2.0,
    }


def test_a_round_counts_once_it_stands_in_commits(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    assert not start.committed(journal)
    with sqlite3.connect(journal) as connection:
        assert not start.committed(journal)
        connection.execute("CREATE TABLE commits (market_id, round, last)")
        connection.commit()
        assert start.committed(journal) == 0
        connection.execute("INSERT INTO commits VALUES ('arena/P001', 1, 0)")
        connection.commit()
        assert start.committed(journal) == 1


@pytest.mark.ray
@pytest.mark.slow
def test_a_run_is_stopped_at_its_first_round(monkeypatch: pytest.MonkeyPatch) -> None:
    found = start.first_rounds(["--problems", "1", "--ecology", "arena", "--delay", "0"])
    assert list(found["stages_s"])[:2] == ["loading", "starting the stand-in models"]
    assert found["rounds_s"] == [pytest.approx(sum(found["stages_s"].values()))]
