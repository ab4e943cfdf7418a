import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from actors.llm.agent import ModelAgent
from actors.llm.calls import DecisionKey
from actors.llm.standin import StandinOptions, create_app, main
from actors.llm.standin_faults import read_faults
from actors.llm.standin_styles import STYLES
from actors.llm.toolbox import standard_toolbox
from ecologies.models import ModelEntry, standin_models
from erpsim.proposal import Proposal
from tests.actors.llm.peers import calling, running
from tests.actors.llm.standin_talks import asked_again, looked_up, opening
from tests.actors.llm.worlds import MemoryJournal, later_observation, opening_observation

AT_ONCE = StandinOptions(delay_s=0.0)


@asynccontextmanager
async def standin(options: StandinOptions = AT_ONCE) -> AsyncIterator[tuple[str, aiohttp.ClientSession]]:
    async with running(create_app(options)) as url, aiohttp.ClientSession() as session:
        yield url, session


async def post(session: aiohttp.ClientSession, url: str, body: Any, **options: Any) -> tuple[int, Any]:
    async with session.post(f"{url}/chat/completions", json=body, **options) as response:
        return response.status, json.loads(await response.text())


async def get(session: aiohttp.ClientSession, url: str) -> Any:
    async with session.get(url) as response:
        return await response.json()


def panel(url: str) -> tuple[ModelEntry, ...]:
    return standin_models(url).entries


async def test_the_panel_decides_over_http_and_every_model_uses_a_tool() -> None:
    journal = MemoryJournal()
    outcomes: list[Proposal] = []
    async with standin() as (url, session), calling() as client:
        for seat, model in enumerate(panel(url)):
            for seen in (opening_observation(), later_observation()):
                key = DecisionKey("arena/P900", seat, seen.round_number)
                outcome = await ModelAgent(model, client, journal).decide(seen, key)
                assert isinstance(outcome, Proposal), outcome
                outcomes.append(outcome)
        stats = await get(session, url.removesuffix("/v1") + "/stats")
    assert all(outcome.usage.tool_calls >= 1 for outcome in outcomes)
    assert sum(outcome.decision is not None for outcome in outcomes) >= 10
    assert stats["replies"] == stats["requests"] == len(journal.records)
    assert set(stats["replies_by_model"]) == set(STYLES)
    assert {outcome.usage.route.split("|")[2] for outcome in outcomes} == {"stand-in"}
    assert all(outcome.usage.cost_usd == 0.0 for outcome in outcomes)


async def test_models_and_health_are_told_and_the_models_are_the_keyless_panel() -> None:
    async with standin() as (url, session):
        listed = await get(session, f"{url}/models")
        assert [row["id"] for row in listed["data"]] == [model.model for model in panel(url)]
        assert await get(session, url.removesuffix("/v1") + "/health") == {"status": "ok"}


async def test_what_is_no_request_is_refused_with_a_reason() -> None:
    async with standin() as (url, session):
        status, answer = await post(session, url, {"model": "gpt", "messages": []})
        assert (status, answer["error"]["code"]) == (404, "model_not_found")
        assert "standin/a" in answer["error"]["message"]
        bodies: tuple[Any, ...] = ([], {"model": "standin/a"}, {"model": "standin/a", "messages": [], "stream": True})
        for body in bodies:
            status, answer = await post(session, url, body)
            assert status == 400
            assert answer["error"]["message"]
        stats = await get(session, url.removesuffix("/v1") + "/stats")
    assert (stats["refused"], stats["replies"]) == (4, 0)


async def test_equal_requests_get_equal_bytes_whatever_came_between() -> None:
    first = {"model": "standin/d", "messages": opening(opening_observation()), "tools": []}
    other = {"model": "standin/a", "messages": opening(later_observation()), "tools": []}
    async with standin() as (url, session):
        answers = [await post(session, url, body) for body in (first, other, first)]
    assert answers[0] == answers[2]


async def test_a_request_may_ask_for_a_fault_by_header_or_query() -> None:
    body = {"model": "standin/a", "messages": []}
    async with standin() as (url, session):
        status, _ = await post(session, url, body, headers={"X-Standin-Fault": "500"})
        assert status == 500
        async with session.post(f"{url}/chat/completions?fault=429", json=body) as response:
            assert (response.status, response.headers["Retry-After"]) == (429, "1")
        status, answer = await post(session, url, body, headers={"X-Standin-Fault": "418"})
        assert status == 400
        assert "kinds" in answer["error"]["message"]
        stats = await get(session, url.removesuffix("/v1") + "/stats")
        assert stats["faults"] == {"500": 1, "429": 1}
        status, _ = await post(session, url, body, headers={"X-Standin-Fault": "500=0.0", "X-Attempt": "7"})
        assert status == 200


async def test_a_decision_goes_wrong_in_one_way_also_when_it_is_asked_for_again() -> None:
    seen = opening_observation()
    tools = list(standard_toolbox().offered())
    texts = {}
    async with standin(StandinOptions(delay_s=0.0, faults=read_faults(["no_json_always=0.5"]))) as (url, session):
        for number in range(12):
            said = []
            for messages in (looked_up(seen), asked_again(seen)):
                messages[1] = {**messages[1], "content": f"{messages[1]['content']}\nNote {number}."}
                body = {"model": "standin/b", "messages": messages, "tools": tools}
                said.append((await post(session, url, body))[1]["choices"][0]["message"]["content"])
            texts[number] = ["{" not in text for text in said]
    assert {tuple(wrong) for wrong in texts.values()} == {(True, True), (False, False)}


async def started(*arguments: str, stdin: int | None = None) -> asyncio.subprocess.Process:
    command = (sys.executable, "-m", "actors.llm.standin", *arguments)
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, stdin=stdin, stdout=pipe, stderr=pipe)


async def port_of(process: asyncio.subprocess.Process) -> int:
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    assert line.startswith("listening "), line
    return int(line.split()[1])


@pytest.mark.slow
async def test_the_command_says_its_port_refuses_one_in_use_and_ends_with_its_parent() -> None:
    process = await started("--port", "0", "--delay", "0", "--until-stdin-closes", stdin=asyncio.subprocess.PIPE)
    try:
        port = await port_of(process)
        async with aiohttp.ClientSession() as session:
            assert await get(session, f"http://127.0.0.1:{port}/health") == {"status": "ok"}
        second = await started("--port", str(port))
        _, complaint = await second.communicate()
        assert second.returncode == 2
        assert complaint.decode() == f"error: port {port} is in use; choose another one, or 0 for any that is free\n"
        assert process.stdin is not None
        process.stdin.close()
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_a_wrong_fault_is_told_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--fault", "418"]) == 2
    assert capsys.readouterr().err.startswith("error: fault '418' is none; write KIND=CHANCE")


def test_styles_are_six_labelled_and_different() -> None:
    assert list(STYLES) == [f"standin/{letter}" for letter in "abcdef"]
    assert len({style.character for style in STYLES.values()}) == 6
    assert all(sum(style.defects.values()) < 0.5 for style in STYLES.values())
    with pytest.raises(TypeError):
        STYLES["standin/g"] = STYLES["standin/a"]  # type: ignore[index]
