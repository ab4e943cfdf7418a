"""Cases of the set-up: a wrong key, a model that is gone, limits of time, and proxies."""

import asyncio
import json
import socket
from typing import Any

import pytest
from aiohttp import web

from actors.llm.agent import ModelAgent
from actors.llm.calls import CallFailure, InfraFailure, Reply
from actors.llm.client import ModelClient, Surroundings
from actors.llm.connections import ALIVE_AFTER_S, open_session
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.wire import Setting, build_request
from tests.actors.llm.peers import CANARY, Answer, FakeTime, calling, entry, running, said, serving
from tests.actors.llm.worlds import KEY, PLACE, MemoryJournal, opening_observation

REQUEST = build_request(Setting("m-1", {}, ()), [{"role": "user", "content": "hello"}], 0, with_tools=False)

REFUSED_KEYS = [
    (401, {"error": {"code": "invalid_api_key", "message": f"Incorrect API key provided: {CANARY}."}}),
    (401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
    (401, ""),
    (401, "<html>Unauthorized</html>"),
    (403, {"error": {"message": "Forbidden", "type": "permission_error"}}),
    (403, ""),
    (400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]),
    (400, [{"error": {"message": "bad", "details": [{"reason": "API_KEY_INVALID"}]}}]),
    (400, {"code": "InvalidApiKey", "message": "Invalid API-key provided."}),
    (200, {"error": {"message": "invalid_api_key"}}),
    (401, {"detail": f"token {CANARY} is unknown"}),
]


@pytest.mark.parametrize(("status", "error"), REFUSED_KEYS)
async def test_g2_21_the_first_refusal_of_a_key_stops_the_account_and_no_queued_call_is_sent(
    status: int, error: Any
) -> None:
    journal = MemoryJournal()
    body = error if isinstance(error, str) else json.dumps(error)
    async with serving([Answer(body, status)]) as peer, calling(FakeTime()) as client:
        model = entry(peer.url)
        first = await client.call(model, REQUEST, PLACE, journal)
        queued = await asyncio.gather(*[client.call(model, REQUEST, PLACE, journal) for _ in range(599)])
        assert len(peer.bodies) == 1
    outcomes = [done.outcome for done in (first, *queued)]
    assert all(isinstance(outcome, CallFailure) and outcome.error_class == "auth" for outcome in outcomes)
    assert isinstance(first.outcome, CallFailure)
    assert first.outcome.message.startswith("model test/model: the key in CANARY_KEY was refused")
    assert CANARY not in repr(outcomes) + repr(journal.records)
    assert len(journal.records) == 1


async def test_g2_21_a_refused_key_is_never_a_models_failure() -> None:
    async with serving([Answer("", 401)]) as peer, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(peer.url), client, MemoryJournal()).decide(opening_observation(), KEY)
    assert isinstance(outcome, InfraFailure)
    assert outcome.failure.error_class == "auth"


async def test_g2_21_another_account_goes_on() -> None:
    async with serving([Answer("", 401), said("fine")]) as peer, calling(FakeTime()) as client:
        await client.call(entry(peer.url), REQUEST, PLACE, MemoryJournal())
        other = await client.call(entry(peer.url, account="other"), REQUEST, PLACE, MemoryJournal())
    assert isinstance(other.outcome, Reply)


GONE = [
    (404, {"error": {"type": "not_found_error", "message": "model: m-1"}}),
    (404, {"error": {"code": "model_not_found", "message": "The model `m-1` does not exist"}}),
    (404, {"error": "model 'm-1' not found"}),
    (404, {"detail": "Not Found"}),
    (404, ""),
    (404, "<html>404</html>"),
    (400, {"error": {"message": "Model Not Exist"}}),
    (400, {"detail": "The model `m-1` does not exist"}),
    (403, {"error": {"message": "Project p does not have access to model m-1", "code": "model_not_found"}}),
    (404, {"error": {"code": "ModelNotOpen", "message": "not activated"}}),
    (404, {"error": {"message": "No endpoints found that support tool use."}}),
]


@pytest.mark.parametrize(("status", "error"), GONE)
async def test_g2_29_a_model_that_is_gone_is_told_by_address_and_name_and_is_asked_once(
    status: int, error: Any
) -> None:
    body = error if isinstance(error, str) else json.dumps(error)
    async with serving([Answer(body, status), said("never")]) as peer, calling(FakeTime()) as client:
        outcome = await ModelAgent(entry(peer.url), client, MemoryJournal()).decide(opening_observation(), KEY)
        assert len(peer.bodies) == 1
        url = peer.url
    assert isinstance(outcome, InfraFailure)
    assert outcome.failure.error_class == "model_not_found"
    assert outcome.failure.message.startswith(f"{url}/chat/completions, model 'm-1': ")


