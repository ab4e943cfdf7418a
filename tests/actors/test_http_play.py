"""Policies over HTTP played by the plain actor classes, in this process: what is recorded, and what a resume asks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from actors.deciders import PolicyDecider
from actors.journal_link import JournalRecorder
from actors.llm.http_policy import HttpPolicy
from ecologies.local import play_market
from ecologies.mixed import mixed_market
from ecologies.models import parse_models
from ecologies.policy import Policy, PolicySpec
from ecologies.rules import rule_policy
from ecologies.work import WorkUnit
from erpsim.decision import Decision
from erpsim.observation import Observation
from erpsim.proposal import Proposal
from tests.actors.llm.peers import CANARY, calling, running
from tests.actors.scripts import RUN_ID, Stage, short_problems
from tests.actors.test_stage import finish, played_files, read

MODELS = """
[models."mine"]
policy = "http"
base_url = "{url}/decide"
model = "scripted"
api_key_env = "CANARY_KEY"
retries = {{ attempts = 1 }}
"""
SEATS = (PolicySpec("http", "mine"), PolicySpec("http", "mine"), PolicySpec("rule", "balanced"))


def decision_of(seat: int, round_number: int) -> dict[str, Any]:
    """A decision that differs by seat and round."""
    return {
        "prices": {"NUT-500": 4.0 + 0.1 * seat, "OAT": 1.0} if round_number == 2 else {"NUT-500": 4.2},
        "production": [{"sku": "NUT-500", "quantity": 20_000 + 1_000 * round_number}],
        "purchase_orders": [{"material": "nuts", "quantity": 5_000 + seat}],
    }


class Server:
    """Decides from what it is posted, refuses the (seat, round) that it is told to, and counts."""

    def __init__(self, refuses: tuple[int, int] | None = None) -> None:
        self.refuses = refuses
        self.asked: list[tuple[int, int]] = []

    async def handle(self, request: web.Request) -> web.Response:
        seen = (await request.json())["observation"]
        place = (seen["seat"], seen["round"])
        self.asked.append(place)
        if place == self.refuses:
            return web.Response(status=500, text=f"down, {request.headers['Authorization']}")
        rationale = f"asked with {request.headers['Authorization']}"
        return web.json_response({**decision_of(*place), "rationale": rationale})


@asynccontextmanager
async def served(server: Server, folder: Path) -> AsyncIterator[Stage]:
    """The actors of one market whose seats 0 and 1 are played by a server."""
    app = web.Application()
    app.router.add_post("/v1/decide", server.handle)
    async with running(app) as url, calling() as client:
        (entry,) = parse_models(MODELS.format(url=url), "models.toml").entries

        def decider(spec: PolicySpec, recorder: JournalRecorder) -> HttpPolicy | PolicyDecider:
            if spec.kind == "http":
                return HttpPolicy(entry, client, recorder)
            return PolicyDecider(rule_policy(spec.label))

        yield Stage.build(folder, (unit(),), decider)


def unit() -> WorkUnit:
    (problem,) = short_problems(1)
    return WorkUnit(mixed_market(problem.problem_id, SEATS), problem)


class InProcess:
    """The server's decisions without a server."""

    async def decide(self, observation: Observation) -> Proposal:
        decision = decision_of(observation.seat, observation.round_number)
        decision["prices"].pop("OAT", None)
        return Proposal(Decision.model_validate({**decision, "rationale": "asked with Bearer [key]"}))


async def played_over_http(folder: Path) -> Server:
    """Play the market in one go."""
    server = Server()
    async with served(server, folder) as stage:
        assert (await stage.market.play(unit().market.market_id, True)).status == "done"
        await finish(stage, folder)
    return server


async def test_a_policy_over_http_plays_as_the_same_decisions_in_process(tmp_path: Path) -> None:
    server = await played_over_http(tmp_path)
    assert sorted(server.asked) == [(seat, number) for seat in (0, 1) for number in (1, 2, 3)]
    policies: list[Policy] = [InProcess(), InProcess(), rule_policy("balanced")]
    reference = await play_market(unit().market, unit().problem, policies, RUN_ID)
    expected = {(row.seat, row.round): (row.decision_json, row.valuation) for row in reference.rounds}
    rounds = read(tmp_path, "rounds")
    assert {(row["seat"], row["round"]): (row["decision_json"], row["valuation"]) for row in rounds} == expected
    ours = [row for row in rounds if row["seat"] < 2]
    assert {(row["policy_kind"], row["policy"], row["model"], row["llm_calls"]) for row in ours} == {
        ("http", "mine", "mine", 1)
    }
    dropped = [row for row in read(tmp_path, "events") if row["category"] == "item_dropped"]
    assert [(row["seat"], row["round"], row["code"]) for row in dropped] == [
        (0, 2, "unknown_sku"),
        (1, 2, "unknown_sku"),
    ]
    assert [row["seat"] for row in read(tmp_path, "outcomes")] == [0, 1]


async def test_a_resumed_market_asks_for_no_answer_twice_and_ends_in_the_same_bytes(tmp_path: Path) -> None:
    one, parts = folder_in(tmp_path, "one"), folder_in(tmp_path, "parts")
    await played_over_http(one)
    broken = Server(refuses=(1, 2))
    async with served(broken, parts) as stage:
        end = await stage.market.play(unit().market.market_id, True)
        assert (end.status, end.round_number, end.cause, end.seat) == ("parked", 2, "server", 1)
        await stage.audit.close()
    whole = Server()
    async with served(whole, parts) as stage:
        assert (await stage.market.play(unit().market.market_id, False)).status == "done"
        await finish(stage, parts)
    assert sorted(broken.asked) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert sorted(whole.asked) == [(0, 3), (1, 2), (1, 3)]
    assert played_files(parts) == played_files(one)
    statuses = [(row["seat"], row["round"], row["status"]) for row in read(parts, "calls")]
    assert (1, 2, 500) in statuses
    assert len(statuses) == 7


async def test_the_key_that_a_server_says_back_is_in_no_file_of_the_run(tmp_path: Path) -> None:
    server = Server(refuses=(1, 3))
    async with served(server, tmp_path) as stage:
        await stage.market.play(unit().market.market_id, True)
        await finish(stage, tmp_path)
    kept = contents(tmp_path)
    assert len(kept) > 5
    assert not [content for content in kept if CANARY.encode() in content]
    calls = json.dumps(read(tmp_path, "calls"))
    assert "asked with Bearer [key]" in calls
    assert CANARY not in calls


def folder_in(folder: Path, name: str) -> Path:
    """A new folder in a folder."""
    path = folder / name
    path.mkdir()
    return path


def contents(folder: Path) -> list[bytes]:
    """Every file below a folder."""
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
