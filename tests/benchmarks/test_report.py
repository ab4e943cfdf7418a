"""The benchmark of the report prints one line with stable names; no time is asserted."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.made_run import make_run

pytestmark = pytest.mark.slow


def test_a_line_holds_the_figures_of_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make_run(tmp_path / "run", "P001", models=2) == 1
    monkeypatch.setattr(sys, "argv", ["report", "--run", str(tmp_path / "run"), "--repeats", "1"])
    report.main()
    line = json.loads(capsys.readouterr().out)
    assert line["benchmark"] == "report"
    assert line["rows"]["rounds"] == 2 * 6
    assert line["rows"]["calls"] == 2 * 6 * 2
    assert {"page_s", "page_s_range", "page_cpu_s", "peak_mb", "page_mb", "all_mb", "python", "cores", "load"} <= (
        line.keys()
    )
