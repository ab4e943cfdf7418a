"""What a client that trusts nothing sees of each fault of the network, read with a plain session."""

import asyncio
import json
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import pytest

from actors.llm.standin import StandinOptions, create_app
from actors.llm.standin_kinds import NETWORK
from actors.llm.standin_network import _PLAYED, CANNED, PARAMETERS
from tests.actors.llm.peers import running
from tests.actors.llm.standin_talks import opening
from tests.actors.llm.worlds import opening_observation

PARAMETER_VALUES = {"max_tokens": 900, "temperature": 0.2, "response_format": {"type": "json_object"}}


def request(**more: Any) -> dict[str, Any]:
    return {"model": "standin/a", "messages": opening(opening_observation()), **more}


class Seen:
    """One answer, and what the server counted afterwards."""

    def __init__(self, response: aiohttp.ClientResponse, body: bytes, stats: dict[str, Any]) -> None:
        self.status, self.headers, self.body, self.stats = response.status, response.headers, body, stats

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)["error"]
        return found


async def see(fault: str, body: dict[str, Any] | None = None, **options: Any) -> Seen:
    app = create_app(StandinOptions(delay_s=0.0, **options))
    async with running(app) as url, aiohttp.ClientSession() as session:
        headers = {"X-Standin-Fault": fault}
        async with session.post(f"{url}/chat/completions", json=body or request(), headers=headers) as response:
            raw = await response.read()
        async with session.get(url.removesuffix("/v1") + "/stats") as status:
            return Seen(response, raw, await status.json())


def test_every_kind_is_played_in_one_way() -> None:
    assert set(CANNED) | set(_PLAYED) == set(NETWORK)
    assert not set(CANNED) & set(_PLAYED)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("429", 429),
        ("429_date", 429),
        ("429_bare", 429),
        ("quota", 429),
        ("500", 500),
        ("502", 502),
        ("503", 503),
        ("529", 529),
        ("502_html", 502),
        ("html", 200),
        ("empty_choices", 200),
        ("error_200", 200),
        ("401", 401),
        ("403", 403),
        ("key_400", 400),
        ("404", 404),
        ("filter_400", 400),
    ],
)
async def test_a_fault_that_is_an_answer_has_its_status_and_is_counted_as_no_reply(kind: str, status: int) -> None:
    seen = await see(kind)
    assert seen.status == status
    assert (seen.stats["faults"], seen.stats["replies"], seen.stats["refused"]) == ({kind: 1}, 0, 0)
    assert seen.headers["Content-Type"].startswith("text/html") == kind.endswith("html")


async def test_a_rate_limit_asks_for_seconds_a_date_or_nothing() -> None:
    assert (await see("429", retry_after_s=3)).headers["Retry-After"] == "3"
    moment = parsedate_to_datetime((await see("429_date", retry_after_s=3)).headers["Retry-After"])
    assert moment.utcoffset() is not None
    for kind in ("429_bare", "quota", "503"):
        assert "Retry-After" not in (await see(kind)).headers
    assert (await see("quota")).error["code"] == "insufficient_quota"


@pytest.mark.parametrize(
    ("kind", "content_type"), [("text_plain", "text/plain"), ("octet_stream", "application/octet-stream")]
)
async def test_a_good_answer_under_another_content_type_is_a_reply(kind: str, content_type: str) -> None:
    seen = await see(kind)
    assert seen.headers["Content-Type"].startswith(content_type)
    assert json.loads(seen.body)["choices"]
    assert (seen.stats["faults"], seen.stats["replies"]) == ({kind: 1}, 1)


async def test_a_body_that_drips_comes_whole() -> None:
    seen = await see("drip")
    assert json.loads(seen.body)["choices"]
    assert seen.headers["Content-Length"] == str(len(seen.body))
    assert (seen.stats["faults"], seen.stats["replies"]) == ({"drip": 1}, 1)


async def test_a_connection_is_cut_before_or_within_the_body() -> None:
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await see("reset")
    with pytest.raises(aiohttp.ClientPayloadError):
        await see("half")


async def test_a_server_may_never_answer() -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(see("hang"), 0.3)


@pytest.mark.parametrize("kind", sorted(PARAMETERS))
async def test_a_parameter_is_refused_by_name_where_it_is_sent(kind: str) -> None:
    name = PARAMETERS[kind]
    value = PARAMETER_VALUES.get(name, "auto")
    seen = await see(kind, request(**{name: value}))
    assert seen.status == 400
    assert seen.error["param"] in (name, None)
    assert name in seen.error["message"]
    spared = await see(kind, request(top_p=0.9))
    assert (spared.status, spared.stats["faults"]) == (200, {})


async def test_a_conversation_overflows_by_its_results_and_as_often_as_is_asked_for() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "get_finance", "arguments": "{}"}}
    results = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    results += [{"role": "tool", "tool_call_id": "c", "content": "{}"}]
    longer, shorter = request(messages=[*request()["messages"], *results]), request()
    shorter["messages"] = [*shorter["messages"], *results[:1], {**results[1], "content": "left out"}]
    app = create_app(StandinOptions(delay_s=0.0))
    headers = {"X-Standin-Fault": "context_overflow@1=1"}
    statuses = []
    async with running(app) as url, aiohttp.ClientSession(headers=headers) as session:
        for body in (request(), longer, shorter, longer):
            async with session.post(f"{url}/chat/completions", json=body) as response:
                statuses.append(response.status)
    assert statuses == [200, 400, 200, 200]


async def test_a_request_that_comes_again_too_early_is_counted() -> None:
    now = [0.0]
    app = create_app(StandinOptions(delay_s=0.0, retry_after_s=2, clock=lambda: now[0]))
    async with running(app) as url, aiohttp.ClientSession(headers={"X-Standin-Fault": "429@2=1"}) as session:
        for moment in (0.0, 1.9, 4.0):
            now[0] = moment
            async with session.post(f"{url}/chat/completions", json=request()) as response:
                assert response.status == (200 if moment == 4.0 else 429)
        async with session.get(url.removesuffix("/v1") + "/stats") as status:
            assert (await status.json())["early"] == 1
