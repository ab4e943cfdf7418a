"""Siblings of the public cases G1-31 to G1-45: what a reply's content, refusal and tool calls may look like."""

import json
from typing import Any

import pytest

from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.toolbox import SUBMIT
from erpsim.proposal import Proposal
from tests.actors.llm.peers import Answer, called, calling, entry, said, serving
from tests.actors.llm.worlds import DECISION, KEY, MemoryJournal, opening_observation

GOOD = DECISION.model_dump_json()
CUT = GOOD[: len(GOOD) // 2]


class Played:
    """What came of one decision, and what the server was sent."""

    def __init__(self, proposal: Proposal, bodies: list[Any]) -> None:
        self.proposal = proposal
        self.bodies = bodies
        self.codes = [f"{event.category}:{event.code}" for event in proposal.events if event.code != "absent_price"]

    def answers(self, turn: int = 1) -> list[dict[str, Any]]:
        """Tool messages that the request of a turn holds."""
        return [message for message in self.bodies[turn]["messages"] if message["role"] == "tool"]

    def ids(self, turn: int = 1) -> list[str]:
        """Ids of the calls in the request of a turn."""
        rows = [message.get("tool_calls") or [] for message in self.bodies[turn]["messages"]]
        return [call["id"] for calls in rows for call in calls]


async def play(*answers: Answer, **options: Any) -> Played:
    async with serving(answers) as peer, calling() as client:
        agent = ModelAgent(entry(peer.url), client, MemoryJournal(), AgentOptions(**options))
        outcome = await agent.decide(opening_observation(), KEY)
        assert isinstance(outcome, Proposal), outcome
        return Played(outcome, peer.bodies)


def parts(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (said(None, "content_filter"), "content_filter"),
        (said("", "SAFETY"), "content_filter"),
        (said([], "content_filter"), "content_filter"),
        (said(None, "length"), "truncated"),
        (said("", "MAX_TOKENS"), "truncated"),
        (said(None, "stop"), "empty"),
        (said([], "stop"), "empty"),
        (said(parts(""), "stop"), "empty"),
        (said(" \n", None), "empty"),
        (said(None, "stop", reasoning_content="long"), "empty"),
        (said(None, "tool_calls", tool_calls=[]), "empty"),
        (said(None, "tool_calls", tool_calls=None), "empty"),
    ],
)
async def test_g1_31_siblings_no_content_is_classed_by_the_finish_reason(answer: Answer, cause: str) -> None:
    played = await play(answer, reasks=0)
    assert played.proposal.decision is None
    assert played.codes == [f"fallback_decision:{cause}"]


@pytest.mark.parametrize("content", [None, "", [], " ", "Let me look.", parts("Let me look.")])
@pytest.mark.parametrize("reason", ["tool_calls", "stop", None])
async def test_g1_31_siblings_calls_are_run_whatever_content_and_finish_reason_are(content: Any, reason: Any) -> None:
    rows = [{"id": "a", "type": "function", "function": {"name": "get_finance", "arguments": "{}"}}]
    played = await play(said(content, reason, tool_calls=rows), said(GOOD))
    assert "position" in json.loads(played.answers()[0]["content"])
    assert played.codes == []


@pytest.mark.parametrize("content", [GOOD, parts(GOOD), parts(GOOD[:50], GOOD[50:]), [{"type": "think"}, *parts(GOOD)]])
async def test_g1_31_siblings_a_decision_in_content_of_any_shape_is_read(content: Any) -> None:
    assert (await play(said(content))).proposal.decision == DECISION


@pytest.mark.parametrize(
    "answer",
    [
        said(None, "stop", refusal="I cannot help with that"),
        said(GOOD, "stop", refusal="I cannot help with that"),
        said(None, "refusal"),
        said("No.", "refusal"),
    ],
)
async def test_g1_33_siblings_a_refusal_of_any_shape_is_booked_as_one_and_asked_again_as_configured(
    answer: Answer,
) -> None:
    for reasks in (0, 1, 2):
        played = await play(answer, reasks=reasks)
        assert played.codes == ["reask:refusal"] * reasks + ["fallback_decision:refusal"]
        assert len(played.bodies) == reasks + 1


@pytest.mark.parametrize("raw", ["", None, "  ", "{}", {}, "null", '"{}"', '""', "\n"])
async def test_g1_35_siblings_no_arguments_however_written_run_the_tool(raw: Any) -> None:
    played = await play(called(("a", ("get_finance", raw)), ("b", ("get_carbon", raw))), said(GOOD))
    assert ["error" in json.loads(answer["content"]) for answer in played.answers()] == [False, False]
    assert played.codes == []


@pytest.mark.parametrize("raw", ["[]", "7", '{"skus": ', "{'skus': []}", '{"rounds": NaN}', '{"skus": 1, "skus": 2}'])
async def test_g1_35_siblings_arguments_that_are_none_are_told_and_the_loop_goes_on(raw: Any) -> None:
    played = await play(called(("a", ("get_demand", raw))), said(GOOD))
    assert "argument" in json.loads(played.answers()[0]["content"])["error"]
    assert played.codes == ["tool_error:bad_arguments"]
    assert played.proposal.decision == DECISION


