import asyncio
import json
import logging
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from actors.llm.calls import Called, CallFailure, Reply, Tokens
from actors.llm.client import ModelClient
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.protocols import PROTOCOLS
from actors.llm.terms import Terms
from actors.llm.wire import Setting, build_request
from tests.actors.llm.peers import CANARY, Answer, FakeTime, called, calling, completion, entry, said, serving
from tests.actors.llm.worlds import PLACE, MemoryJournal

REQUEST = build_request(Setting("m-1", {}, ()), [{"role": "user", "content": "hello"}], 0, with_tools=False)
QUICK = {"connect": 0.5, "read": 0.2, "total": 0.2}


async def run(*answers: Answer, time: FakeTime | None = None, **changes: Any) -> tuple[Called, MemoryJournal]:
    journal = MemoryJournal()
    async with serving(answers) as peer, calling(time) as client:
        return await client.call(entry(peer.url, **changes), REQUEST, PLACE, journal), journal


def classes(journal: MemoryJournal) -> list[str]:
    return [record.error_class for record in journal.records]


async def test_a_reply_is_recorded_with_tokens_cost_route_and_request() -> None:
    prices = {"input": 3.0, "output": 15.0}
    done, journal = await run(said("fine"), prices=prices)
    assert isinstance(done.outcome, Reply)
    (record,) = journal.records
    assert (record.status, record.error_class, record.final, record.attempt) == (200, "", True, 1)
    assert record.wait_s is None
    assert record.tokens == Tokens(prompt=100, completion=10)
    assert record.cost_usd == pytest.approx(0.00045)
    assert record.route == done.outcome.route == "m-1-2026|fp|"
    assert record.digest == REQUEST.digest
    assert json.loads(record.request)["messages"] == [{"role": "user", "content": "hello"}]
    assert record.reply == done.outcome.body


async def test_the_key_goes_into_the_header_and_nowhere_else() -> None:
    async with serving([said("fine")]) as peer, calling() as client:
        await client.call(entry(peer.url), REQUEST, PLACE, MemoryJournal())
        assert peer.headers[0]["Authorization"] == f"Bearer {CANARY}"
        await client.call(entry(peer.url, api_key_env=None), REQUEST, PLACE, MemoryJournal())
        assert "Authorization" not in peer.headers[1]


async def test_g2_01_a_retry_after_date_is_waited_for() -> None:
    time = FakeTime()
    limited = Answer("{}", 429, {"Retry-After": "Mon, 09 Nov 2026 10:00:30 GMT"})
    done, journal = await run(limited, said("fine"), time=time)
    assert isinstance(done.outcome, Reply)
    assert sum(time.slept) == 30.0
    assert [record.wait_s for record in journal.records] == [30.0, None]
    assert done.queue_s == 30.0
    assert classes(journal) == ["rate", ""]


@pytest.mark.parametrize("header", ["Mon, 09 Nov 2026 09:00:00 GMT", "soon", None])
async def test_g2_01_past_dates_nonsense_and_nothing_leave_the_own_backoff(header: str | None) -> None:
    time = FakeTime()
    limited = Answer("{}", 429, {"Retry-After": header} if header else {})
    done, _ = await run(limited, said("fine"), time=time)
    assert isinstance(done.outcome, Reply)
    assert time.slept == [1.0]


async def test_g2_03_hours_of_retry_after_are_a_quota_and_stop_the_account() -> None:
    time = FakeTime()
    journal = MemoryJournal()
    spent = Answer('{"error": {"message": "limit reached"}}', 429, {"Retry-After": "14400"})
    async with serving([spent]) as peer, calling(time) as client:
        for _ in range(3):
            done = await client.call(entry(peer.url), REQUEST, PLACE, journal)
            assert isinstance(done.outcome, CallFailure)
            assert done.outcome.error_class == "quota"
        assert len(peer.bodies) == 1
    assert time.slept == []
    assert "14400 s" in journal.records[0].message


async def test_g2_05_529_is_tried_again_and_leaves_two_attempts_overloaded() -> None:
    overloaded = Answer('{"error": {"type": "overloaded_error"}}', 529)
    done, journal = await run(overloaded, overloaded, said("fine"))
    assert isinstance(done.outcome, Reply)
    assert classes(journal) == ["overloaded", "overloaded", ""]
    assert [record.final for record in journal.records] == [False, False, True]


