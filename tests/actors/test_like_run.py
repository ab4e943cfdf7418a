"""What a decision took in a run that was played, from a journal written by hand."""

from pathlib import Path

import pytest

from actors.entries import Writer, call_entry, commit_entry
from actors.expectation import Taking
from actors.journal import Journal
from actors.like_run import decisions_of, like_grounds, measured
from actors.llm.calls import CallRecord, Tokens
from actors.preflight_replies import PREFLIGHT
from erpsim.errors import RunError
from tests.actors.samples import call_record


def call(round_number: int, turn: int, prompt: int | None, **changes: object) -> CallRecord:
    tokens = Tokens(prompt=prompt, completion=None if prompt is None else prompt // 10)
    return call_record(round_number=round_number, turn=turn, tokens=tokens, latency_s=2.0, **changes)


def written(folder: Path, calls: list[CallRecord], rounds: int = 2) -> Path:
    journal = Journal(folder / "journal.db", writable=True)
    journal.write(call_entry(record, Writer("life", number)) for number, record in enumerate(calls))
    journal.write(commit_entry("solo/P001/a", number, last=False) for number in range(1, rounds + 1))
    journal.close()
    return folder


def test_a_decision_is_all_its_attempts_and_the_mean_of_decisions_is_expected(tmp_path: Path) -> None:
    failed = call_record(round_number=2, tokens=Tokens(), status=429, error_class="rate", cost_usd=None)
    calls = [call(1, 0, 100), call(2, 0, 200), call(2, 1, 300), failed]
    cases = measured(decisions_of(written(tmp_path, calls)), "a")
    # Decisions of 1 and of 3 attempts, with prompts of 100 and 500.
    assert cases.expected == Taking(2, 300, 30, latency_s=2.0)
    assert (cases.low.calls, cases.high.calls) == (1.5, 2.5)
    assert (cases.low.prompt, cases.high.prompt) == (200, 400)


def test_rounds_that_do_not_count_and_the_preflight_are_left_out(tmp_path: Path) -> None:
    calls = [call(1, 0, 100), call(2, 0, 900), call(1, 0, 900, market_id=PREFLIGHT)]
    assert measured(decisions_of(written(tmp_path, calls, rounds=1)), "a").expected.prompt == 100


def test_a_kind_that_a_reply_does_not_count_is_unknown(tmp_path: Path) -> None:
    cases = measured(decisions_of(written(tmp_path, [call(1, 0, 100), call(2, 0, None)])), "a")
    assert (cases.expected.prompt, cases.expected.cached) == (None, None)
    assert cases.expected.calls == 1


def test_kinds_that_are_counted_come_along(tmp_path: Path) -> None:
    counted = Tokens(prompt=100, cached=40, completion=10, reasoning=6, written=20)
    cases = measured(decisions_of(written(tmp_path, [call_record(tokens=counted)])), "a")
    assert (cases.expected.cached, cases.expected.written, cases.expected.reasoning) == (40, 20, 6)


def test_a_model_that_did_not_play_there_is_taken_as_the_mean_of_those_that_did_and_said_so(tmp_path: Path) -> None:
    calls = [call(1, 0, 100), call(1, 0, 300, seat=1, model="b")]
    decisions = decisions_of(written(tmp_path, calls))
    assert measured(decisions, "b").expected.prompt == 300
    assert measured(decisions, "new").expected.prompt == 200
    told = like_grounds(decisions, ["b", "new"], tmp_path)
    assert "2 decisions" in told[0]
    assert told[-1] == "not played there, and taken as the mean of its models: new"


def test_a_folder_without_a_run_or_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"journal\.db not found"):
        decisions_of(tmp_path)
    with pytest.raises(RunError, match="no round with a call of a model"):
        decisions_of(written(tmp_path, []))
