"""The benchmark of large markets prints one line with stable names; no time is asserted."""

import json
import sys

import pytest

from benchmarks import arena


def test_a_line_holds_the_figures_of_each_number_of_firms(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["arena", "--firms", "2", "3", "--repeats", "1"])
    arena.main()
    line = json.loads(capsys.readouterr().out)
    assert line["benchmark"] == "arena"
    assert line["exponent"] is None
    assert [row["firms"] for row in line["arenas"]] == [2, 3]
    assert set(line["arenas"][0]) == {
        "firms",
        "plays",
        "cpu_ms_per_round",
        "cpu_ms_per_firm",
        "wall_ms_per_round",
        "peak_mb",
        "peak_kb_per_firm",
    }
    assert {"python", "cores", "load", "repeats"} <= line.keys()


def test_the_exponent_is_the_slope_from_sixty_firms_up() -> None:
    assert arena.exponent({6: 9.0, 60: 10.0, 600: 100.0, 6_000: 1_000.0}) == 1.0
    assert arena.exponent({60: 1.0, 600: 100.0}) == 2.0
