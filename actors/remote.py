"""The one place where the plain classes become Ray actors, and where Ray's errors become ours."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, NamedTuple, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.assignment import Assignment, hosts_of
from actors.audit import Audit
from actors.firm import Deciders, Firm
from actors.imports import PACKAGES, check, own_code, probe
from actors.journal import Entry
from actors.market import Market
from actors.messages import Ack, FirmFace, History, Lost, MarketEnd, NoOffer
from actors.progress import Progress
from erpsim.errors import ErpbenchError, RunError
from erpsim.offer import Offer, Sales

Answer = TypeVar("Answer")
Handle = Any
"""Handle of an actor; Ray types it loosely."""
HostDeciders = Callable[[str], Deciders]
"""Gives a firm actor, by its name, what makes its deciders: with the keys that it needs and no other."""
MARKET_ACTOR_LOST: Final = "market_actor_lost"
"""Cause of an interruption that the market actor itself could not tell any more."""
_untyped: Any = ray
_RAISED: Final = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Lost): ")

CALLS_AT_ONCE: Final = 20_000
"""Calls that one actor may have open: they wait for models or for each other, not for a thread."""


class Address(NamedTuple):
    """Name of an actor, by which any process of the run finds it; plain data, so it may travel."""

    namespace: str
    name: str


@dataclass(frozen=True)
class RemoteAudit:
    """The audit actor at an address."""

    address: Address

    async def commit(self, entries: Sequence[Entry]) -> None:
        """See `AuditFace`."""
        await _answer(_actor_at(self.address).commit.remote(list(entries)))

    async def committed(self, market_id: str) -> int:
        """See `AuditFace`."""
        return await _answer(_actor_at(self.address).committed.remote(market_id))

    async def history(self, market_id: str, seats: tuple[int, ...]) -> History:
        """See `AuditFace`."""
        return await _answer(_actor_at(self.address).history.remote(market_id, seats))

    async def snapshot(self) -> Progress:
        """See `AuditFace`."""
        return await _answer(_actor_at(self.address).snapshot.remote())


@dataclass(frozen=True)
class RemoteFirm:
    """A firm actor at an address."""

    address: Address

    async def ready(self) -> str:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).ready.remote())

    async def open(self, market_id: str) -> Ack:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).open.remote(market_id))

    async def restore(self, market_id: str) -> Ack:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).restore.remote(market_id))

    async def offer(self, market_id: str, round_number: int) -> tuple[Offer, ...] | NoOffer:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).offer.remote(market_id, round_number))

    async def settle(self, market_id: str, round_number: int, sales: tuple[Sales, ...]) -> Ack:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).settle.remote(market_id, round_number, sales))

    async def close(self, market_id: str) -> Ack:
        """See `FirmFace`."""
        return await _answer(_actor_at(self.address).close.remote(market_id))


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

    def named(self) -> dict[str, Handle]:
        """Every actor by a name that a person can read."""
        actors = {"audit actor": self.audit}
        for shard in self.shards:
            actors[f"market actor of {shard.name}"] = shard.market
            actors |= {f"firm actor {host!r} of {shard.name}": firm for host, firm in shard.firms.items()}
        return actors


def check_workers(seconds: float) -> None:
    """Hold the packages that a worker would import against this process's, before any actor starts.

    Raises:
        RunError: a worker would run other code, or does not start in time.
    """
    reference = ray.remote(num_cpus=0, max_retries=2)(probe()).remote(PACKAGES, "")
    ready, _ = ray.wait([reference], timeout=seconds)
    if not ready:
        raise RunError(f"no Ray worker started within {seconds:g} s; see what loads this machine or the cluster")
    check(own_code(), ray.get(reference), "a Ray worker")


def start_cast(folder: Path, assignment: Assignment, deciders: HostDeciders, nodes: Sequence[str]) -> Cast:
    """Start the audit actor beside this process and one shard on each of the nodes named, one or more a node."""
    here = ray.get_runtime_context().get_node_id()
    space = f"erpbench-{assignment.run_id}-{token_hex(4)}"
    face = RemoteAudit(Address(space, "audit"))
    audit = _start(Audit, face.address, here).remote(folder.absolute(), assignment)
    shards = []
    for number, node in enumerate(nodes, start=1):
        firms: dict[str, Handle] = {}
        faces: dict[str, FirmFace] = {}
        for host in hosts_of(assignment.units):
            address = Address(space, f"shard {number}, {host}")
            firms[host] = _start(Firm, address, node).remote(host, assignment, face, deciders(host))
            faces[host] = RemoteFirm(address)
        market = _start(Market, Address(space, f"shard {number}, market"), node).remote(assignment, face, faces)
        shards.append(Shard(f"shard {number}", market, firms))
    return Cast(audit, tuple(shards))


def await_cast(cast: Cast, seconds: float) -> None:
    """Wait until every actor answers.

    Raises:
        RunError: one does not in time, or cannot be made; the message names it.
    """
    names = {actor.ready.remote(): name for name, actor in cast.named().items()}
    ready, pending = ray.wait(list(names), num_returns=len(names), timeout=seconds)
    for reference in ready:
        try:
            ray.get(reference)
        except RayTaskError as error:
            raise _ours(error) from None
        except RayError as error:
            raise RunError(f"the {names[reference]} cannot start: {_reason(error)}") from None
    if pending:
        late = ", ".join(names[reference] for reference in pending)
        have = _untyped.available_resources()
        raise RunError(
            f"not started within {seconds:g} s: {late}; the cluster has {have.get('CPU', 0):g} CPUs and"
            f" {have.get('memory', 0) / 2**30:.1f} GiB free: give it more, or ask for fewer shards"
        )


def end_cast(cast: Cast, seconds: float) -> None:
    """End all actors, the audit actor last and with its journal closed."""
    for shard in cast.shards:
        for actor in (shard.market, *shard.firms.values()):
            ray.kill(actor)
    with suppress(Lost):
        ask(cast.audit.close.remote(), seconds)
    ray.kill(cast.audit)


def end_of(reference: Any, market_id: str) -> MarketEnd:
    """How a market's play ended; a market actor that was lost gives an interruption, which is not journaled yet."""
    try:
        end: MarketEnd = ray.get(reference)
    except RayTaskError as error:
        raise _ours(error) from None
    except RayError as error:
        return MarketEnd(market_id, "interrupted", 0, MARKET_ACTOR_LOST, message=_reason(error))
    return end


