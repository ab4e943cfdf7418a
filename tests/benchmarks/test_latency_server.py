import asyncio
import json

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from benchmarks.client import real_request
from benchmarks.governor import Moment, drawn
from benchmarks.latency_server import LatencyServer, Seen
from benchmarks.model_play import busy_share, shared_out
from benchmarks.shards import most_within_a_minute


async def asked(server: LatencyServer, count: int) -> list[int]:
    """Statuses of so many first requests at once."""
    body = {**real_request(), "model": "standin/a"}
    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", server.handle)
    async with TestClient(TestServer(app)) as client:
        answers = await asyncio.gather(*(client.post("/v1/chat/completions", json=body) for _ in range(count)))
        for answer in answers:
            if answer.status == 200:
                message = (await answer.json())["choices"][0]["message"]
                assert message["tool_calls"]
        return sorted(answer.status for answer in answers)


async def test_every_request_is_logged_with_its_times_and_held_back_for_the_latency() -> None:
    server = LatencyServer(0.05)
    assert await asked(server, 2) == [200, 200]
    assert [(seen.model, seen.turn, seen.status) for seen in server.seen] == [("standin/a", 0, 200)] * 2
    assert all(seen.left - seen.came >= 0.05 for seen in server.seen)
    assert json.loads(json.dumps(server.seen))[0] == list(server.seen[0])


async def test_beyond_a_hidden_limit_of_open_requests_the_answer_is_429() -> None:
    assert await asked(LatencyServer(0.2, open_most=2), 5) == [200, 200, 429, 429, 429]


async def test_the_limit_moves_after_a_time() -> None:
    server = LatencyServer(0.2, open_most=1, then=(0.0, 4))
    assert await asked(server, 5) == [200, 200, 200, 200, 429]


def test_connections_are_shared_out_evenly() -> None:
    assert list(shared_out(200).values()) == [34, 34, 33, 33, 33, 33]


def test_two_of_four_connections_that_are_held_half_of_the_time_are_a_quarter_in_use() -> None:
    log = [Seen(0.0, 5.0, "m", 0, 200), Seen(2.0, 7.0, "m", 0, 200)]
    assert busy_share(log, 0.0, 10.0, 4) == pytest.approx(0.25)
    assert busy_share(log, 0.0, 5.0, 2) == pytest.approx(0.8)


def test_a_minute_is_half_open() -> None:
    assert most_within_a_minute([0.0, 30.0, 59.9, 60.0, 61.0]) == 4


def test_the_figure_is_one_svg_with_both_lines() -> None:
    drawing = drawn([Moment(0.0, 8, 8), Moment(5.0, 4, 4), Moment(10.0, 6, 6)], 4, 10.0)
    assert drawing.startswith("<svg ")
    assert drawing.count("<polyline") == 2
    assert drawing.endswith("</svg>\n")
