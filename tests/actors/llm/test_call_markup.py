import json

import pytest

from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.call_markup import CALLS_MOST, LONGEST, read_markup
from erpsim.proposal import Proposal
from tests.actors.llm.peers import Answer, calling, entry, said, serving
from tests.actors.llm.worlds import DECISION, KEY, MemoryJournal, opening_observation

GOOD = DECISION.model_dump_json()
SKUS = '{"skus": ["NUT-500"]}'


def read(text: str) -> list[tuple[str, object]]:
    return [(call.name, _loaded(call.arguments)) for call in read_markup(text, 3)]


def _loaded(arguments: object) -> object:
    return json.loads(arguments) if isinstance(arguments, str) and arguments else arguments


DEMAND = [("get_demand", {"skus": ["NUT-500"]})]


@pytest.mark.parametrize(
    "text",
    [
        f'<tool_call>\n{{"name": "get_demand", "arguments": {SKUS}}}\n</tool_call>',
        f'I look first.\n\n<tool_call>{{"name": "get_demand", "arguments": {SKUS}}}',
        f'<function_call>{{"name": "get_demand", "parameters": {SKUS}}}</function_call>',
        f'<tool_call>{{"type": "function", "function": {{"name": "get_demand", "arguments": {SKUS}}}}}</tool_call>',
        f'<TOOLCALL>[{{"name": "get_demand", "arguments": {SKUS}}}]</TOOLCALL>',
        f'<|tool_call|>[{{"name": "get_demand", "arguments": {SKUS}}}]<|/tool_call|>',
        f'<|python_tag|>{{"name": "get_demand", "parameters": {SKUS}}}',
        f'[TOOL_CALLS] [{{"name": "get_demand", "arguments": {SKUS}}}]',
        f"[TOOL_CALLS]get_demand[ARGS]{SKUS}",
        f"[TOOL_CALLS]get_demand{SKUS}",
        f"<function=get_demand>{SKUS}</function>",
        '<tool_call>\n<function=get_demand>\n<parameter=skus>\n["NUT-500"]\n</parameter>\n</function>\n</tool_call>',
        '<function_calls><invoke name="get_demand"><parameter name="skus">["NUT-500"]</parameter></invoke>',
        '<｜DSML｜invoke name="get_demand"><｜DSML｜parameter name="skus" string="false">["NUT-500"]',
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_demand\n```json\n{SKUS}\n```<｜tool▁call▁end｜>",
        f"<｜tool▁call▁begin｜>get_demand<｜tool▁sep｜>{SKUS}<｜tool▁call▁end｜>",
        f"<|tool_call_begin|>functions.get_demand:0<|tool_call_argument_begin|>{SKUS}<|tool_call_end|>",
        '<tool_call>get_demand\n<arg_key>skus</arg_key>\n<arg_value>["NUT-500"]</arg_value>\n</tool_call>',
        f"<|channel|>commentary to=functions.get_demand <|constrain|>json<|message|>{SKUS}<|call|>",
        f'{{"name": "get_demand", "arguments": {SKUS}}}',
        f'```json\n{{"name": "get_demand", "arguments": {SKUS}}}\n```',
        f'[{{"name": "get_demand", "parameters": {SKUS}}}]',
        f'<think>or <tool_call>{{"name": "x", "arguments": {{}}}}</tool_call></think>[TOOL_CALLS]get_demand{SKUS}',
        f'so <tool_call>{{"name": "x", "arguments": {{}}}}</tool_call></think>[TOOL_CALLS]get_demand{SKUS}',
    ],
)
def test_calls_are_read_in_the_forms_that_open_models_are_trained_on(text: str) -> None:
    assert read(text) == DEMAND


def test_parallel_calls_come_in_order_with_ids_of_their_own() -> None:
    text = '<tool_call>{"name": "b", "arguments": {}}</tool_call> and <function=a></function>[TOOL_CALLS]c{"x": 1}'
    calls = read_markup(text, 7)
    assert [(call.call_id, call.name) for call in calls] == [
        ("markup_7_0", "b"),
        ("markup_7_1", "a"),
        ("markup_7_2", "c"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain prose about a <tool_call> that never comes",
        GOOD,
        f"Here it is:\n```json\n{GOOD}\n```",
        json.dumps({"prices": {"NUT-500": 4}, "rationale": "after <function=get_demand>{}</function> I decided"}),
        "My decision: " + json.dumps({"production": [], "rationale": '<invoke name="get_demand"> [TOOL_CALLS]a{}'}),
        "It is: " + json.dumps({"rationale": "<tool_call>get_demand\n<arg_key>a</arg_key>", "prices": {}}),
        '{"name": "plan", "arguments": {}, "production": []}',
        '{"name": "plan"}',
        '{"production": [], "rationale": "<function=a>',
        '[{"sku": "NUT-500", "quantity": 16000}]',
        '<think><tool_call>{"name": "a", "arguments": {}}</tool_call></think>' + GOOD,
        '<think>never closed <tool_call>{"name": "a", "arguments": {}}</tool_call>',
        '<tool_call>{"arguments": {}}</tool_call>',
        "<tool_call>[1, 2]</tool_call>",
        '<tool_call>{"name": 7, "arguments": {}}</tool_call>',
    ],
)
def test_a_decision_or_prose_or_reasoning_is_never_a_call(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('<tool_call>{"name": "get_demand", "arguments": {"skus": ["NUT-500"]}</tool_call>', '{"skus": ["NUT-500"]}'),
        ('<tool_call>{"name": "get_demand", "arguments": {"skus": [}}</tool_call>', '{"skus": [}}'),
        ('<tool_call>{"name": "get_demand", "arguments": "skus"', '"skus"'),
        ('<tool_call>{"name": "get_demand"', ""),
        ('<tool_call>{"name": "get_demand", "arguments": {"a": NaN, "a": 1}}</tool_call>', '{"a": NaN, "a": 1}'),
        ('<tool_call>{"name": "get_demand", "arguments": "{\\"a\\": 1}"}</tool_call>', '"{\\"a\\": 1}"'),
    ],
)
def test_arguments_are_given_on_as_they_were_written(text: str, arguments: str) -> None:
    (call,) = read_markup(text, 0)
    assert (call.name, call.arguments) == ("get_demand", arguments)


