"""Every fault of the stand-in server against the real agent and client: what it comes to is what was configured."""

import asyncio
from functools import lru_cache

import pytest

from actors.llm.standin_faults import read_faults
from actors.llm.standin_kinds import NETWORK, REPLY
from benchmarks.fault_cases import CASES, Case, expected
from benchmarks.fault_play import observations, panel_size, play
from benchmarks.faults import OF_THE_MODEL, Row, as_text, booked_to_the_model, main
from erpsim.observation import Observation

DECISIONS = 20
PATIENCE_S = 4.0


@lru_cache
def seen() -> tuple[Observation, ...]:
    return asyncio.run(observations(DECISIONS))


def played(case: Case, decisions: int = DECISIONS) -> Row:
    measured = asyncio.run(play(case, seen()[:decisions], PATIENCE_S))
    return Row(case, expected(case, decisions, panel_size(), measured), measured)


def test_every_kind_has_a_case() -> None:
    assert {kind for case in CASES for kind in read_faults(case.faults)} == {*NETWORK, *REPLY}


def test_a_provider_is_never_booked_to_the_model_by_what_is_expected() -> None:
    for case in CASES:
        if set(read_faults(case.faults)) <= set(NETWORK) - OF_THE_MODEL:
            assert case.outcome.split(":")[0] in ("clean", "retried", "infra")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.faults[0] if case.meets else case.name)
def test_a_fault_comes_to_what_was_configured(case: Case) -> None:
    row = played(case)
    assert row.as_expected, as_text(row)
    assert booked_to_the_model(row) == 0


@pytest.mark.slow
def test_what_differs_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = Case(("fence=1",), "clean", meets=1)
    monkeypatch.setattr("benchmarks.faults.CASES", (wrong,))
    assert main(["--decisions", "6"]) == 1
    told = capsys.readouterr().out
    assert "DIFFERS" in told
    assert '"differing": ["fence=1"]' in told
