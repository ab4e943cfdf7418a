"""A policy over HTTP against servers on loopback: what it is sent, and what becomes of every kind of answer."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, replace
from typing import Any

import jsonschema
import pytest

from actors.llm import exchange
from actors.llm.calls import DecisionKey, InfraFailure
from actors.llm.http_policy import HttpPolicy
from actors.llm.observed import REQUEST_FORMAT
from erpsim.events import FallbackDecision, ItemDropped, ParseRecovered, Reask, ValueCoerced
from erpsim.observation_document import observation_json, observation_schema
from erpsim.proposal import Proposal
from tests.actors.llm.peers import CANARY, Answer, FakeTime, Peer, calling, entry, serving
from tests.actors.llm.worlds import DECISION, KEY, Decided, MemoryJournal, later_observation, opening_observation

GOOD = Answer(DECISION.model_dump_json())
USELESS = Answer('{"advice": "raise prices"}')
QUICK = {"connect": 0.5, "read": 0.2, "total": 0.2}


@dataclass(frozen=True)
class Played(Decided):
    """What became of one decision, the server's side of it, and the waits."""

    bodies: list[Any]
    headers: list[Any]
    slept: list[float]

    @property
    def failure(self) -> InfraFailure:
        assert isinstance(self.outcome, InfraFailure), self.outcome
        return self.outcome

    @property
    def events(self) -> list[tuple[str, str]]:
        return [(type(event).__name__, event.code) for event in self.proposal.events]


async def play(
    *answers: Answer,
    journal: MemoryJournal | None = None,
    reasks: int = 1,
    **changes: Any,
) -> Played:
    """Ask a policy whose server gives these answers for a decision of round 1."""
    journal, time = journal or MemoryJournal(), FakeTime()
    async with serving(answers) as peer, calling(time) as client:
        policy = HttpPolicy(http_entry(peer, **changes), client, journal, reasks)
        outcome = await policy.decide(opening_observation(), KEY)
        return Played(outcome, journal, peer.bodies, peer.headers, time.slept)


def http_entry(peer: Peer, **changes: Any) -> Any:
    """The models file's entry of a policy that is served at the whole address."""
    return entry(f"{peer.url}/chat/completions", policy="http", **changes)


async def test_the_observation_is_posted_whole_with_the_key_in_the_header() -> None:
    played = await play(GOOD)
    (body,) = played.bodies
    assert list(body) == ["format", "model", "ask", "error", "observation"]
    assert (body["format"], body["model"], body["ask"], body["error"]) == (REQUEST_FORMAT, "m-1", 0, None)
    assert body["observation"] == observation_json(opening_observation())
    jsonschema.Draft202012Validator(observation_schema()).validate(body["observation"])
    assert played.headers[0]["Authorization"] == f"Bearer {CANARY}"


async def test_extra_keys_of_the_models_file_are_posted_too() -> None:
    played = await play(GOOD, extra={"player": "blue"})
    assert played.bodies[0]["player"] == "blue"


async def test_a_decision_is_taken_as_it_stands() -> None:
    played = await play(GOOD)
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "clean")
    assert (played.proposal.usage.llm_calls, played.proposal.usage.tool_calls) == (1, 0)
    (record,) = played.journal.records
    assert (record.model, record.status, record.error_class, record.final) == ("test/model", 200, "", True)
    assert record.reply == GOOD.body
    assert json.loads(json.loads(record.request)["messages"][0]["content"]) == played.bodies[0]


async def test_usage_is_counted_and_priced_and_the_version_is_the_route() -> None:
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 100_000}
    answer = {"decision": json.loads(GOOD.body), "usage": usage, "version": "v2"}
    played = await play(Answer(json.dumps(answer)), prices={"input": 1.0, "output": 5.0})
    used = played.proposal.usage
    assert (used.tokens_in, used.tokens_out, used.cost_usd, used.route) == (1_000_000, 100_000, 1.5, "v2||")
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "clean")


