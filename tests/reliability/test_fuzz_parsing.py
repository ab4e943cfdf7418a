"""The fuzzer's check on its own seeds, and a few seconds of fuzzing where the fuzzer is installed."""

from types import SimpleNamespace

import pytest

from benchmarks.reliability.fuzz_parsing import ATHERIS, SEEDS
from benchmarks.reliability.fuzz_parsing_child import REASONS, check, text_of
from erpsim import parsing
from erpsim.decision import Decision
from erpsim.reading import Reading
from tests.reliability.commands import figures_of


@pytest.mark.parametrize("text", SEEDS)
def test_every_seed_is_read_without_a_finding(text: str) -> None:
    for reason in REASONS:
        check(parsing, text, reason)


def test_any_bytes_are_a_text_with_the_lone_surrogates_of_a_sound_one() -> None:
    assert text_of(b"\xed\xa0\x80{}") == "\ud800{}"
    assert text_of(b"\xed}\xff") == "\ufffd}\ufffd"
    assert text_of("Müsli".encode()) == "Müsli"


def test_a_reading_that_gives_nothing_is_a_finding() -> None:
    silent = SimpleNamespace(read_decision=lambda *_: Reading(None, (), None))
    with pytest.raises(AssertionError, match="neither decision nor failure"):
        check(silent, "x", None)


def test_a_decision_that_cannot_be_read_again_is_a_finding() -> None:
    readings = iter([Reading(Decision(prices={"NUT-500": 4.0}), (), None), Reading(None, (), None)])
    forgetful = SimpleNamespace(read_decision=lambda *_: next(readings))
    with pytest.raises(AssertionError, match="cannot be read again"):
        check(forgetful, "x", None)


@pytest.mark.slow
@pytest.mark.skipif(not ATHERIS.is_dir(), reason="atheris is not installed; see benchmarks/README.md")
def test_some_seconds_of_fuzzing_find_nothing() -> None:
    figures = figures_of("fuzz_parsing", "--seconds", "5")
    assert figures["findings"] == 0
    assert figures["texts"] > len(SEEDS)
