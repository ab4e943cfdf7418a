"""Cases of waiting: Retry-After in all its forms, a spent quota apart from a rate, and every status that passes."""

import json
from typing import Any

import pytest

from actors.llm.calls import Called, CallFailure, Reply
from actors.llm.wire import Setting, build_request
from tests.actors.llm.peers import Answer, FakeTime, calling, entry, said, serving
from tests.actors.llm.worlds import PLACE, MemoryJournal

REQUEST = build_request(Setting("m-1", {}, ()), [{"role": "user", "content": "hello"}], 0, with_tools=False)


class Run:
    """One call: what came of it, the waits, and the classes of its attempts."""

    def __init__(self, called: Called, slept: list[float], journal: MemoryJournal) -> None:
        self.outcome = called.outcome
        self.queue_s = called.queue_s
        self.slept = slept
        self.journal = journal
        self.classes = [record.error_class for record in journal.records]

    @property
    def failure(self) -> CallFailure:
        assert isinstance(self.outcome, CallFailure), self.outcome
        return self.outcome


async def run(*answers: Answer, **changes: Any) -> Run:
    journal, time = MemoryJournal(), FakeTime()
    async with serving(answers) as peer, calling(time) as client:
        called = await client.call(entry(peer.url, **changes), REQUEST, PLACE, journal)
    return Run(called, time.slept, journal)


def refused(status: int, headers: dict[str, str] | None = None, **error: Any) -> Answer:
    return Answer(json.dumps({"error": error}), status, headers or {})


@pytest.mark.parametrize(
    ("headers", "slept"),
    [
        ({"Retry-After": "Mon, 09 Nov 2026 10:00:30 GMT"}, 30.0),
        ({"Retry-After": "Mon, 09 Nov 2026 10:00:30 -0000"}, 30.0),
        ({"Retry-After": "Mon, 09 Nov 2026 12:00:30 +0200"}, 30.0),
        ({"Retry-After": "Monday, 09-Nov-26 10:00:30 GMT"}, 30.0),
        ({"Retry-After": "12.5"}, 12.5),
        ({"Retry-After": " 7 "}, 7.0),
        ({"Retry-After": "1e1"}, 10.0),
        ({"retry-after": "8"}, 8.0),
        ({"Retry-After": "9", "retry-after-ms": "2500"}, 2.5),
        ({"retry-after-ms": "4000"}, 4.0),
        ({"Retry-After": "9", "retry-after-ms": "soon"}, 9.0),
        ({"Retry-After": "9", "retry-after-ms": "-1"}, 9.0),
        ({"Retry-After": "Mon, 09 Nov 2026 09:00:00 GMT"}, 1.0),
        ({"Retry-After": "0"}, 1.0),
        ({"Retry-After": "-5"}, 1.0),
        ({"Retry-After": "soon"}, 1.0),
        ({"Retry-After": "nan"}, 1.0),
        ({"Retry-After": "inf"}, 1.0),
        ({"Retry-After": ""}, 1.0),
        ({"Retry-After": "Mon, 99 Nov 2026 10:00:30 GMT"}, 1.0),
        ({"Retry-After": "Mon, 09 Nov 99999999 10:00:30 GMT"}, 1.0),
        ({}, 1.0),
    ],
)
async def test_g2_01_what_a_header_asks_for_is_waited_for_and_nonsense_leaves_the_own_backoff(
    headers: dict[str, str], slept: float
) -> None:
    played = await run(refused(429, headers, message="slow down"), said("fine"))
    assert isinstance(played.outcome, Reply)
    assert played.slept == [slept]
    assert played.queue_s == slept


@pytest.mark.parametrize("status", [429, 503, 529, 500])
async def test_g2_01_one_reader_of_the_header_serves_every_status(status: int) -> None:
    played = await run(refused(status, {"Retry-After": "Mon, 09 Nov 2026 10:00:45 GMT"}), said("fine"))
    assert played.slept == [45.0]


@pytest.mark.parametrize(
    ("error", "slept"),
    [
        ({"message": "quota", "details": [{"@type": "RetryInfo", "retryDelay": "34.074824224s"}]}, 34.074824224),
        ({"message": "Rate limit reached. Please try again in 7m12s."}, 432.0),
        ({"message": "Rate limit reached. Please try again in 1.5s."}, 1.5),
        ({"message": "Rate limit reached. Please try again in 20ms."}, 1.0),
        ({"message": "Requests have exceeded the rate limit. Please retry after 6 seconds."}, 6.0),
        ({"message": "Rate limit reached. Please try again in a while."}, 1.0),
    ],
)
async def test_g2_01_a_wait_that_only_the_body_asks_for_is_kept(error: dict[str, Any], slept: float) -> None:
    played = await run(refused(429, **error), said("fine"))
    assert played.slept == [slept]
    assert played.classes == ["rate", ""]


async def test_g2_01_the_header_goes_before_the_body() -> None:
    played = await run(refused(429, {"Retry-After": "3"}, message="Please try again in 50s."), said("fine"))
    assert played.slept == [3.0]