async def test_g2_07_half_a_body_is_tried_again_and_never_read() -> None:
    half = Answer('{"choices": ', how="half")
    done, journal = await run(half, said("fine"))
    assert isinstance(done.outcome, Reply)
    assert done.outcome.text == "fine"
    assert classes(journal) == ["broken_body", ""]
    assert journal.records[0].reply == ""


async def test_g2_09_a_page_is_html_body_and_its_start_is_kept() -> None:
    page = Answer("<html>busy</html>" + "x" * 500, content_type="text/html")
    bad_gateway = Answer("<html>bad gateway</html>", 502, content_type="text/html")
    done, journal = await run(page, bad_gateway, said("fine"))
    assert isinstance(done.outcome, Reply)
    assert classes(journal) == ["html_body", "html_body", ""]
    assert journal.records[0].message == ("<html>busy</html>" + "x" * 500)[:200]


async def test_g2_11_empty_choices_are_tried_again_and_still_booked() -> None:
    empty = Answer('{"choices": [], "usage": {"prompt_tokens": 3870}}')
    done, journal = await run(empty, retries={"attempts": 3})
    assert isinstance(done.outcome, CallFailure)
    assert (done.outcome.error_class, done.outcome.attempts) == ("empty_choices", 3)
    assert [record.tokens.prompt for record in journal.records] == [3870, 3870, 3870]
    assert [record.final for record in journal.records] == [False, False, True]


async def test_g2_31_the_limits_of_the_model_are_the_limits_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    async with serving([said("fine")]) as peer, calling() as client:
        await client.call(entry(peer.url), REQUEST, PLACE, MemoryJournal())
        session = client._around.pool.session()
        post = session.post

        def spy(*args: Any, **kwargs: Any) -> Any:
            given.append(kwargs["timeout"])
            return post(*args, **kwargs)

        monkeypatch.setattr(session, "post", spy)
        patient = entry(peer.url, timeouts={"connect": 15.0, "read": 890.0, "total": 900.0})
        await client.call(patient, REQUEST, PLACE, MemoryJournal())
    assert (given[0].total, given[0].sock_connect, given[0].sock_read) == (900.0, 15.0, 890.0)


async def test_a_server_that_never_answers_is_a_timeout() -> None:
    done, journal = await run(Answer(how="hang"), said("fine"), timeouts=QUICK)
    assert isinstance(done.outcome, Reply)
    assert classes(journal) == ["timeout", ""]


async def test_a_cut_connection_is_network_and_is_first_tried_again_at_once() -> None:
    time = FakeTime()
    done, journal = await run(Answer(how="reset"), Answer(how="reset"), said("fine"), time=time)
    assert isinstance(done.outcome, Reply)
    assert classes(journal) == ["network", "network", ""]
    assert time.slept == [0.0, 2.0]


async def test_nobody_listening_is_network() -> None:
    async with serving([said("fine")]) as peer:
        url = peer.url
    async with calling() as client:
        done = await client.call(entry(url, retries={"attempts": 2}), REQUEST, PLACE, MemoryJournal())
    assert isinstance(done.outcome, CallFailure)
    assert (done.outcome.error_class, done.outcome.status) == ("network", None)


@pytest.mark.parametrize(
    ("answer", "error_class"),
    [
        (Answer('{"error": {"message": "max_tokens unsupported"}}', 400), "bad_request"),
        (Answer('{"error": {"code": "context_length_exceeded"}}', 400), "context_overflow"),
        (Answer('{"error": {"code": "model_not_found"}}', 404), "model_not_found"),
        (Answer('{"error": {"code": "insufficient_quota"}}', 429), "quota"),
        (Answer("", 401), "auth"),
        (Answer("", 307, {"Location": "http://127.0.0.1:9/v1"}), "bad_request"),
    ],
)
async def test_the_same_request_is_never_sent_again_after_a_final_answer(answer: Answer, error_class: str) -> None:
    done, journal = await run(answer, said("never"))
    assert isinstance(done.outcome, CallFailure)
    assert done.outcome.error_class == error_class
    assert len(journal.records) == 1


async def test_a_refused_key_names_model_and_variable_and_stops_the_account() -> None:
    refused = Answer(f'{{"error": {{"message": "Incorrect API key: {CANARY}"}}}}', 401)
    async with serving([refused]) as peer, calling() as client:
        first = await client.call(entry(peer.url), REQUEST, PLACE, MemoryJournal())
        second = await client.call(entry(peer.url, label="other"), REQUEST, PLACE, MemoryJournal())
        assert len(peer.bodies) == 1
    assert isinstance(first.outcome, CallFailure)
    assert "test/model" in first.outcome.message
    assert "CANARY_KEY" in first.outcome.message
    assert CANARY not in first.outcome.message
    assert isinstance(second.outcome, CallFailure)
    assert second.outcome.error_class == "auth"


