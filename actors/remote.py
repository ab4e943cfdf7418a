"""The one place where the plain classes become Ray actors, and where Ray's errors become ours."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import ray
from ray.exceptions import RayError, RayTaskError, TaskUnschedulableError

from actors import placement
from actors.addresses import Address, Handle, RemoteAudit, RemoteDesk, RemoteFirm, is_raised, our_error, reason_of
from actors.assignment import Assignment, Stand
from actors.audit import Audit
from actors.budget import Allowance
from actors.collector import collect_seldom
from actors.desk import Desk
from actors.firm import Deciders, Firm
from actors.imports import PACKAGES, check, own_code, probe
from actors.line import Extension, Switchboard
from actors.llm.terms import Terms
from actors.market import Market
from actors.messages import Lost, MarketEnd
from erpsim.errors import RunError

HostDeciders = Callable[[Stand], Deciders]
"""Gives a firm actor what makes its deciders: with the keys that it needs and no other."""
MARKET_ACTOR_LOST: Final = "market_actor_lost"
"""Cause of an interruption that the market actor itself could not tell any more."""
_untyped: Any = ray

LOOK_SECONDS: Final = 0.25
"""Longest time between two looks at whether a wait is to end."""
CALLS_AT_ONCE: Final = 20_000
"""Calls that one actor may have open: they wait for models or for each other, not for a thread."""


@dataclass(frozen=True)
class Common:
    """What all shards of a run share.

    Attributes:
        terms: accounts that the desk governs; empty for none, and then there is no desk.
        budget_usd: money that the run may spend; None for any.
    """

    terms: Mapping[str, Terms] = field(default_factory=dict)
    budget_usd: float | None = None


@dataclass(frozen=True)
class StopCalls:
    """Stops the calls of all firm actors."""

    firms: tuple[RemoteFirm, ...]

    async def __call__(self) -> None:
        """Return once every open call is journaled; an actor that is lost has none."""
        ended = await asyncio.gather(*(firm.stop_calls() for firm in self.firms), return_exceptions=True)
        for failure in ended:
            if isinstance(failure, BaseException) and not isinstance(failure, Lost):
                raise failure


@dataclass(frozen=True)
class Shard:
    """One market actor with its firm actors."""

    name: str
    market: Handle
    firms: dict[str, Handle]

    def play(self, market_id: str, fresh: bool) -> Any:
        """Start a market; the reference that comes back is the end of its play."""
        return self.market.play.remote(market_id, fresh)


@dataclass(frozen=True)
class Cast:
    """All actors of a run."""

    audit: Handle
    shards: tuple[Shard, ...]
    desk: Handle | None = None  # the governor of accounts that several firm actors share
    places: placement.Places | None = None

    def named(self) -> dict[str, Handle]:
        """Every actor by a name that a person can read."""
        actors = {"audit actor": self.audit} | ({} if self.desk is None else {"governor actor": self.desk})
        for shard in self.shards:
            actors[f"market actor of {shard.name}"] = shard.market
            actors |= {f"firm actor {host!r} of {shard.name}": firm for host, firm in shard.firms.items()}
        return actors


def check_workers(seconds: float) -> None:
    """Hold the packages that a worker of each node would import against this process's, before any actor starts.

    Raises:
        RunError: a worker would run other code, or does not start in time; the message names its node.
    """
    look, mine = ray.remote(num_cpus=0, max_retries=2)(probe()), own_code()
    deadline, checked = time.monotonic() + seconds, set[placement.Node]()
    while left := set(placement.nodes()) - checked:
        asked = {
            look.options(scheduling_strategy=placement.on_node(node.identity)).remote(PACKAGES, ""): node
            for node in sorted(left)
        }
        ready, late = ray.wait(list(asked), num_returns=len(asked), timeout=max(0.0, deadline - time.monotonic()))
        for reference in ready:
            with suppress(TaskUnschedulableError):  # it has just left, or joined and is not known everywhere
                check(mine, ray.get(reference), f"a Ray worker on {asked[reference].address}")
                left.remove(asked[reference])
                checked.add(asked[reference])
        if late or (left and time.monotonic() > deadline):
            where = ", ".join(sorted(node.address for node in left))
            raise RunError(f"no Ray worker started within {seconds:g} s on {where}; see what loads it, or the cluster")
        time.sleep(LOOK_SECONDS if left else 0.0)


def start_cast(
    folder: Path,
    assignment: Assignment,
    deciders: HostDeciders,
    nodes: Sequence[str | None],
    common: Common | None = None,
) -> Cast:
    """Start audit actor and desk beside this process, and a shard for each node named; None is any node with CPUs."""
    common = common or Common()
    here = placement.on_node(ray.get_runtime_context().get_node_id())
    space = f"erpbench-{assignment.run_id}-{token_hex(4)}"
    names = [f"shard {number}" for number in range(1, len(nodes) + 1)]
    face = RemoteAudit(Address(space, "audit"))
    firms = {name: {host: RemoteFirm(Address(space, f"{name}, {host}")) for host in assignment.hosts} for name in names}
    allowance = None
    if common.budget_usd is not None:
        allowance = Allowance(
            common.budget_usd, StopCalls(tuple(one for each in firms.values() for one in each.values()))
        )
    audit = _start(Audit, face.address, here).remote(folder.absolute(), assignment, allowance)
    desk_face = RemoteDesk(Address(space, "governor")) if common.terms else None
    desk = None if desk_face is None else _start(Desk, desk_face.address, here).remote(dict(common.terms))
    places, shards = placement.reserve(names, nodes), []
    for name in names:
        started: dict[str, Handle] = {}
        for host, firm in firms[name].items():
            making = deciders(Stand(firm.address.name, assignment.played_by(host), desk_face))
            started[host] = _start(Firm, firm.address, places.at(name)).remote(host, assignment, face, making)
        market = _start(Market, Address(space, f"{name}, market"), places.at(name)).remote(
            assignment, face, firms[name]
        )
        shards.append(Shard(name, market, started))
    return Cast(audit, tuple(shards), desk, places)


def await_cast(cast: Cast, seconds: float, told: Callable[[int, int], None] = lambda _ready, _total: None) -> None:
    """Wait until every actor answers; `told` is called with the number of those that do, and of all, at each one.

    Raises:
        RunError: one does not in time, or cannot be made; the message names it. It is a Lost when its process ended.
    """
    deadline = time.monotonic() + seconds
    if cast.places is not None:
        placement.await_places(cast.places, seconds)
    names = {actor.ready.remote(): name for name, actor in cast.named().items()}
    pending = list(names)
    while pending:
        ready, pending = ray.wait(pending, timeout=max(0.0, deadline - time.monotonic()))
        if not ready:
            break
        _require_started(ready[0], names[ready[0]])
        told(len(names) - len(pending), len(names))
    if pending:
        late = ", ".join(names[reference] for reference in pending)
        have = _untyped.available_resources()
        raise RunError(
            f"not started within {seconds:g} s: {late}; the cluster has {have.get('CPU', 0):g} CPUs and"
            f" {have.get('memory', 0) / 2**30:.1f} GiB free: give it more, or ask for fewer shards"
        )


def _require_started(reference: Any, name: str) -> None:
    try:
        ray.get(reference)
    except RayTaskError as error:
        raise our_error(error) from None
    except RayError as error:
        fault = RunError if is_raised(error) else Lost
        raise fault(f"the {name} cannot start: {reason_of(error)}") from None


def end_cast(cast: Cast, seconds: float) -> None:
    """End all actors, the audit actor last and with its journal closed, and give their places back."""
    for shard in cast.shards:
        for actor in (shard.market, *shard.firms.values()):
            ray.kill(actor)
    if cast.desk is not None:
        ray.kill(cast.desk)
    with suppress(Lost):
        ask(cast.audit.close.remote(), seconds)
    ray.kill(cast.audit)
    if cast.places is not None:
        placement.release(cast.places)


def end_of(reference: Any, market_id: str) -> MarketEnd:
    """How a market's play ended; a market actor that was lost gives an interruption, which is not journaled yet."""
    try:
        end: MarketEnd = ray.get(reference)
    except RayTaskError as error:
        raise our_error(error) from None
    except RayError as error:
        return MarketEnd(market_id, "interrupted", 0, MARKET_ACTOR_LOST, message=reason_of(error))
    return end


