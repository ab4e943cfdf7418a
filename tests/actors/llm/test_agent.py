import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import Called, CallFailure, InfraFailure, Place, Recorder, Reply
from actors.llm.protocols import PROTOCOLS
from actors.llm.toolbox import SUBMIT
from actors.llm.wire import Request
from ecologies.models import ModelEntry
from erpsim.proposal import Proposal
from tests.actors.llm.peers import Answer, called, calling, completion, entry, said, serving
from tests.actors.llm.worlds import DECISION, KEY, Decided, MemoryJournal, opening_observation

GOOD = DECISION.model_dump_json()
REFUSED = said(None, refusal="cannot help")


@dataclass(frozen=True)
class Played(Decided):
    """One decision against a scripted server, and what the server saw."""

    bodies: list[Any]


async def play(*answers: Answer, journal: MemoryJournal | None = None, **options: Any) -> Played:
    journal = journal or MemoryJournal()
    changes = options.pop("entry", {})
    async with serving(answers) as peer, calling() as client:
        agent = ModelAgent(entry(peer.url, **changes), client, journal, AgentOptions(**options))
        return Played(await agent.decide(opening_observation(), KEY), journal, peer.bodies)


def roles(body: Any) -> list[str]:
    return [message["role"] for message in body["messages"]]


async def test_tools_then_a_decision_is_clean_and_counted() -> None:
    played = await play(called(("a", "get_finance"), ("b", "get_demand")), said(GOOD))
    assert played.proposal.decision == DECISION
    assert (played.proposal.status, played.codes) == ("clean", ["value_coerced:absent_price"])
    usage = played.proposal.usage
    assert (usage.llm_calls, usage.tool_calls, usage.tokens_in, usage.tokens_out) == (2, 2, 200, 20)
    assert usage.route == "m-1-2026|fp|"
    assert roles(played.bodies[1]) == ["system", "user", "assistant", "tool", "tool"]
    assert [(record.ask, record.turn) for record in played.journal.records] == [(0, 0), (0, 1)]


async def test_the_request_holds_model_sampling_and_tools_and_no_more() -> None:
    played = await play(said(GOOD), entry={"sampling": {"temperature": 0.2, "max_tokens": 900}})
    assert sorted(played.bodies[0]) == ["max_tokens", "messages", "model", "temperature", "tools"]


async def test_a_submission_is_the_decision() -> None:
    played = await play(called(("a", (SUBMIT, GOOD))))
    assert played.proposal.decision == DECISION
    assert played.proposal.usage.tool_calls == 1


async def test_a_bad_submission_is_asked_for_again_in_a_valid_conversation() -> None:
    played = await play(called(("a", (SUBMIT, "{}"))), called(("b", (SUBMIT, GOOD))))
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "reasked")
    assert roles(played.bodies[1]) == ["system", "user", "assistant", "tool", "user"]


async def test_g1_31_null_content_with_calls_runs_them_and_without_is_classed_by_finish_reason() -> None:
    played = await play(called(("a", "get_finance")), said(None, "content_filter"))
    assert roles(played.bodies[1])[-1] == "tool"
    assert played.proposal.decision is None
    assert played.codes[-1] == "fallback_decision:content_filter"
    assert '"content_filter"' in played.journal.records[-1].reply


async def test_g1_33_a_refusal_is_asked_again_as_configured_and_is_booked_as_refusal() -> None:
    played = await play(REFUSED, REFUSED, said(GOOD), reasks=1)
    assert played.proposal.decision is None
    assert played.proposal.status == "fallback"
    assert played.codes == ["reask:refusal", "fallback_decision:refusal"]
    assert len(played.bodies) == 2
    never = await play(REFUSED, said(GOOD), reasks=0)
    assert (len(never.bodies), never.codes) == (1, ["fallback_decision:refusal"])
    twice = await play(REFUSED, REFUSED, said(GOOD), reasks=2)
    assert (twice.proposal.decision, twice.proposal.status) == (DECISION, "reasked")


