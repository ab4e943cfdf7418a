"""The three cases of a decision, by hand."""

from collections.abc import AsyncIterator, Sequence

import pytest

from actors import expected_decision
from actors.expected_decision import LONGEST_ANSWER, Texts, assumed, grounds, measure
from actors.llm.agent import AgentOptions
from actors.llm.token_counts import BAND, estimate_tokens
from ecologies.local import PlayedRound, play_rounds
from ecologies.policy import Policy
from erpsim.problem import Problem
from tests.actors.llm.peers import entry
from tests.actors.llm.worlds import small_problem

TEXTS = Texts(first=6_000, answer=1_000, longest_answer=2_000, decision=500)
HERE = "http://127.0.0.1:9/v1"


def test_low_is_one_call_with_the_decision_alone() -> None:
    low = assumed(TEXTS, entry(HERE), AgentOptions()).low
    assert (low.calls, low.completion) == (1, 500)
    assert low.prompt == pytest.approx(6_000 * (1 - BAND))


def test_expected_is_two_tools_and_then_a_decision_in_more_words() -> None:
    expected = assumed(TEXTS, entry(HERE), AgentOptions(), latency_s=3.0).expected
    # The second request repeats the first, with two calls of 40 tokens and two answers of 1,000.
    assert (expected.calls, expected.prompt) == (2, 6_000 + 6_000 + 80 + 2_000)
    assert (expected.completion, expected.latency_s) == (80 + 1_000, 3.0)


def test_high_is_every_turn_every_re_ask_and_the_longest_answers() -> None:
    model = entry(HERE, sampling={"max_tokens": 900})
    high = assumed(TEXTS, model, AgentOptions(tool_turns=2, reasks=1)).high
    # Requests of 6,000, 10,080 and 14,160 tokens (80 of calls and 4,000 of answers a turn), then the re-ask.
    assert high.prompt == pytest.approx((6_000 + 10_080 + 14_160 + 15_060) * (1 + BAND))
    assert (high.calls, high.completion) == (4, 3_600)


def test_where_nothing_bounds_an_answer_a_long_one_is_assumed() -> None:
    assert assumed(TEXTS, entry(HERE), AgentOptions(0, 0)).high.completion == LONGEST_ANSWER


def test_no_case_writes_more_than_the_models_file_allows() -> None:
    cases = assumed(TEXTS, entry(HERE, sampling={"max_tokens": 100}), AgentOptions())
    assert (cases.low.completion, cases.expected.completion) == (100, 180)


def test_of_a_policy_over_http_the_calls_are_known_and_no_tokens() -> None:
    cases = assumed(TEXTS, entry(HERE, policy="http"), AgentOptions(reasks=2))
    assert [(case.calls, case.prompt, case.completion) for case in cases] == [
        (1, None, None),
        (1, None, None),
        (3, None, None),
    ]


async def test_the_texts_are_those_that_a_model_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expected_decision, "count_tokens", estimate_tokens)  # whatever tokenizer is installed
    texts = await measure(small_problem(), 6, tool_turns=6)
    assert 3_000 < texts.first < 9_000
    assert 0 < texts.answer <= texts.longest_answer
    assert 100 < texts.decision < 4_000


def test_what_the_cases_rest_on_is_told_with_its_numbers() -> None:
    told = " ".join(grounds(TEXTS, AgentOptions(6, 1), [0.5, 2.0]))
    for words in ("1, 2 or 8", "6,000", "1,000", "500", f"{BAND:.0%}", "4,096", "0.5 to 2 s"):
        assert words in told


async def test_a_market_of_ten_thousand_is_measured_by_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seats: list[int] = []

    def played(problem: Problem, policies: Sequence[Policy]) -> AsyncIterator[PlayedRound]:
        seats.append(len(policies))
        return play_rounds(problem, policies)

    monkeypatch.setattr(expected_decision, "count_tokens", estimate_tokens)
    monkeypatch.setattr(expected_decision, "MEASURED_FIRMS", 3)
    monkeypatch.setattr(expected_decision, "play_rounds", played)
    few, many = [await measure(small_problem(), firms, tool_turns=6) for firms in (3, 10_000)]
    assert seats == [3, 3]
    assert many.first == pytest.approx(few.first, rel=0.01)
    assert many.decision == few.decision