def ask(reference: Any, seconds: float) -> Any:
    """Answer of an actor, from outside any event loop.

    Raises:
        Lost: the actor is gone, or does not answer in time.
    """
    try:
        return ray.get(reference, timeout=seconds)
    except RayTaskError as error:
        raise our_error(error) from None
    except RayError as error:
        raise Lost(reason_of(error)) from None


def stop_calls(cast: Cast, seconds: float, given_up: Callable[[], bool]) -> None:
    """Let no further call of a model start, and wait until those that are open are journaled.

    Returns early when that takes too long, or `given_up` says so.
    """
    deadline = time.monotonic() + seconds
    pending = [firm.stop_calls.remote() for shard in cast.shards for firm in shard.firms.values()]
    while pending and time.monotonic() < deadline and not given_up():
        _, pending = ray.wait(pending, num_returns=len(pending), timeout=LOOK_SECONDS)


def alive_nodes() -> list[str]:
    """Ids of the cluster's nodes, this process's first."""
    return [node.identity for node in placement.nodes()]


DIRECT: Final[Mapping[type, frozenset[str]]] = {
    Audit: frozenset({"commit"}),
    Firm: frozenset({"open", "offer", "settle", "close"}),
    Desk: frozenset({"post", "collect"}),
}
"""Methods that a caller on the same node calls by a line: those of every market and round, and of every call."""


def _seated(plain: type) -> type:
    """A class whose object, once made, has Python look for dead cycles seldom, and answers calls by lines."""

    class Seated(plain):  # type: ignore[misc]
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)
            self._switchboard = Switchboard(self, DIRECT.get(plain, frozenset()))
            collect_seldom()

        async def line(self) -> Extension:
            return await self._switchboard.open(ray.get_runtime_context().get_node_id())

    Seated.__name__ = Seated.__qualname__ = plain.__name__
    return Seated


def _start(plain: type, address: Address, where: Any) -> Any:
    return ray.remote(_seated(plain)).options(
        name=address.name,
        namespace=address.namespace,
        num_cpus=0,
        max_restarts=-1,
        max_task_retries=0,
        max_concurrency=CALLS_AT_ONCE,
        scheduling_strategy=where,
    )