@pytest.mark.parametrize("raw", ["", None, "   "])
async def test_g1_35_calls_without_arguments_run_and_count_for_nothing(raw: Any) -> None:
    played = await play(called(("a", ("get_finance", raw))), said(GOOD))
    assert "position" in json.loads(played.bodies[1]["messages"][-1]["content"])
    assert not [code for code in played.codes if code.startswith("tool_error")]


async def test_g1_39_an_unknown_tool_is_answered_and_the_loop_goes_on() -> None:
    played = await play(called(("a", "get_market_price")), called(("b", "get_market_prices")), said(GOOD))
    assert played.proposal.decision == DECISION
    assert played.codes[0] == "tool_error:unknown_tool"
    assert "get_market_prices" in played.bodies[1]["messages"][-1]["content"]


async def test_g1_41_parallel_calls_are_answered_one_message_for_each_id_in_order() -> None:
    played = await play(called(("a", "get_finance"), ("b", ("get_demand", "{")), ("c", "get_carbon")), said(GOOD))
    answers = [message for message in played.bodies[1]["messages"] if message["role"] == "tool"]
    assert [answer["tool_call_id"] for answer in answers] == ["a", "b", "c"]
    assert "parallel_tool_calls" not in played.bodies[0]


async def test_g1_43_calls_without_ids_get_fresh_ones_that_agree() -> None:
    played = await play(called((None, "get_finance"), ("", "get_demand"), (..., "get_carbon")), said(GOOD))
    *_, assistant, first, second, third = played.bodies[1]["messages"]
    ids = [call["id"] for call in assistant["tool_calls"]]
    assert ids == [first["tool_call_id"], second["tool_call_id"], third["tool_call_id"]]
    assert len(set(ids)) == 3


async def test_g1_45_the_last_allowed_turn_is_sent_without_tools_and_its_text_is_the_decision() -> None:
    tool = called(("a", "get_demand"))
    played = await play(*[tool] * 5, said(GOOD), tool_turns=5)
    assert played.proposal.decision == DECISION
    assert ["tools" in body for body in played.bodies] == [True] * 5 + [False]


async def test_g1_45_a_model_that_never_stops_calling_ends_in_tool_budget() -> None:
    played = await play(called(("a", "get_demand")), tool_turns=5, reasks=1)
    assert played.proposal.decision is None
    assert played.codes[-2:] == ["reask:tool_budget", "fallback_decision:tool_budget"]
    assert ["tools" in body for body in played.bodies] == [True] * 5 + [False] * 2
    answered = [message for message in played.bodies[-1]["messages"] if message["role"] == "tool"]
    assert len(answered) == 6


async def test_a_last_turn_that_calls_and_says_the_decision_is_taken_at_its_word() -> None:
    message = {"role": "assistant", "content": GOOD, "tool_calls": [{"id": "z", "function": {"name": "get_demand"}}]}
    both = Answer(completion(message, "tool_calls"))
    assert (await play(both, tool_turns=0)).proposal.decision == DECISION
    submitted = await play(called(("a", (SUBMIT, GOOD))), tool_turns=0)
    assert submitted.proposal.decision == DECISION


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (said("I would rather not decide this round."), "no_json"),
        (said(""), "empty"),
        (said(None), "empty"),
        (said(GOOD[:200], "length"), "truncated"),
        (said('{"weather": "fine"}'), "invalid"),
        (said(None, "content_filter"), "content_filter"),
        (REFUSED, "refusal"),
    ],
)
async def test_every_cause_of_a_fallback_is_told_apart(answer: Answer, cause: str) -> None:
    played = await play(answer)
    assert played.proposal.decision is None
    assert played.proposal.status == "fallback"
    assert played.codes[-1] == f"fallback_decision:{cause}"


async def test_the_precise_error_goes_back_to_the_model() -> None:
    bad = json.dumps({"production": [{"sku": "CORN-9", "quantity": 16000}]})
    played = await play(said(bad), said(GOOD))
    again = played.bodies[1]["messages"][-1]
    assert again["role"] == "user"
    assert "CORN-9" in again["content"]
    assert "NUT-500" in again["content"]
    assert played.proposal.status == "reasked"


