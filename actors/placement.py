"""Where the shards of a run stand: one placement group with a bundle for each shard, spread over the cluster's nodes.

A bundle lies on one node whole, so a shard's market actor and its firm actors are packed together. When a node is lost,
Ray places its bundles on the nodes that are left, or on one that joins, and starts the actors there again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import ray
from ray.util.placement_group import PlacementGroup, placement_group, placement_group_table, remove_placement_group
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, PlacementGroupSchedulingStrategy

from actors.assignment import shards_for
from actors.messages import Lost
from erpsim.errors import RunError

CPU_SHARE: Final = 0.001
"""CPUs that a shard reserves: next to none, since its actors wait for models; but a node without CPUs hosts none."""
NODE_LABEL: Final = "ray.io/node-id"
LOOK_SECONDS: Final = 2.0
"""Least time between two looks at where the shards stand."""
_untyped: Any = ray


class Node(NamedTuple):
    """A node of the cluster that is alive."""

    identity: str
    address: str
    cpus: float


@dataclass(frozen=True)
class Places:
    """The bundles of a run's shards, in the order of the shards' names."""

    group: PlacementGroup
    names: tuple[str, ...]

    def at(self, name: str) -> PlacementGroupSchedulingStrategy:
        """How Ray is told to start an actor of a shard where the shard stands."""
        return PlacementGroupSchedulingStrategy(self.group, self.names.index(name))


def nodes() -> tuple[Node, ...]:
    """The cluster's nodes that are alive, this process's first."""
    here = ray.get_runtime_context().get_node_id()
    found = [
        Node(str(node["NodeID"]), str(node["NodeManagerAddress"]), float(node["Resources"].get("CPU", 0.0)))
        for node in _untyped.nodes()
        if node["Alive"]
    ]
    return tuple(sorted(found, key=lambda node: (node.identity != here, node.identity)))


def wanted(found: Sequence[Node], shards: int | None, local_only: bool) -> list[str | None]:
    """Node of each shard, None for any.

    Args:
        found: the cluster's nodes, this process's first.
        shards: how many; None for one for each 8 cores of the nodes that may host them.
        local_only: whether all stand beside this process, as a server or a journal does that only it can reach.
    """
    hosts = found[:1] if local_only else found
    count = shards or shards_for(node.cpus for node in hosts)
    return [found[0].identity if local_only else None] * count


def cores_of(found: Sequence[Node], wanted: Sequence[str | None]) -> float:
    """Cores of the nodes on which shards may stand that are wanted so."""
    return sum(node.cpus for node in found if None in wanted or node.identity in wanted)


def on_node(identity: str) -> NodeAffinitySchedulingStrategy:
    """How Ray is told to start something on one node and nowhere else."""
    return NodeAffinitySchedulingStrategy(identity, soft=False)


def reserve(names: Sequence[str], wanted: Sequence[str | None]) -> Places:
    """Ask for a bundle for each shard; returns at once.

    Args:
        names: of the shards.
        wanted: the node of each; None for any that has CPUs, and such shards are spread.
    """
    bundles = [{"CPU": CPU_SHARE} if node is None else {"memory": 1} for node in wanted]
    labels = [{} if node is None else {NODE_LABEL: node} for node in wanted]
    group = placement_group(bundles, strategy="SPREAD", bundle_label_selector=labels)
    return Places(group, tuple(names))


def await_places(places: Places, seconds: float) -> None:
    """Wait until every shard has its place.

    Raises:
        RunError: there is no room in time; the message says for what and what the cluster has.
    """
    ready, _ = ray.wait([places.group.ready()], timeout=seconds)
    if not ready:
        has = "; ".join(f"{node.address} has {node.cpus:g} CPUs" for node in nodes())
        raise RunError(
            f"no place within {seconds:g} s for {', '.join(places.names)}: each needs {_needs(places)} ({has});"
            " give the cluster more, or ask for fewer shards"
        )


def homes(places: Places) -> dict[str, str]:
    """Node of each shard by the shard's name; empty while it has none."""
    found: Mapping[int, str] = placement_group_table(places.group)["bundles_to_node_id"]
    return {name: found.get(number, "") for number, name in enumerate(places.names)}


def release(places: Places) -> None:
    """Give the places back; what still runs there is ended by it."""
    remove_placement_group(places.group)


@dataclass
class Watch:
    """Looks whether a shard that lost its node finds another in time; one that does not would be waited for silently.

    Attributes:
        seconds: longest time that a shard may be without a node.
        since: when each shard without a node was first seen so.
    """

    places: Places | None
    seconds: float
    since: dict[str, float] = field(default_factory=dict)
    looked: float = float("-inf")

    def look(self, now: float) -> None:
        """See where the shards stand, if it is time to.

        Raises:
            Lost: a shard has been without a node for too long; the message names it.
        """
        if self.places is None or now - self.looked < LOOK_SECONDS:
            return
        self.looked = now
        self.since = homeless(homes(self.places), self.since, now)
        late = [name for name, began in self.since.items() if now - began >= self.seconds]
        if late:
            raise Lost(
                f"the node of {', '.join(late)} was lost {self.seconds:g} s ago or more, and no other node with"
                f" {_needs(self.places)} is there to take its place"
            )


def homeless(homes: Mapping[str, str], since: Mapping[str, float], now: float) -> dict[str, float]:
    """Since when each shard without a node has been seen so."""
    return {name: since.get(name, now) for name, node in homes.items() if not node}


def _needs(places: Places) -> str:
    kinds: Iterable[Mapping[str, float]] = places.group.bundle_specs
    return "a CPU" if any("CPU" in bundle for bundle in kinds) else "the one node that it is bound to"
