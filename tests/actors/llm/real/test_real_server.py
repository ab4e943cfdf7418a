"""What llama.cpp's own server does to a client: facts of its protocol, met with short prompts."""

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from actors.llm.calls import CallFailure, Reply
from actors.llm.chat import read_reply
from actors.llm.client import ModelClient
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.wire import Message, Request, Setting, build_request, tool_message, tool_schema
from ecologies.models import ModelEntry
from tests.actors.llm.peers import CANARY, completion, entry
from tests.actors.llm.real.children import begun
from tests.actors.llm.real.llama import Llama, arguments, llama, needs_llama
from tests.actors.llm.worlds import PLACE, MemoryJournal

pytestmark = [pytest.mark.slow, *needs_llama]

TOOL = tool_schema(
    "get_demand", "Demand by SKU.", {"type": "object", "properties": {"skus": {"type": "array"}}, "required": ["skus"]}
)
WAITS = {"first": 0.1, "longest": 0.3, "attempts": 100}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    with llama(tmp_path_factory.mktemp("server"), CANARY) as running:
        yield running


@asynccontextmanager
async def calling(key: str = CANARY) -> AsyncIterator[ModelClient]:
    client = ModelClient(Keys({"CANARY_KEY": key}), LocalGovernor({}, time.monotonic))
    try:
        yield client
    finally:
        await client.close()


def model(base_url: str, **changes: Any) -> ModelEntry:
    return entry(base_url, dialect="llama.cpp", **changes)


def asked(*said: Message, max_tokens: int = 40, seed: int = 1) -> Request:
    setting = Setting("any name", {"temperature": 0.7, "seed": seed, "max_tokens": max_tokens}, (TOOL,))
    return build_request(setting, [{"role": "system", "content": "Sell cereal."}, *said], 0, with_tools=True)


def user(text: str) -> Message:
    return {"role": "user", "content": text}


async def test_a_tool_call_of_a_real_model_is_read_and_its_answer_taken_back(server: Llama) -> None:
    journal = MemoryJournal()
    small = model(server.base_url)
    async with calling() as client:
        replies = [await replied(client, small, asked(user("ROUND 1"), seed=seed), journal) for seed in range(8)]
        reply = next(reply for reply in replies if reply.tool_calls)
        assert (reply.tool_calls[0].name, reply.finish_reason) == ("get_demand", "tool_calls")
        assert isinstance(reply.tool_calls[0].arguments, str)
        assert isinstance(json.loads(reply.tool_calls[0].arguments)["skus"], list)
        answers = [tool_message(call.call_id, '{"demand": 9}') for call in reply.tool_calls]
        await replied(client, small, asked(user("ROUND 1"), reply.message, *answers), journal)
    assert all((record.tokens.prompt or 0) > 0 and record.tokens.completion for record in journal.records)


async def test_twenty_calls_one_after_another_need_no_second_attempt(server: Llama) -> None:
    journal = MemoryJournal()
    async with calling() as client:
        for _ in range(20):
            await client.call(model(server.base_url), asked(user("ROUND 1"), max_tokens=2), PLACE, journal)
    assert [(record.attempt, record.error_class) for record in journal.records] == [(1, "")] * 20


async def test_arguments_that_broke_off_would_be_an_error_for_ever_and_go_back_as_an_empty_object(
    server: Llama,
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "get_demand", "arguments": '{"skus": ["NUT'}}
    broken: Message = {"role": "assistant", "content": "", "tool_calls": [call]}
    once = model(server.base_url, retries={"attempts": 1})
    async with calling() as client:
        raw = await client.call(once, asked(user("ROUND 1"), broken, tool_message("c1", "9")), PLACE, MemoryJournal())
        assert isinstance(raw.outcome, CallFailure)
        reply = read_reply(completion(broken, "tool_calls"), 0)
        assert isinstance(reply, Reply)
        ours = asked(user("ROUND 1"), reply.message, tool_message("c1", "9"))
        assert isinstance((await client.call(once, ours, PLACE, MemoryJournal())).outcome, Reply)


async def test_a_prompt_that_is_too_long_is_known_as_such_and_not_sent_again(server: Llama) -> None:
    async with calling() as client:
        request = asked(user("oats " * 9000))
        outcome = (await client.call(model(server.base_url), request, PLACE, MemoryJournal())).outcome
    assert isinstance(outcome, CallFailure)
    assert (outcome.error_class, outcome.status, outcome.attempts) == ("context_overflow", 400, 1)
    assert "8192" in outcome.message


async def test_a_wrong_key_is_known_at_the_first_attempt_and_never_repeated(server: Llama) -> None:
    async with calling("another-key-3f9c") as client:
        outcome = (await client.call(model(server.base_url), asked(user("ROUND 1")), PLACE, MemoryJournal())).outcome
    assert isinstance(outcome, CallFailure)
    assert (outcome.error_class, outcome.status, outcome.attempts) == ("auth", 401, 1)
    assert "CANARY_KEY" in outcome.message
    assert "3f9c" not in outcome.message


async def test_a_server_that_is_killed_in_mid_call_is_a_fault_of_the_network(tmp_path: Path) -> None:
    with llama(tmp_path) as doomed:
        async with calling() as client:
            once = model(doomed.base_url, retries={"attempts": 1})
            going = asyncio.create_task(
                client.call(once, asked(user("ROUND 1"), max_tokens=4000), PLACE, MemoryJournal())
            )
            await until_busy(doomed)
            os.kill(doomed.pid, signal.SIGKILL)
            outcome = (await going).outcome
    assert isinstance(outcome, CallFailure)
    assert outcome.error_class == "network"


async def test_a_server_that_still_loads_is_waited_for(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    journal = MemoryJournal()
    with begun("model", arguments(port), tmp_path / "llama.log"):
        async with calling() as client:
            loading = model(f"http://127.0.0.1:{port}/v1", retries=WAITS)
            outcome = (await client.call(loading, asked(user("ROUND 1")), PLACE, journal)).outcome
    assert isinstance(outcome, Reply), outcome
    *before, last = (record.error_class for record in journal.records)
    assert set(before) <= {"network", "overloaded"}
    assert (len(before) > 0, last) == (True, "")


async def replied(client: ModelClient, entry: ModelEntry, request: Request, journal: MemoryJournal) -> Reply:
    outcome = (await client.call(entry, request, PLACE, journal)).outcome
    assert isinstance(outcome, Reply), outcome
    return outcome


async def until_busy(server: Llama) -> None:
    """Wait until the server works on a request."""
    for _ in range(600):
        if "llamacpp:requests_processing 1" in await asyncio.to_thread(server.metrics):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("no request came")