async def test_a_decision_in_a_fence_is_found_and_the_rung_is_recorded() -> None:
    played = await play(Answer(f"Here:\n```json\n{GOOD.body}\n```", content_type="text/plain"))
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "recovered")
    assert ("ParseRecovered", "fence") in played.events


async def test_an_answer_that_cannot_be_used_is_asked_for_again_with_its_error() -> None:
    played = await play(USELESS, GOOD)
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "reasked")
    assert [(body["ask"], body["observation"] == played.bodies[0]["observation"]) for body in played.bodies] == [
        (0, True),
        (1, True),
    ]
    assert "no known section" in played.bodies[1]["error"]
    assert [(record.ask, record.turn) for record in played.journal.records] == [(0, 0), (1, 1)]
    (reask,) = (event for event in played.proposal.events if isinstance(event, Reask))
    assert reask.cause == played.bodies[1]["error"]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("", "empty"),
        ("no idea", "no_json"),
        ('{"prices": {"NUT-500": 4.2', "truncated"),
        ('{"prices": {"NUT-500": "dear"}}', "invalid"),
        ('{"prices": {"NUT-500": NaN}}', "invalid"),
        ('{"decision": {"prices": {"NUT-500": 1e999}}}', "invalid"),
        ("[" * 10_000, "no_json"),
        ("{" + "x" * 600_000, "no_json"),
    ],
)
async def test_a_policy_that_gives_no_decision_twice_falls_back(body: str, cause: str) -> None:
    played = await play(Answer(body))
    assert (played.proposal.decision, played.proposal.status) == (None, "fallback")
    (fallback,) = (event for event in played.proposal.events if isinstance(event, FallbackDecision))
    assert fallback.code == cause
    assert len(played.bodies) == 2
    assert played.classes == ["", ""]


async def test_numbers_without_end_are_dropped_and_good_sections_kept_at_last() -> None:
    body = '{"prices": {"NUT-500": Infinity}, "production": [{"sku": "NUT-500", "quantity": 32000}]}'
    played = await play(Answer(body))
    decision = played.proposal.decision
    assert decision is not None
    assert (decision.prices, decision.production[0].quantity) == ({}, 32_000)
    assert [event.asked for event in played.proposal.events if isinstance(event, ItemDropped)] == ["Infinity"]


async def test_no_re_ask_is_made_where_none_is_wanted() -> None:
    played = await play(USELESS, reasks=0)
    assert (played.proposal.status, len(played.bodies)) == ("fallback", 1)


async def test_a_key_given_twice_is_seen() -> None:
    played = await play(Answer('{"decision": {"prices": {"NUT-500": 4.0, "NUT-500": 4.5}}}'))
    assert ("ValueCoerced", "duplicate_key") in played.events
    assert played.proposal.decision is not None
    assert played.proposal.decision.prices == {"NUT-500": 4.5}
    assert not [event for event in played.proposal.events if isinstance(event, ParseRecovered)]


@pytest.mark.parametrize(
    ("answer", "error_class"),
    [
        (Answer("boom", 500), "server"),
        (Answer("busy", 503), "overloaded"),
        (Answer("slow down", 429), "rate"),
        (Answer('{"error": "solver died"}'), "server"),
        (Answer("<html>gateway</html>", content_type="text/html"), "html_body"),
        (Answer('{"prices": {"NUT-500"', how="half"), "broken_body"),
        (Answer(how="reset"), "network"),
    ],
)
async def test_what_the_server_did_is_tried_again_and_never_booked_to_the_policy(
    answer: Answer, error_class: str
) -> None:
    played = await play(answer, GOOD)
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "clean")
    assert played.events == [("ValueCoerced", "absent_price")]
    assert played.classes == [error_class, ""]


async def test_the_wait_that_a_server_asks_for_is_kept() -> None:
    played = await play(Answer("", 429, {"Retry-After": "17"}), GOOD)
    assert sum(played.slept) == 17.0


@pytest.mark.parametrize(
    ("status", "error_class"), [(401, "auth"), (403, "auth"), (404, "model_not_found"), (422, "bad_request")]
)
async def test_what_will_not_pass_is_asked_for_once(status: int, error_class: str) -> None:
    played = await play(Answer('{"detail": "no"}', status))
    assert (played.failure.failure.error_class, len(played.bodies)) == (error_class, 1)
    assert CANARY not in played.failure.failure.message


