"""Several firm actors, one account: what its server sees, in one process and from two shards on Ray."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray

from actors import remote
from actors.assignment import Assignment
from actors.backlog import Backlog
from actors.deciders import Sealed, StandardDeciders
from actors.desk import Desk
from actors.desk_link import RemoteGovernor
from actors.fan_out import Bounds, fan_out
from actors.journal import Journal
from actors.llm.calls import Called, Reply
from actors.llm.client import ModelClient
from actors.llm.keys import Keys
from actors.llm.terms import terms_by_account
from actors.llm.wire import Setting, build_request
from ecologies.model_entry import Limits, ModelEntry, Prices
from ecologies.policy import PolicySpec
from ecologies.solo import solo_market
from ecologies.work import WorkUnit
from tests.actors.counting import Log, counted, serving
from tests.actors.llm.peers import running
from tests.actors.llm.worlds import PLACE, MemoryJournal
from tests.actors.scripts import RUN_ID, short_problems

LABELS = ("standin/a", "standin/b")
REQUEST = build_request(Setting("standin/a", {}, ()), [{"role": "user", "content": "hello"}], 0, with_tools=False)


def entries(url: str, limits: Limits) -> tuple[ModelEntry, ...]:
    retries = {"attempts": 50, "first": 0.01, "longest": 0.02}
    return tuple(
        ModelEntry.model_validate(
            {"label": label, "base_url": url, "model": label, "account": "lab", "limits": limits, "retries": retries}
        )
        for label in LABELS
    )


async def test_two_firm_actors_find_the_servers_limit_together_and_every_call_ends_well() -> None:
    log = Log()
    async with running(counted(log, stands=3, seconds=0.01)) as url:
        models = entries(url, Limits(connections=8))
        desk = Desk(terms_by_account(models))
        await desk.ready()
        clients = [ModelClient(Keys({}), RemoteGovernor(desk, entry.label)) for entry in models]

        async def call(number: int) -> Called:
            entry = models[number % 2]
            return await clients[number % 2].call(entry, REQUEST, PLACE, MemoryJournal())

        done = await asyncio.gather(*(call(number) for number in range(120)))
        for client in clients:
            await client.close()
        (standing,) = await desk.standing()
    assert all(isinstance(called.outcome, Reply) for called in done)
    assert max(log.open) == 3
    assert log.refused > 0
    assert standing.cap < 8
    assert (standing.open, standing.waiting) == (0, 0)


@pytest.fixture
def server() -> Iterator[Log]:
    with serving(seconds=0.05) as log:
        yield log


def work(markets: int) -> tuple[WorkUnit, ...]:
    return tuple(
        WorkUnit(solo_market(problem.problem_id, PolicySpec("model", label), 0), problem)
        for problem in short_problems(markets // 2, horizon=2)
        for label in LABELS
    )


@pytest.mark.ray
@pytest.mark.slow
def test_two_shards_never_ask_more_of_an_account_than_it_allows_also_when_actors_are_lost(
    ray_up: None, server: Log, tmp_path: Path
) -> None:
    units = work(markets=8)
    limits = Limits(connections=3, requests_per_minute=25)
    deciders = StandardDeciders(entries(server.url, limits), Sealed({}), shards=2)
    node = remote.alive_nodes()[0]
    common = remote.Common(deciders.shared_terms())
    cast = remote.start_cast(tmp_path, Assignment(RUN_ID, units), deciders.at, [node, node], common)
    remote.await_cast(cast, 120.0)
    victims = [cast.shards[0].firms["model standin/a"], cast.desk]

    def kill_in_turn(in_flight: int) -> bool:
        if victims and len(server.at) > 10 * (3 - len(victims)):
            ray.kill(victims.pop(0), no_restart=False)
        return False

    try:
        backlog = Backlog(units, fresh=True, tries=3)
        fan_out(cast, backlog, Assignment(RUN_ID, units), Bounds(8, kill_in_turn))
    finally:
        remote.end_cast(cast, 10.0)
    assert backlog.given_up == []
    assert victims == []
    assert len(server.at) > 25
    assert max(server.open) <= 3
    assert server.most_within(60.0) <= 25


@pytest.mark.ray
def test_once_a_budget_is_spent_open_calls_end_journaled_and_no_other_starts(
    ray_up: None, server: Log, tmp_path: Path
) -> None:
    units = work(markets=16)
    deciders = StandardDeciders(dear(entries(server.url, Limits(connections=2))), Sealed({}))
    common = remote.Common(deciders.shared_terms(), budget_usd=2.0)  # a call or two
    cast = remote.start_cast(tmp_path, Assignment(RUN_ID, units), deciders.at, remote.alive_nodes()[:1], common)
    remote.await_cast(cast, 120.0)

    def spent(in_flight: int) -> bool:
        return bool(remote.ask(cast.audit.snapshot.remote(), 60.0).reckoned_usd >= 2.0)

    try:
        fan_out(cast, Backlog(units, fresh=True, tries=3), Assignment(RUN_ID, units), Bounds(16, spent))
        remote.stop_calls(cast, 60.0, lambda: False)
        asked = len(server.at)
    finally:
        remote.end_cast(cast, 10.0)
    journal = Journal(tmp_path / "journal.db", writable=False)
    totals, failures = journal.call_totals(), list(journal.rows("failures"))
    journal.close()
    assert len(server.at) == asked == totals.calls
    assert asked < 32  # a call for each decision, at least
    assert totals.cost_usd is not None
    assert totals.cost_usd >= 2.0
    assert failures == []


@pytest.mark.ray
def test_g2_03_a_spent_quota_ends_the_calls_of_its_account_and_the_other_models_play_on(
    ray_up: None, server: Log, tmp_path: Path
) -> None:
    units = work(markets=8)
    server.quotas = {"standin/b": 3}
    models = entries(server.url, Limits(connections=2))
    poor, rich = models[1], models[0].model_copy(update={"account": "own"})
    deciders = StandardDeciders((rich, poor), Sealed({}), shards=2)
    node = remote.alive_nodes()[0]
    cast = remote.start_cast(
        tmp_path, Assignment(RUN_ID, units), deciders.at, [node, node], remote.Common(deciders.shared_terms())
    )
    remote.await_cast(cast, 120.0)
    assert cast.desk is not None
    try:
        backlog = Backlog(units, fresh=True, tries=3, accounts={"standin/a": "own", "standin/b": "lab"})
        fan_out(cast, backlog, Assignment(RUN_ID, units), Bounds(2, lambda _: False))
        progress = remote.ask(cast.audit.snapshot.remote(), 60.0)
        standing = {each.account: each for each in remote.ask(cast.desk.standing.remote(), 60.0)}
    finally:
        remote.end_cast(cast, 10.0)
    assert {end.market_id for end in backlog.given_up} == {unit.market.market_id for unit in units[1::2]}
    assert {end.cause for end in backlog.given_up} == {"quota"}
    assert (progress.markets_done, progress.markets_failed, progress.quota_spent) == (4, 4, ("standin/b",))
    assert standing["lab"].stopped == "quota"
    assert server.asked["standin/b"] <= 3 + 2  # no more than were open when the first was refused


def dear(models: tuple[ModelEntry, ...]) -> tuple[ModelEntry, ...]:
    """The same for so much money that a few calls spend a budget."""
    prices = Prices(input=200.0, cached=200.0, output=200.0, reasoning=200.0)
    return tuple(entry.model_copy(update={"prices": prices}) for entry in models)