def test_a_text_of_calls_without_end_gives_a_bounded_number() -> None:
    one = '<tool_call>{"name": "a", "arguments": {}}</tool_call>'
    assert len(read_markup(one * 1000, 0)) == CALLS_MOST
    assert len(read_markup("[" + ",".join(['{"name": "a", "arguments": {}}'] * 1000) + "]", 0)) <= CALLS_MOST


HOSTILE = [
    "<tool_call>", "<tool_call>{", "<tool_call>[", '<tool_call>"', '<tool_call>{"', '<tool_call>["a",', "<function=a>",
    "<function=a><parameter=b>", '<invoke name="a">', "<parameter=a>", "<｜tool▁call▁begin｜>a", "[TOOL_CALLS]a ",
    "<tool_call>get\n<arg_key>", "{", "[", '"', "<think>", "</think>", '{"a":', "<tool_call>a{}", " ", "\\",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("tail", ["", " " * 100_000, "</invoke></function></tool_call>"])
def test_hostile_texts_are_read_to_their_end_without_an_error(piece: str, tail: str) -> None:
    read_markup("x" + piece * (200_000 // len(piece)) + tail, 0)


def test_a_text_beyond_the_longest_is_not_looked_through() -> None:
    call = '<tool_call>{"name": "a", "arguments": {}}</tool_call>'
    assert len(read_markup(" " * (LONGEST - len(call)) + call, 0)) == 1
    assert read_markup(" " * LONGEST + call, 0) == ()


async def play(*answers: Answer, **options: int) -> tuple[Proposal, list[dict[str, object]], MemoryJournal]:
    journal = MemoryJournal()
    async with serving(answers) as peer, calling() as client:
        agent = ModelAgent(entry(peer.url), client, journal, AgentOptions(**options))
        outcome = await agent.decide(opening_observation(), KEY)
    assert isinstance(outcome, Proposal)
    return outcome, [body["messages"][-1] for body in peer.bodies], journal


async def test_calls_in_a_text_are_answered_as_the_users_next_message_and_recorded() -> None:
    text = '<tool_call>{"name": "get_finance", "arguments": {}}</tool_call>\n[TOOL_CALLS]get_weather{}'
    outcome, last, _ = await play(said(text), said(GOOD))
    assert outcome.decision == DECISION
    assert [event.code for event in outcome.events[:2]] == ["call_markup", "unknown_tool"]
    assert last[1]["role"] == "user"
    first, second = str(last[1]["content"]).split("</tool_response>\n<tool_response>")
    assert "position" in first
    assert "get_market_prices" in second
    assert outcome.usage.tool_calls == 2


async def test_a_decision_that_is_handed_in_as_markup_counts() -> None:
    text = f'<tool_call>{{"name": "submit_decision", "arguments": {GOOD}}}</tool_call>'
    outcome, last, _ = await play(said(text))
    assert (outcome.decision, outcome.status, len(last)) == (DECISION, "recovered", 1)


async def test_a_number_without_end_in_markup_is_refused_as_anywhere_else() -> None:
    bad = '{"prices": {"NUT-500": NaN}}'
    text = f'<tool_call>{{"name": "submit_decision", "arguments": {bad}}}</tool_call>'
    outcome, last, _ = await play(said(text), said(GOOD))
    assert (outcome.decision, outcome.status, len(last)) == (DECISION, "reasked", 2)


async def test_markup_that_leaks_on_the_last_turn_is_refused_as_the_user_and_asked_again() -> None:
    leak = said('<tool_call>{"name": "get_finance", "arguments": {}}</tool_call>')
    outcome, last, _ = await play(leak, leak, said(GOOD), tool_turns=1)
    assert [event.code for event in outcome.events[:3]] == ["call_markup", "call_markup", "tool_budget"]
    assert "no further tool calls are possible" in str(last[2]["content"])
    assert (outcome.decision, outcome.status) == (DECISION, "reasked")


async def test_a_resumed_decision_reads_the_same_markup_from_the_journal() -> None:
    text = "<function=get_finance></function>"
    outcome, _, journal = await play(said(text), said(GOOD))
    async with serving([Answer("", 500)]) as peer, calling() as client:
        again = await ModelAgent(entry(peer.url), client, journal, AgentOptions()).decide(opening_observation(), KEY)
        assert peer.bodies == []
    assert isinstance(again, Proposal)
    assert (again.decision, again.events) == (outcome.decision, outcome.events)
