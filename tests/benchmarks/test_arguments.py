"""What a benchmark cannot do is said in a line, before anything is measured."""

from __future__ import annotations

import argparse
import sys

import pytest

from benchmarks import arena, engine, kernel, report, start
from benchmarks.arguments import at_least, told_in_a_line
from erpsim.errors import WorkError


@pytest.mark.parametrize("text", ["0", "1", "-3", "2.5", "six", ""])
def test_a_number_that_is_too_small_or_none_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="a whole number of at least 2, not"):
        at_least(2)(text)


def test_a_number_is_read() -> None:
    assert at_least(2)("2") == 2


@pytest.mark.parametrize("error", [WorkError("no such problem"), OSError("no such problem")])
def test_what_cannot_be_done_is_one_line(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, told_in_a_line(argparse.ArgumentParser(prog="benchmark")):
        raise error
    assert ended.value.code == 2
    assert capsys.readouterr().err == "benchmark: no such problem\n"


@pytest.mark.parametrize(
    ("module", "asked", "said"),
    [
        (arena, ("--firms", "1"), "argument --firms: has to be a whole number of at least 2, not '1'"),
        (start, ("--helps", "0"), "argument --helps: has to be a whole number of at least 1, not '0'"),
        (kernel, ("--firms", "0"), "argument --firms: has to be a whole number of at least 1, not '0'"),
        (engine, ("--problems", "0"), "argument --problems: has to be a whole number of at least 1, not '0'"),
        (report, ("--problems", "0"), "0 problems are asked for"),
        (report, ("--run", "/nope", "--repeats", "1"), "/nope"),
    ],
)
def test_no_benchmark_answers_a_mistake_with_a_traceback(
    module: object,
    asked: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmark", *asked])
    with pytest.raises(SystemExit) as ended:
        module.main()  # type: ignore[attr-defined]
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