async def test_g2_03_hours_are_a_quota_and_the_account_is_asked_once() -> None:
    spent = refused(429, {"Retry-After": "14400"}, message="limit reached")
    time, journal = FakeTime(), MemoryJournal()
    async with serving([spent]) as peer, calling(time) as client:
        done = [await client.call(entry(peer.url), REQUEST, PLACE, journal) for _ in range(3)]
        assert len(peer.bodies) == 1
    failures = [called.outcome for called in done if isinstance(called.outcome, CallFailure)]
    assert [failure.error_class for failure in failures] == ["quota"] * 3
    assert "14400 s" in failures[0].message
    assert time.slept == []


@pytest.mark.parametrize("asked_s", [599, 600])
async def test_g2_03_below_the_threshold_a_long_wait_is_kept_whole(asked_s: int) -> None:
    played = await run(refused(429, {"Retry-After": str(asked_s)}, message="limit"), said("fine"))
    assert played.slept == [float(asked_s)]


async def test_g2_03_a_wait_beyond_the_budget_of_the_call_ends_it_and_is_never_cut_short() -> None:
    played = await run(refused(429, {"Retry-After": "500"}, message="limit"), retries={"budget": 400.0})
    assert (played.failure.error_class, played.failure.retry_after_s) == ("rate", 500.0)
    assert played.slept == []


@pytest.mark.parametrize(
    "answer",
    [
        refused(429, code="insufficient_quota", message="check your plan and billing details"),
        refused(402, message="Insufficient Balance"),
        refused(400, type="invalid_request_error", message="Your credit balance is too low to access the API."),
        refused(403, code="AccountOverdueError", message="The request failed"),
        refused(400, code="Arrearage", message="Access denied"),
        refused(429, code="SetLimitExceeded", message="paused"),
        refused(429, message="spent", details=[{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}]),
        refused(429, message="You have reached your daily limit."),
        refused(503, {"Retry-After": "7200"}, message="come back later"),
        Answer('{"error": "Insufficient credits. Add more to go on.", "code": 402}', 402),
        Answer("<html>Payment Required</html>", 402, content_type="text/html"),
    ],
)
async def test_g2_03_a_spent_quota_is_told_apart_in_the_words_of_many_providers(answer: Answer) -> None:
    played = await run(answer, said("never"))
    assert played.failure.error_class == "quota"
    assert played.slept == []


@pytest.mark.parametrize(
    "answer",
    [
        refused(429, message="Rate limit reached for m on tokens per min (TPM): Limit 30000"),
        refused(429, type="rate_limit_error", message="would exceed your rate limit of 40,000 input tokens per minute"),
        refused(429, code="Throttling.RateQuota", message="Requests rate limit exceeded"),
        refused(429, code="RateLimitExceeded.EndpointRPMExceeded", message="exceeded"),
        refused(429, message="Resource has been exhausted (e.g. check quota).", type="RESOURCE_EXHAUSTED"),
        refused(429, message="spent", details=[{"retryDelay": "3s"}, {"violations": [{"quotaId": "TokensPerMinute"}]}]),
        Answer("Too Many Requests", 429, content_type="text/plain"),
        Answer("<html>429</html>", 429, content_type="text/html"),
        Answer("", 429),
    ],
)
async def test_g2_03_a_rate_is_no_quota(answer: Answer) -> None:
    played = await run(answer, said("fine"))
    assert played.classes == ["rate", ""]


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (408, "timeout"),
        (409, "server"),
        (425, "server"),
        (500, "server"),
        (502, "server"),
        (503, "overloaded"),
        (504, "server"),
        (507, "server"),
        (520, "server"),
        (521, "server"),
        (522, "server"),
        (523, "server"),
        (524, "server"),
        (529, "overloaded"),
        (530, "server"),
        (598, "server"),
        (599, "server"),
    ],
)
@pytest.mark.parametrize("body", ["", '{"error": {"message": "try later"}}'])
async def test_g2_05_what_may_pass_is_tried_again_and_leaves_two_attempts(
    status: int, error_class: str, body: str
) -> None:
    played = await run(Answer(body, status), Answer(body, status), said("fine"))
    assert isinstance(played.outcome, Reply)
    assert played.classes == [error_class, error_class, ""]
    assert [record.final for record in played.journal.records] == [False, False, True]
    assert played.slept == [1.0, 2.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 413, 415, 418, 422, 431, 451])
async def test_g2_05_what_cannot_pass_is_sent_once(status: int) -> None:
    played = await run(Answer('{"error": {"message": "no"}}', status), said("never"))
    assert isinstance(played.outcome, CallFailure)
    assert len(played.classes) == 1


async def test_g2_05_the_attempts_of_a_server_that_never_recovers_are_bounded() -> None:
    played = await run(Answer("", 529), retries={"attempts": 4, "first": 1.0, "longest": 3.0})
    assert (played.failure.error_class, played.failure.attempts) == ("overloaded", 4)
    assert played.slept == [1.0, 2.0, 3.0]


async def test_g2_03_what_a_model_writes_is_no_request_to_wait_and_stops_no_account() -> None:
    words = 'They say: {"retryDelay": "90000s"}. Please try again in 9h.'
    cut = Answer(json.dumps({"choices": [{"finish_reason": "error", "message": {"content": words}}]}))
    played = await run(cut, said("fine"))
    assert played.classes == ["overloaded", ""]
    assert played.slept == [1.0]