def ask(reference: Any, seconds: float) -> Any:
    """Answer of an actor, from outside any event loop.

    Raises:
        Lost: the actor is gone, or does not answer in time.
    """
    try:
        return ray.get(reference, timeout=seconds)
    except RayTaskError as error:
        raise _ours(error) from None
    except RayError as error:
        raise Lost(_reason(error)) from None


def alive_nodes() -> list[str]:
    """Ids of the cluster's nodes, this process's first."""
    here = ray.get_runtime_context().get_node_id()
    nodes = [str(node["NodeID"]) for node in _untyped.nodes() if node["Alive"]]
    return [here, *sorted(node for node in nodes if node != here)]


def cpus() -> int:
    """CPUs of the whole cluster."""
    return int(_untyped.cluster_resources().get("CPU", 1))


def _start(plain: type, address: Address, node: str) -> Any:
    return ray.remote(plain).options(
        name=address.name,
        namespace=address.namespace,
        num_cpus=0,
        max_restarts=-1,
        max_task_retries=0,
        max_concurrency=CALLS_AT_ONCE,
        scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True),
    )


@lru_cache(maxsize=1_000)
def _handle(address: Address) -> Handle:
    return ray.get_actor(address.name, namespace=address.namespace)


def _actor_at(address: Address) -> Handle:
    """Handle of an actor; it stays good when the actor is restarted."""
    try:
        return _handle(address)
    except ValueError as error:
        raise Lost(f"no actor is called {address.name!r} any more ({error})") from None


async def _answer(reference: Awaitable[Answer]) -> Answer:
    """Await an actor's answer; whatever Ray itself reports means that what the actor held is lost."""
    try:
        return await reference
    except RayTaskError as error:
        raise _ours(error) from None
    except RayError as error:
        raise Lost(_reason(error)) from None


def _ours(error: RayTaskError) -> Exception:
    """The error that an actor's code raised, when it is one of ours and therefore plain; else Ray's report of it."""
    return error.cause if isinstance(error.cause, ErpbenchError) else error


def _reason(error: RayError) -> str:
    """One line: Ray's class and, where it reports what an actor's code raised, that error's own line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or ["no message"]
    raised = [line for line in lines if _RAISED.match(line)]
    return f"{type(error).__name__}: {raised[-1] if raised else lines[0]}"