async def test_a_missing_key_is_told_before_anything_is_sent() -> None:
    async with serving([said("fine")]) as peer, calling() as client:
        done = await client.call(entry(peer.url, api_key_env="NOT_SET"), REQUEST, PLACE, MemoryJournal())
        assert peer.bodies == []
    assert isinstance(done.outcome, CallFailure)
    assert done.outcome.message == "model test/model: no key in NOT_SET; set that variable"


async def test_a_content_filters_error_is_a_reply_that_the_model_answers_for() -> None:
    done, journal = await run(Answer('{"error": {"code": "content_filter", "message": "flagged"}}', 400))
    assert isinstance(done.outcome, Reply)
    assert done.outcome.finish_reason == "content_filter"
    assert classes(journal) == ["content_filter"]
    stored = await journal.lookup(PLACE, REQUEST.digest)
    assert stored is not None
    assert PROTOCOLS["chat"].stored(stored, 0) == done.outcome


async def test_the_attempt_is_committed_before_the_call_returns_and_before_it_is_tried_again() -> None:
    seen: list[int] = []
    time = FakeTime()

    class Slow(MemoryJournal):
        async def commit(self, record: Any) -> None:
            seen.append(len(time.slept))
            await asyncio.sleep(0.01)
            await super().commit(record)

    journal = Slow()
    async with serving([Answer("", 500), said("fine")]) as peer, calling(time) as client:
        await client.call(entry(peer.url), REQUEST, PLACE, journal)
    assert seen == [0, 1]
    assert len(journal.records) == 2


async def test_a_cancelled_call_gives_its_permit_back() -> None:
    time = FakeTime()
    governor = LocalGovernor({"one": Terms(1)}, time.clock, time.sleep)
    client = ModelClient(Keys({"CANARY_KEY": CANARY}), governor)
    async with serving([Answer(how="hang")]) as peer:
        slow = entry(peer.url, account="one")
        task = asyncio.create_task(client.call(slow, REQUEST, PLACE, MemoryJournal()))
        await peer.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await governor.acquire("one")).stopped is None
        await client.close()


async def test_a_request_that_cannot_be_written_gives_its_permit_back() -> None:
    time = FakeTime()
    governor = LocalGovernor({"one": Terms(1)}, time.clock, time.sleep)
    client = ModelClient(Keys({"CANARY_KEY": CANARY}), governor)
    unwritable = replace(REQUEST, setting=Setting("m-1", {}, (), extra={"x": {1, 2}}))
    with pytest.raises(TypeError):
        await client.call(entry("http://127.0.0.1:9/v1", account="one"), unwritable, PLACE, MemoryJournal())
    assert (await asyncio.wait_for(governor.acquire("one"), 5)).stopped is None
    await client.close()


async def test_a_client_is_never_pickled_and_shows_no_key() -> None:
    async with calling() as client:
        assert repr(client) == "ModelClient(Keys(CANARY_KEY))"
        with pytest.raises(TypeError, match="in each process"):
            pickle.dumps(client)


Spoiler = Callable[[], Answer]
ECHOES: list[Spoiler] = [
    lambda: said(f"your key is {CANARY}"),
    lambda: called(("x", (CANARY, CANARY))),
    lambda: Answer(completion({"content": "x", "refusal": CANARY}, CANARY)),
    lambda: Answer(f'{{"error": {{"message": "bad key {CANARY}"}}}}', 401),
    lambda: Answer(f"<html>{CANARY}</html>", 502, content_type="text/html"),
    lambda: Answer(CANARY, 200),
    lambda: Answer(CANARY, 400),
    lambda: Answer("", 429, {"Retry-After": CANARY}),
    lambda: Answer(CANARY, how="half"),
    lambda: Answer(how="reset"),
]


@pytest.mark.parametrize("spoil", ECHOES)
async def test_the_canary_key_is_in_no_record_reply_failure_or_log(
    spoil: Spoiler, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    done, journal = await run(spoil(), retries={"attempts": 2})
    written = repr(done) + repr(journal.records) + caplog.text + "".join(capsys.readouterr())
    assert journal.records
    assert CANARY not in written