async def test_what_is_usable_of_a_decision_is_kept_when_asking_again_does_not_help() -> None:
    partial = json.dumps({"prices": {"NUT-500": 4.0}, "production": [{"sku": "CORN-9", "quantity": 16000}]})
    played = await play(said(partial), said("no"))
    assert played.proposal.decision is not None
    assert played.proposal.decision.prices == {"NUT-500": 4.0}
    assert played.proposal.status == "reasked"
    assert "item_dropped" in {event.category for event in played.proposal.events}


async def test_a_fenced_decision_is_recovered() -> None:
    played = await play(said(f"```json\n{GOOD}\n```"))
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "recovered")


async def test_a_provider_that_fails_is_no_fallback() -> None:
    played = await play(called(("a", "get_finance")), Answer('{"error": {"message": "gone"}}', 400))
    assert isinstance(played.outcome, InfraFailure)
    assert played.outcome.failure.error_class == "bad_request"
    assert played.outcome.place == Place(KEY, 0, 1)


async def test_g2_11_empty_choices_are_infrastructure_and_never_a_fallback() -> None:
    played = await play(Answer('{"choices": []}'))
    assert isinstance(played.outcome, InfraFailure)
    assert played.outcome.failure.error_class == "empty_choices"


async def test_a_journaled_reply_is_never_asked_for_again() -> None:
    journal = MemoryJournal()
    first = await play(called(("a", "get_finance")), said(GOOD), journal=journal)
    again = await play(Answer("", 500), journal=journal)
    assert again.bodies == []
    assert again.proposal.decision == first.proposal.decision
    assert again.proposal.events == first.proposal.events
    assert again.proposal.usage.tokens_in == first.proposal.usage.tokens_in
    assert again.proposal.usage.route == first.proposal.usage.route


async def test_a_decision_goes_on_from_the_replies_that_are_journaled() -> None:
    journal = MemoryJournal()
    parked = await play(called(("a", "get_finance")), Answer("", 404), journal=journal)
    assert isinstance(parked.outcome, InfraFailure)
    resumed = await play(said(GOOD), journal=journal)
    assert len(resumed.bodies) == 1
    assert roles(resumed.bodies[0])[-1] == "tool"
    assert resumed.proposal.decision == DECISION


async def test_a_reply_is_committed_before_it_is_used() -> None:
    steps: list[str] = []

    class Journal(MemoryJournal):
        async def commit(self, record: Any) -> None:
            steps.append("committed")
            await super().commit(record)

    async with serving([called(("a", "get_finance")), said(GOOD)]) as peer, calling() as client:
        agent = ModelAgent(entry(peer.url), client, Journal())
        ticks = iter(range(100))

        def clock() -> float:
            steps.append("used")
            return float(next(ticks))

        agent.clock = clock
        outcome = await agent.decide(opening_observation(), KEY)
    assert steps == ["committed", "used", "used", "committed"]
    assert isinstance(outcome, Proposal)
    assert outcome.usage.tools_s == 1.0


class FixedReplies:
    """A caller without a network, whose clock stands still."""

    def __init__(self, replies: Sequence[Reply | CallFailure]) -> None:
        self.replies = list(replies)

    async def call(self, model: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        del model, request, place, recorder
        return Called(self.replies.pop(0), 0.5, 2.0)


async def test_time_is_split_into_queue_model_and_tools_and_an_unknown_price_stays_unknown() -> None:
    journal = MemoryJournal()
    await play(called(("a", "get_finance")), said(GOOD), journal=journal)
    bodies = [await journal.lookup(Place(KEY, 0, turn), journal.records[turn].digest) for turn in (0, 1)]
    replies = [PROTOCOLS["chat"].stored(body, turn) for turn, body in enumerate(bodies) if body is not None]
    caller = FixedReplies([reply for reply in replies if reply is not None])
    outcome = await ModelAgent(entry("http://127.0.0.1:9/v1"), caller, MemoryJournal()).decide(
        opening_observation(), KEY
    )
    assert isinstance(outcome, Proposal)
    assert (outcome.usage.queue_s, outcome.usage.model_s) == (1.0, 4.0)
    assert outcome.usage.cost_usd is None
    priced = await play(said(GOOD), entry={"prices": {"input": 1.0, "output": 1.0}})
    assert priced.proposal.usage.cost_usd == pytest.approx(110e-6)