async def test_a_server_that_never_answers_is_a_failure_of_the_infrastructure() -> None:
    played = await play(Answer(how="hang"), retries={"attempts": 2}, timeouts=QUICK)
    assert (played.failure.failure.error_class, played.failure.failure.attempts) == ("timeout", 2)
    assert played.failure.place.key == KEY


async def test_a_body_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "LONGEST_BODY", 70_000)
    played = await play(Answer("x" * 200_000), GOOD)
    assert played.classes == ["broken_body", ""]


async def test_a_redirect_is_not_followed() -> None:
    played = await play(Answer("", 307, {"Location": "http://127.0.0.1:1/elsewhere"}))
    assert (played.failure.failure.error_class, len(played.bodies)) == ("bad_request", 1)


async def test_a_filters_refusal_is_the_policys_and_is_not_asked_for_again() -> None:
    played = await play(Answer('{"error": {"code": "content_filter"}}', 400))
    assert played.events == [("FallbackDecision", "content_filter")]
    assert len(played.bodies) == 1


async def test_a_key_that_a_server_says_back_stands_in_no_record(caplog: pytest.LogCaptureFixture) -> None:
    told = {"decision": {**json.loads(GOOD.body), "rationale": f"key {CANARY}"}, "version": CANARY}
    with caplog.at_level(logging.DEBUG):
        played = await play(Answer(f"{CANARY} refused", 500), Answer(json.dumps(told)))
        failed = await play(Answer(json.dumps({"error": f"bad key {CANARY}"}), 401))
    assert played.proposal.decision is not None
    assert played.proposal.decision.rationale == "key [key]"
    for kept in (played.proposal, played.journal.records, failed.failure, failed.journal.records, caplog.text):
        assert CANARY not in repr(kept)


async def test_an_answer_in_the_journal_is_not_asked_for_again() -> None:
    first = await play(USELESS, GOOD)
    again = await play(Answer("", 500), journal=first.journal)
    assert again.bodies == []
    assert timeless(again.proposal) == timeless(first.proposal)


async def test_a_decision_that_broke_off_goes_on_from_the_answers_it_has() -> None:
    broken = await play(USELESS, Answer("", 401))
    assert broken.failure.place.ask == 1
    again = await play(GOOD, journal=broken.journal)
    assert [body["ask"] for body in again.bodies] == [1]
    assert (again.proposal.decision, again.proposal.status) == (DECISION, "reasked")


async def test_another_observation_is_asked_for_anew() -> None:
    first = await play(GOOD)
    async with serving([GOOD]) as peer, calling() as client:
        policy = HttpPolicy(http_entry(peer), client, first.journal)
        await policy.decide(later_observation(), KEY)
        assert len(peer.bodies) == 1


async def test_many_firms_are_decided_at_once_each_for_itself() -> None:
    keys = [DecisionKey("arena/P900", seat, 1) for seat in range(20)]
    journal = MemoryJournal()
    async with serving([GOOD]) as peer, calling() as client:
        policy = HttpPolicy(http_entry(peer), client, journal)
        proposals = await asyncio.gather(*(policy.decide(opening_observation(), key) for key in keys))
    assert [proposal.decision for proposal in proposals if isinstance(proposal, Proposal)] == [DECISION] * 20
    assert sorted(record.seat for record in journal.records) == list(range(20))


async def test_a_number_as_text_is_coerced_with_an_event() -> None:
    played = await play(Answer('{"prices": {"NUT-500": "4.20"}}'))
    assert [event.asked for event in played.proposal.events if isinstance(event, ValueCoerced) and event.asked] == [
        "4.20"
    ]


def timeless(proposal: Proposal) -> Proposal:
    """A proposal without the time that it took."""
    return replace(proposal, usage=replace(proposal.usage, model_s=0.0, tools_s=0.0, queue_s=0.0))
