"""Cases of requests: parameters refused by name, reasoning and signatures echoed, conversations that are too long."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import CallFailure, InfraFailure, Place, Reply
from actors.llm.client import SWITCHES_MOST, ModelClient, Surroundings
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.switches import Switches, read_switches
from actors.llm.wire import Setting, build_request
from erpsim.proposal import Proposal
from tests.actors.llm.peers import CANARY, Answer, FakeTime, called, calling, completion, entry, running, said, serving
from tests.actors.llm.worlds import DECISION, KEY, PLACE, MemoryJournal, opening_observation

GOOD = DECISION.model_dump_json()
Refuses = Callable[[dict[str, Any]], str | None]
"""What a strict server says against a body, None when it takes it."""


class Strict:
    """A server that refuses what it does not take, and answers everything else."""

    def __init__(self, refuses: Refuses) -> None:
        self.refuses = refuses
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        self.refusals = 0

    async def handle(self, request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        self.bodies.append(body)
        words = self.refuses(body)
        if words is not None:
            self.refusals += 1
            return web.json_response(
                json.loads(words) if words.startswith("{") else {"error": {"message": words}}, status=400
            )
        return web.Response(text=said(GOOD).body, content_type="application/json")


@asynccontextmanager
async def strict(refuses: Refuses) -> AsyncIterator[Strict]:
    peer = Strict(refuses)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", peer.handle)
    async with running(app) as url:
        peer.url = url
        yield peer


def requested(turn: int = 0, /, **sampling: Any) -> Any:
    messages = [{"role": "user", "content": f"turn {turn}"}]
    return build_request(Setting("m-1", sampling, ()), messages, 0, with_tools=False)


def refusing(name: str, words: str) -> Refuses:
    return lambda body: words if name in body else None


WITHIN = json.dumps({"error": {"message": "reasoning_effort is not supported by this model"}})
NAMED = [
    (
        "max_tokens",
        '{"error": {"message": "max_tokens: at most one limit. Unsupported.", "code": "unsupported_parameter"}}',
    ),
    ("max_tokens", "max_tokens unsupported, use max_completion_tokens"),
    (
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    ("max_tokens", '{"error": {"message": "Unsupported.", "param": "max_tokens", "code": "unsupported_parameter"}}'),
    (
        "max_tokens",
        '{"detail": [{"type": "extra_forbidden", "loc": ["body", "max_tokens"], "msg": "Extra inputs not permitted"}]}',
    ),
    (
        "temperature",
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) is supported.",
    ),
    ("temperature", "`temperature` is deprecated for this model."),
    ("temperature", "temperature: Extra inputs are not permitted"),
    ("temperature", "Unsupported parameter: 'temperature' is not supported with reasoning models."),
    ("top_p", "`temperature` and `top_p` cannot both be specified for this model. Please use only one."),
    ("top_p", "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."),
    ("seed", 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'),
    ("seed", "Unrecognized request argument supplied: seed"),
    ("seed", "{\"object\": \"error\", \"message\": \"[{'type': 'extra_forbidden', 'loc': ('body', 'seed')}]\"}"),
    ("reasoning_effort", "Unrecognized request argument supplied: reasoning_effort"),
    ("thinking", "thinking: Extra inputs are not permitted"),
    ("tool_stream", "Unknown parameter: 'tool_stream'"),
    (
        "reasoning_effort",
        json.dumps({"error": {"message": "Provider returned error", "metadata": {"raw": WITHIN}}}),
    ),
]
SENT: dict[str, Any] = {"max_tokens": 900, "temperature": 0.2, "top_p": 0.9, "seed": 3}


@pytest.mark.parametrize(("name", "words"), NAMED)
async def test_g2_13_a_parameter_refused_by_name_is_switched_once_for_the_run(name: str, words: str) -> None:
    journal = MemoryJournal()
    sent = {key: value for key, value in SENT.items() if key == name or name != "top_p" or key != "temperature"}
    extra = {} if name in SENT else {name: "low"}
    async with strict(refusing(name, words)) as peer, calling(FakeTime()) as client:
        model = entry(peer.url)
        setting = Setting("m-1", sent, (), None, extra)
        for turn in range(5):
            request = build_request(setting, [{"role": "user", "content": f"turn {turn}"}], 0, with_tools=False)
            done = await client.call(model, request, Place(KEY, 0, turn), journal)
            assert isinstance(done.outcome, Reply)
        assert peer.refusals == 1
        kept = set(sent) | set(extra) | {"model", "messages"}
        renamed = {"max_completion_tokens"} if name == "max_tokens" else set()
        assert set(peer.bodies[-1]) == (kept - {name}) | renamed
    assert [record.error_class for record in journal.records] == ["bad_request", *[""] * 5]
    assert len(journal.switches) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("temperature", "temperature must be between 0 and 2"),
        ("temperature", "Invalid value for 'temperature': must be less than or equal to 1"),
        ("top_p", "top_p: Input should be greater than 0"),
        ("max_tokens", "max_tokens is too large: 99999. This model supports at most 16384 completion tokens."),
        ("max_tokens", "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
        ("max_tokens", "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens"),
        ("seed", "seed: expected an integer"),
        ("seed", "Something went wrong with your request."),
    ],
)
async def test_g2_13_a_complaint_about_a_value_is_no_switch_and_is_not_sent_again(name: str, words: str) -> None:
    journal = MemoryJournal()
    async with strict(refusing(name, words)) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url), requested(**SENT), PLACE, journal)
        assert len(peer.bodies) == 1
    assert isinstance(done.outcome, CallFailure)
    assert (done.outcome.error_class, done.outcome.attempts) == ("bad_request", 1)
    assert words[:20] in done.outcome.message
    assert journal.switches == {}


async def test_g2_13_a_choice_of_values_for_a_wish_of_the_file_is_no_switch() -> None:
    words = "Unsupported value: 'reasoning_effort' does not support 'minimal'. Supported values are: 'low' and 'high'."
    setting = Setting("m-1", {}, (), None, {"reasoning_effort": "minimal"})
    request = build_request(setting, [{"role": "user", "content": "x"}], 0, with_tools=False)
    async with strict(refusing("reasoning_effort", words)) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url), request, PLACE, MemoryJournal())
        assert len(peer.bodies) == 1
    assert isinstance(done.outcome, CallFailure)


async def test_g2_13_ten_calls_in_flight_learn_once_and_none_of_them_fails() -> None:
    journal, learnt = MemoryJournal(), []
    gate = asyncio.Event()

    class Counting(MemoryJournal):
        async def learn(self, model: str, switches: Switches) -> None:
            learnt.append(switches.text())
            await super().learn(model, switches)

    journal = Counting()
    waiting = 0

    async def held(request: web.Request) -> web.Response:
        nonlocal waiting
        body = json.loads(await request.read())
        if "max_tokens" in body:
            waiting += 1
            if waiting == 10:
                gate.set()
            await gate.wait()
            return web.json_response({"error": {"message": "max_tokens is not supported"}}, status=400)
        return web.Response(text=said("fine").body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", held)
    async with running(app) as url, calling(FakeTime()) as client:
        model = entry(url)
        calls = [client.call(model, requested(n, max_tokens=9), Place(KEY, 0, n), journal) for n in range(10)]
        done = await asyncio.gather(*calls)
        assert all(isinstance(one.outcome, Reply) for one in done)
        again = await client.call(model, requested(99, max_tokens=9), Place(KEY, 0, 99), journal)
    assert isinstance(again.outcome, Reply)
    assert learnt == ['{"token_parameter":"max_completion_tokens"}']
    assert waiting == 10
    assert sum(record.error_class == "bad_request" for record in journal.records) == 10


async def test_g2_13_several_parameters_are_learnt_one_after_another_within_one_call() -> None:
    def refuses(body: dict[str, Any]) -> str | None:
        for name in ("max_tokens", "temperature", "top_p", "seed"):
            if name in body:
                return f"Unsupported parameter: '{name}' is not supported with this model."
        return None

    journal = MemoryJournal()
    async with strict(refuses) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url, retries={"attempts": 1}), requested(**SENT), PLACE, journal)
        assert sorted(peer.bodies[-1]) == ["max_completion_tokens", "messages", "model"]
    assert isinstance(done.outcome, Reply)
    assert [record.attempt for record in journal.records] == [1, 2, 3, 4, 5]
    assert [record.final for record in journal.records] == [False] * 4 + [True]


async def test_g2_13_a_server_that_refuses_both_names_of_the_limit_gets_none() -> None:
    def refuses(body: dict[str, Any]) -> str | None:
        sent = [name for name in ("max_tokens", "max_completion_tokens") if name in body]
        return f"Unrecognized request argument supplied: {sent[0]}" if sent else None

    async with strict(refuses) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url), requested(max_tokens=9), PLACE, MemoryJournal())
        assert [sorted(body) for body in peer.bodies][-1] == ["messages", "model"]
    assert isinstance(done.outcome, Reply)


async def test_g2_13_what_was_learnt_is_in_every_record_and_starts_the_next_process() -> None:
    words = "max_tokens unsupported, use max_completion_tokens"
    journal = MemoryJournal()
    async with strict(refusing("max_tokens", words)) as peer:
        async with calling(FakeTime()) as client:
            await client.call(entry(peer.url), requested(max_tokens=9), PLACE, journal)
        assert [read_switches(record.switches).token_parameter for record in journal.records] == [
            "",
            "max_completion_tokens",
        ]
        time, keys = FakeTime(), Keys({"CANARY_KEY": CANARY})
        resumed = ModelClient(keys, LocalGovernor({}, time.clock), Surroundings(), dict(journal.switches))
        await resumed.call(entry(peer.url), requested(1, max_tokens=9), PLACE, journal)
        await resumed.close()
        assert peer.refusals == 1


async def test_g2_13_what_one_model_refuses_is_not_held_against_another() -> None:
    words = "max_tokens unsupported, use max_completion_tokens"

    def refuses(body: dict[str, Any]) -> str | None:
        return words if body["model"] == "new" and "max_tokens" in body else None

    async with strict(refuses) as peer, calling(FakeTime()) as client:
        for label in ("new", "old"):
            request = build_request(Setting(label, {"max_tokens": 9}, ()), [{"role": "user", "content": "x"}], 0, False)
            await client.call(entry(peer.url, label=label, model=label), request, PLACE, MemoryJournal())
        assert "max_tokens" in peer.bodies[-1]


async def test_g2_13_a_server_that_refuses_everything_is_a_bad_request_after_a_bounded_number_of_requests() -> None:
    extra = {f"option_{number}": 1 for number in range(30)}
    setting = Setting("m-1", {}, (), None, extra)
    request = build_request(setting, [{"role": "user", "content": "x"}], 0, with_tools=False)

    def refuses(body: dict[str, Any]) -> str:
        return f"Unknown parameter: '{next(iter(sorted(set(body) - {'model', 'messages'})))}'"

    journal = MemoryJournal()
    async with strict(refuses) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url), request, PLACE, journal)
        assert len(peer.bodies) == SWITCHES_MOST + 1
        assert len({json.dumps(body) for body in peer.bodies}) == len(peer.bodies)
    assert isinstance(done.outcome, CallFailure)


async def test_g2_13_the_digest_of_a_request_does_not_change_with_what_is_learnt() -> None:
    journal = MemoryJournal()
    async with strict(refusing("max_tokens", "max_tokens is not supported")) as peer, calling(FakeTime()) as client:
        await client.call(entry(peer.url), requested(max_tokens=9), PLACE, journal)
    assert len({record.digest for record in journal.records}) == 1


@pytest.mark.parametrize(
    "words",
    [
        "This response_format type is unavailable now",
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "Invalid schema for response_format 'decision': In context=(), 'required' is required to be supplied",
        '{"error": {"message": "Bad value.", "param": "response_format"}}',
    ],
)
async def test_g2_13_a_refused_format_steps_down_and_the_decision_is_read_all_the_same(words: str) -> None:
    async with strict(refusing("response_format", words)) as peer, calling(FakeTime()) as client:
        model = entry(peer.url, response_format="json_schema")
        outcome = await ModelAgent(model, client, MemoryJournal(), AgentOptions(tool_turns=0)).decide(
            opening_observation(), KEY
        )
        kinds = [body.get("response_format", {}).get("type") for body in peer.bodies]
    assert kinds == ["json_schema", "json_object", None]
    assert isinstance(outcome, Proposal)
    assert outcome.status == "clean"


@pytest.mark.parametrize("words", ["tool_choice is not supported", "m-1 does not support this tool_choice"])
async def test_g2_13_a_refused_tool_choice_leaves_the_tools_out_and_is_not_asked_again(words: str) -> None:
    async with strict(refusing("tool_choice", words)) as peer, calling(FakeTime()) as client:
        model = entry(peer.url, quirks={"last_turn": "forbid"})
        for _ in range(2):
            agent = ModelAgent(model, client, MemoryJournal(), AgentOptions(tool_turns=0))
            assert isinstance(await agent.decide(opening_observation(), KEY), Proposal)
        assert ["tools" in body for body in peer.bodies] == [True, False, False]


THOUGHT = {"role": "assistant", "content": "", "reasoning_content": "Stocks are low."}


def thinking(call_id: str = "a", **more: Any) -> Answer:
    row = {"id": call_id, "type": "function", "function": {"name": "get_finance", "arguments": "{}"}}
    return Answer(completion({**THOUGHT, "tool_calls": [row], **more}, "tool_calls"))


def _echoed(bodies: list[Any], field: str = "reasoning_content") -> list[bool]:
    return [field in message for message in bodies[-1]["messages"] if message["role"] == "assistant"]


@pytest.mark.parametrize(("echo", "expected"), [("auto", True), ("echo", True), ("drop", False)])
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_details"])
async def test_g2_17_reasoning_goes_back_or_not_as_the_models_file_says(echo: str, expected: bool, field: str) -> None:
    reply = called(("a", "get_finance"), **{field: [{"text": "hm"}] if field.endswith("details") else "hm"})
    journal = MemoryJournal()
    async with serving([reply, said(GOOD)]) as peer, calling(FakeTime()) as client:
        await ModelAgent(entry(peer.url, reasoning_echo=echo), client, journal).decide(opening_observation(), KEY)
        assert _echoed(peer.bodies, field) == [expected]
    assert field in journal.records[0].reply


@pytest.mark.parametrize(
    ("start", "wants", "words"),
    [
        ("auto", False, "Please remove the reasoning_content from your message"),
        ("auto", False, "messages.2.reasoning_content: Extra inputs are not permitted"),
        ("echo", False, "'messages.2' : property 'reasoning_content' is unsupported"),
        ("drop", True, "The `reasoning_content` in the thinking mode must be passed back to the API."),
        ("drop", True, "Missing `reasoning_content` field in the assistant message at message index 2."),
        ("drop", True, "messages[2].reasoning_content is required"),
    ],
)
async def test_g2_17_the_named_refusal_turns_the_echo_once_and_the_decision_goes_on(
    start: str, wants: bool, words: str
) -> None:
    def refuses(body: dict[str, Any]) -> str | None:
        said_back = ["reasoning_content" in each for each in body["messages"] if each["role"] == "assistant"]
        return words if said_back and (wants not in said_back or (not wants) in said_back) else None

    journal = MemoryJournal()
    answers = iter([thinking("a"), thinking("b"), said(GOOD)])

    class Thinking(Strict):
        async def handle(self, request: web.Request) -> web.Response:
            given = await super().handle(request)
            return (
                given if given.status == 400 else web.Response(text=next(answers).body, content_type="application/json")
            )

    peer = Thinking(refuses)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", peer.handle)
    async with running(app) as url, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(url, reasoning_echo=start), client, journal).decide(opening_observation(), KEY)
    assert isinstance(outcome, Proposal)
    assert outcome.status == "clean"
    assert peer.refusals == 1
    assert [switches.reasoning for switches in journal.switches.values()] == ["echo" if wants else "drop"]


async def test_g2_17_a_server_that_turns_its_mind_back_is_a_bad_request_and_no_endless_game() -> None:
    sides = iter([None, "remove the reasoning_content", *["reasoning_content must be passed back"] * 20])
    peer = Strict(lambda body: next(sides))
    first = thinking()

    async def handle(request: web.Request) -> web.Response:
        given = await peer.handle(request)
        return given if given.status == 400 else web.Response(text=first.body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    async with running(app) as url, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(url), client, MemoryJournal()).decide(opening_observation(), KEY)
    assert isinstance(outcome, InfraFailure)
    assert outcome.failure.error_class == "bad_request"
    assert len(peer.bodies) == 3
    assert len({json.dumps(body) for body in peer.bodies}) == 3


SIGNED_CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "get_finance", "arguments": '{ "parts" : [ "limits" ] }'},
    "extra_content": {"google": {"thought_signature": "abc+/=\u2028\U0001f33e"}},
}


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "tool_calls": [SIGNED_CALL]},
        {
            "content": "",
            "tool_calls": [SIGNED_CALL],
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "x=="}],
        },
        {"content": [{"type": "text", "text": "hm", "signature": "s"}], "tool_calls": [SIGNED_CALL]},
        {
            "content": "x",
            "tool_calls": [SIGNED_CALL, {**SIGNED_CALL, "id": "b", "index": 1}],
            "extra_content": {"v": 1},
        },
        {
            "content": "x",
            "tool_calls": [{**SIGNED_CALL, "big": 2**70, "small": 1e-300}],
            "annotations": [],
            "audio": None,
        },
    ],
)
async def test_g2_19_an_assistants_message_goes_back_as_it_came_also_after_a_resume(message: dict[str, Any]) -> None:
    given = {"role": "assistant", **message}
    first = Answer(completion(given, "tool_calls"))
    journal = MemoryJournal()
    async with serving([first, Answer('{"error": {"message": "gone"}}', 404)]) as peer, calling(FakeTime()) as client:
        await ModelAgent(entry(peer.url), client, journal).decide(opening_observation(), KEY)
        before = peer.bodies[1]["messages"]
    assert before[2] == given
    async with serving([said(GOOD)]) as peer, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(peer.url), client, journal).decide(opening_observation(), KEY)
        assert [body["messages"] for body in peer.bodies] == [before]
    assert isinstance(outcome, Proposal)
    assert outcome.decision == DECISION


LONG = [{"role": "user", "content": "x" * 900_000}]


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_g2_23_a_large_request_that_is_refused_without_a_word_is_too_long_and_is_sent_once(status: int) -> None:
    request = build_request(Setting("m-1", {}, ()), LONG, 0, with_tools=False)
    async with serving([Answer("", status), said("never")]) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url), request, PLACE, MemoryJournal())
        assert len(peer.bodies) == 1
    assert isinstance(done.outcome, CallFailure)
    assert done.outcome.error_class == "context_overflow"


async def test_g2_23_a_small_request_that_is_refused_without_a_word_is_a_bad_request_and_is_sent_once() -> None:
    async with serving([Answer("", 400), said("never")]) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url), requested(), PLACE, MemoryJournal())
        assert len(peer.bodies) == 1
    assert isinstance(done.outcome, CallFailure)
    assert done.outcome.error_class == "bad_request"


OVERFLOWS = [
    (400, {"error": {"code": "context_length_exceeded", "message": "maximum context length is 8192 tokens"}}),
    (
        400,
        {"error": {"type": "exceed_context_size_error", "message": "exceeds", "n_ctx": 8192, "n_prompt_tokens": 9000}},
    ),
    (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}}),
    (400, {"error": {"message": "Range of input length should be [1, 30720]"}}),
    (400, [{"error": {"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."}}]),
    (413, {"error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
    (500, {"error": {"message": "Context size has been exceeded.", "type": "server_error"}}),
    (200, {"error": {"message": "This model's maximum context length is 4096 tokens"}}),
]


@pytest.mark.parametrize(("status", "error"), OVERFLOWS)
async def test_g2_23_tool_answers_are_shortened_once_and_no_request_goes_twice(status: int, error: Any) -> None:
    refused = Answer(json.dumps(error), status)
    journal = MemoryJournal()
    tools = called(("a", "get_demand"), ("b", "get_raw_materials"))
    async with serving([tools, refused, said(GOOD)]) as peer, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(peer.url), client, journal).decide(opening_observation(), KEY)
        sizes = [len(json.dumps(body)) for body in peer.bodies]
        assert sizes[2] < sizes[1]
    assert isinstance(outcome, Proposal)
    assert outcome.events[0].category == "context_compacted"
    assert len({record.digest for record in journal.records}) == 3


async def test_g2_23_a_conversation_that_cannot_be_shortened_ends_the_round_as_infrastructure() -> None:
    refused = Answer(json.dumps(OVERFLOWS[0][1]), 400)
    async with serving([refused]) as peer, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(peer.url), client, MemoryJournal()).decide(opening_observation(), KEY)
        assert len(peer.bodies) == 1
    assert isinstance(outcome, InfraFailure)
    assert outcome.failure.error_class == "context_overflow"


async def test_g2_23_after_one_shortening_a_second_overflow_is_final() -> None:
    refused = Answer(json.dumps(OVERFLOWS[0][1]), 400)
    tools = called(("a", "get_demand"))
    async with serving([tools, refused, tools, refused, said(GOOD)]) as peer, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(peer.url), client, MemoryJournal()).decide(opening_observation(), KEY)
        assert len(peer.bodies) == 4
    assert isinstance(outcome, InfraFailure)


async def test_g2_17_a_wish_for_reasoning_that_is_sent_already_is_no_switch_and_nothing_goes_twice() -> None:
    words = "The `reasoning_content` in the thinking mode must be passed back to the API."
    journal = MemoryJournal()
    async with strict(lambda body: words) as peer, calling(FakeTime()) as client:
        done = await client.call(entry(peer.url), requested(), PLACE, journal)
        assert len(peer.bodies) == 1
    assert isinstance(done.outcome, CallFailure)
    assert journal.switches == {}


async def test_g2_23_what_another_call_has_learnt_meanwhile_sends_nothing_again_that_it_does_not_change() -> None:
    learnt = asyncio.Event()

    async def handle(request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        if "max_tokens" in body:
            return web.json_response({"error": {"message": "max_tokens is not supported"}}, status=400)
        if "max_completion_tokens" in body:
            learnt.set()
            return web.Response(text=said("fine").body, content_type="application/json")
        plain.append(body)
        await learnt.wait()
        return web.json_response({"error": {"message": "no such thing"}}, status=400)

    plain: list[Any] = []
    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    async with running(app) as url, calling(FakeTime()) as client:
        model = entry(url)
        calls = [client.call(model, requested(1), PLACE, MemoryJournal())]
        calls.append(client.call(model, requested(2, max_tokens=9), PLACE, MemoryJournal()))
        refused, answered = await asyncio.gather(*calls)
    assert isinstance(answered.outcome, Reply)
    assert isinstance(refused.outcome, CallFailure)
    assert len(plain) == 1