@pytest.mark.parametrize("name", ["connect", "read", "total"])
async def test_g2_31_no_limit_of_the_http_library_is_left_in_force(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    timeouts = {"connect": 15.0, "read": 890.0, "total": 900.0, name: 1234.5}
    async with serving([said("fine")]) as peer, calling(FakeTime()) as client:
        session = client._around.pool.session()
        post = session.post

        def spy(*positional: Any, **named: Any) -> Any:
            given.append(named["timeout"])
            return post(*positional, **named)

        monkeypatch.setattr(session, "post", spy)
        await client.call(entry(peer.url, timeouts=timeouts), REQUEST, PLACE, MemoryJournal())
    assert (given[0].sock_connect, given[0].sock_read, given[0].total) == tuple(timeouts.values())
    assert given[0].connect is None  # the wait for a free connection is the governor's


@pytest.mark.parametrize(
    ("timeouts", "classes"),
    [
        ({"connect": 5.0, "read": 0.05, "total": 5.0}, ["timeout", ""]),
        ({"connect": 5.0, "read": 5.0, "total": 0.05}, ["timeout", ""]),
        ({"connect": 5.0, "read": 5.0, "total": 5.0}, [""]),
    ],
)
async def test_g2_31_each_limit_of_the_model_is_kept(timeouts: dict[str, float], classes: list[str]) -> None:
    answered = 0

    async def slow(request: web.Request) -> web.Response:
        nonlocal answered
        await request.read()
        answered += 1
        if answered == 1:
            await asyncio.sleep(0.5)
        return web.Response(text=said("fine").body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", slow)
    journal = MemoryJournal()
    async with running(app) as url, calling(FakeTime()) as client:
        done = await client.call(entry(url, timeouts=timeouts), REQUEST, PLACE, journal)
    assert isinstance(done.outcome, Reply)
    assert [record.error_class for record in journal.records] == classes


async def test_g2_31_a_silent_connection_says_that_it_is_alive() -> None:
    session = open_session()
    connector = session.connector
    assert connector is not None
    made = connector._socket_factory((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 0)))  # type: ignore[attr-defined]
    try:
        assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        if hasattr(socket, "TCP_KEEPIDLE"):
            assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == ALIVE_AFTER_S
    finally:
        made.close()
        await session.close()


async def called_through(proxies: dict[str, str], base_url: str) -> tuple[Any, MemoryJournal]:
    journal = MemoryJournal()
    time = FakeTime()
    around = Surroundings(proxies=proxies, sleep=time.sleep)
    client = ModelClient(Keys({"CANARY_KEY": CANARY}), LocalGovernor({}, time.clock), around)
    try:
        done = await client.call(entry(base_url, retries={"attempts": 1}), REQUEST, PLACE, journal)
    finally:
        await client.close()
    return done.outcome, journal


@pytest.mark.parametrize("scheme", ["http://", ""])
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_g2_33_hosts_outside_are_reached_through_the_proxy(variable: str, scheme: str) -> None:
    seen: list[str] = []

    async def proxy(request: web.Request) -> web.Response:
        seen.append(str(request.url))
        return web.Response(text=said("through").body, content_type="application/json")

    app = web.Application()
    app.router.add_route("POST", "/{path:.*}", proxy)
    async with running(app) as url:
        address = url.removesuffix("/v1").removeprefix("http://")
        outcome, _ = await called_through({variable: scheme + address}, "http://models.invalid/v1")
    assert isinstance(outcome, Reply)
    assert outcome.text == "through"
    assert seen == ["http://models.invalid/v1/chat/completions"]


@pytest.mark.parametrize("no_proxy", [{}, {"NO_PROXY": "127.0.0.1"}])
async def test_g2_33_a_server_on_loopback_is_reached_directly(no_proxy: dict[str, str]) -> None:
    dead = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9"}
    async with serving([said("direct")]) as peer:
        outcome, _ = await called_through({**dead, **no_proxy}, peer.url)
    assert isinstance(outcome, Reply)
    assert outcome.text == "direct"


async def test_g2_33_the_environment_is_not_read_unless_it_is_handed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    outcome, _ = await called_through({}, "http://models.invalid/v1")
    assert isinstance(outcome, CallFailure)
    assert "models.invalid" in outcome.message


async def test_g2_33_the_password_of_a_proxy_is_in_no_record() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        proxies = {"HTTPS_PROXY": f"http://user:sesame-open@127.0.0.1:{port}"}
        outcome, journal = await called_through(proxies, "https://models.invalid/v1")
    assert isinstance(outcome, CallFailure)
    assert (outcome.error_class, "407" in outcome.message) == ("network", True)
    assert "sesame" not in repr(outcome) + repr(journal.records)


@pytest.mark.parametrize("proxy", ["http://proxy:99999", "http://"])
async def test_g2_33_an_address_of_a_proxy_that_is_none_is_told_and_not_tried_again(proxy: str) -> None:
    outcome, journal = await called_through({"HTTP_PROXY": proxy}, "http://models.invalid/v1")
    assert isinstance(outcome, CallFailure)
    assert len(journal.records) == 1
    assert CANARY not in repr(outcome)