@pytest.mark.parametrize(
    "raw",
    [
        '{"skus": "[\\"NUT-500\\"]"}',
        '{"skus": ["NUT-500"]}',
        '{"SKUs": "nut 500"}',
        {"skus": ["NUT-500"]},
        '"{\\"skus\\": [\\"NUT-500\\"]}"',
    ],
)
async def test_g1_37_siblings_nested_json_text_filters_as_a_list_does(raw: Any) -> None:
    played = await play(called(("a", ("get_demand", raw)), ("b", ("get_demand", "{}"))), said(GOOD))
    one, every = (answer["content"] for answer in played.answers())
    assert "NUT-500" in one
    assert "MIXED-500" not in one
    assert "MIXED-500" in every
    assert played.codes == []


@pytest.mark.parametrize("raw", [GOOD, json.loads(GOOD), json.dumps(GOOD), json.dumps({"decision": json.loads(GOOD)})])
async def test_g1_37_siblings_a_submission_is_read_as_text_object_or_nested_text(raw: Any) -> None:
    assert (await play(called(("a", (SUBMIT, raw))))).proposal.decision == DECISION


@pytest.mark.parametrize("raw", ["", None, "{}", CUT, "[]", "soon"])
async def test_g1_37_siblings_a_submission_of_nothing_is_no_decision(raw: Any) -> None:
    played = await play(called(("a", (SUBMIT, raw))), reasks=0)
    assert played.proposal.decision is None
    assert played.codes[-1].startswith("fallback_decision:")


@pytest.mark.parametrize(
    "name",
    ["get_market_price", "getFinance", "", "functions.get_finance", "GET_FINANCE", "submit", "x" * 3_000, "é\ud800"],
)
async def test_g1_39_siblings_any_unknown_name_gets_the_valid_ones_and_is_counted(name: str) -> None:
    played = await play(called(("a", name)), said(GOOD))
    told = json.loads(played.answers()[0]["content"])["error"]
    assert all(tool in told for tool in ("get_finance", "get_market_prices", SUBMIT))
    assert len(told) < 400
    assert played.codes == ["tool_error:unknown_tool"]
    assert played.proposal.decision == DECISION


async def test_g1_39_siblings_a_model_that_calls_nothing_but_unknown_tools_ends_within_its_turns() -> None:
    played = await play(called(("a", "think")), tool_turns=3, reasks=0)
    assert len(played.bodies) == 4
    assert played.codes == ["tool_error:unknown_tool"] * 3 + ["fallback_decision:tool_budget"]


@pytest.mark.parametrize("count", [1, 2, 7, 30])
async def test_g1_41_siblings_any_number_of_calls_gets_one_answer_each_in_order(count: int) -> None:
    names = ["get_finance", "no_such_tool", ("get_demand", "{"), "get_carbon"]
    calls = [(f"id-{number}", names[number % 4]) for number in range(count)]
    played = await play(called(*calls), said(GOOD))
    assert [answer["tool_call_id"] for answer in played.answers()] == [call_id for call_id, _ in calls] == played.ids()


async def test_g1_41_siblings_a_submission_among_calls_leaves_no_call_without_an_answer() -> None:
    bad = called(("a", "get_finance"), ("b", (SUBMIT, "{}")), ("c", "get_demand"))
    played = await play(bad, said(GOOD))
    assert [answer["tool_call_id"] for answer in played.answers()] == ["a", "b", "c"]
    assert "error" in json.loads(played.answers()[1]["content"])


@pytest.mark.parametrize("call_id", [None, "", ..., "a"])
async def test_g1_43_siblings_ids_that_are_missing_empty_or_equal_become_unique(call_id: Any) -> None:
    played = await play(called((call_id, "get_finance"), (call_id, "get_demand"), ("z", "get_carbon")), said(GOOD))
    assert len(set(played.ids())) == 3
    assert [answer["tool_call_id"] for answer in played.answers()] == played.ids()
    assert all(played.ids())


async def test_g1_43_siblings_ids_stay_unique_over_the_turns() -> None:
    played = await play(*[called(("", "get_finance"))] * 3, said(GOOD))
    assert len(set(played.ids(3))) == len(played.ids(3)) == 3


@pytest.mark.parametrize("turns", [0, 1, 3])
async def test_g1_45_siblings_the_last_turn_offers_no_tools_whatever_the_limit(turns: int) -> None:
    played = await play(*[called(("a", "get_demand"))] * turns, said(GOOD), tool_turns=turns)
    assert ["tools" in body for body in played.bodies] == [True] * turns + [False]
    assert played.proposal.decision == DECISION


@pytest.mark.parametrize(
    ("answer", "decided"),
    [
        (called(("a", (SUBMIT, GOOD))), True),
        (called(("a", "get_demand")), False),
        (called(("a", "no_such_tool")), False),
        (called(("a", (SUBMIT, "{}"))), False),
    ],
)
async def test_g1_45_siblings_a_call_on_the_last_turn_counts_only_when_it_is_the_decision(
    answer: Answer, decided: bool
) -> None:
    played = await play(answer, tool_turns=0, reasks=0)
    assert (played.proposal.decision == DECISION) is decided
    assert decided or played.codes[-1] in ("fallback_decision:tool_budget", "fallback_decision:invalid")
