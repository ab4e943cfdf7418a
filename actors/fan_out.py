"""Hands markets out to the shards, bounded in flight, until all are played, given up, or the run is to stop."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

import ray

from actors.assignment import Assignment
from actors.backlog import Backlog
from actors.entries import Writer, failure_entry, lost_entry
from actors.journal import Entry
from actors.messages import Lost, MarketEnd, failure_row
from actors.placement import Watch
from actors.remote import MARKET_ACTOR_LOST, Cast, Shard, ask, end_of
from actors.rooms import Kind, Rooms
from ecologies.identity import identity_of
from ecologies.policy import PolicySpec
from ecologies.work import WorkUnit
from erpsim.events import ExperimentFailed
from erpsim.recording import event_rows

PULSE_SECONDS: Final = 0.25
"""Longest time between two looks at whether the run is to stop."""
COMMIT_SECONDS: Final = 60.0
AHEAD: Final = 8
"""Markets by which a problem's shard may be ahead of the emptiest before its next market is played there."""


@dataclass(frozen=True)
class Running:
    """A market that a shard is playing."""

    market_id: str
    shard: Shard
    kind: Kind


@dataclass(frozen=True)
class Bounds:
    """What fan-out keeps to.

    Attributes:
        in_flight: markets that one shard plays at once.
        pulse: called with the markets in flight; true when the run is to stop.
        rooms: room of each kind of market.
        node_seconds: longest time that a shard which lost its node may be without another.
    """

    in_flight: int
    pulse: Callable[[int], bool]
    rooms: Rooms = field(default_factory=Rooms)
    node_seconds: float = 120.0


def fan_out(cast: Cast, backlog: Backlog, assignment: Assignment, bounds: Bounds) -> None:
    """Play the backlog to its end; returns early when `pulse` says so or the backlog has an error.

    What still plays then is left to end with its actors: nothing of an uncommitted round counts.

    Raises:
        Lost: a shard's node was lost and no other takes its place.
    """
    units = assignment.by_market()
    watch = Watch(cast.places, bounds.node_seconds)
    running: dict[Any, Running] = {}
    while (backlog or running) and backlog.error is None and not bounds.pulse(len(running)):
        watch.look(time.monotonic())
        _start(cast, backlog, running, bounds)
        if not running:
            time.sleep(PULSE_SECONDS)  # all that is left waits for its pause to end
            continue
        for reference in _ended(running):
            end = end_of(reference, running.pop(reference).market_id)
            unit = units[end.market_id]
            if end.cause == MARKET_ACTOR_LOST:
                writer = Writer("driver " + uuid4().hex[:12], 1)
                _commit(cast, [failure_entry(failure_row(end, unit.market), writer)])
            if backlog.ended(end, time.monotonic()):
                given_up = [end, *backlog.withdrawn(end)]
                _commit(cast, [given_up_entry(each, units[each.market_id], assignment.run_id) for each in given_up])


def shard_for(place: int, loads: Sequence[int], most: int) -> int:
    """The shard that plays a market: the one of its problem's place, or the emptiest where that one is ahead or full.

    Args:
        place: of the market's problem among all problems.
        loads: markets that each shard plays; one at least has room.
        most: markets that a shard may play.
    """
    home, least = place % len(loads), min(loads)
    return home if loads[home] < min(most, least + AHEAD) else loads.index(least)


def given_up_entry(end: MarketEnd, unit: WorkUnit, run_id: str) -> Entry:
    """The experiment_failed event of a market that is given up, under the seat that it failed at, else its first."""
    seat = end.seat if end.seat is not None else 0
    identity = identity_of(run_id, unit.market, unit.problem, seat)
    event = ExperimentFailed(end.cause, cause=end.message)
    return lost_entry(event_rows(identity, end.round_number, [event])[0])


def _commit(cast: Cast, entries: list[Entry]) -> None:
    """Journal rows; an audit actor that is lost is waited for."""
    deadline = time.monotonic() + COMMIT_SECONDS
    while True:
        try:
            ask(cast.audit.commit.remote(entries), COMMIT_SECONDS)
        except Lost:
            if time.monotonic() > deadline:
                raise
            time.sleep(PULSE_SECONDS)
        else:
            return


def _start(cast: Cast, backlog: Backlog, running: dict[Any, Running], bounds: Bounds) -> None:
    """Fill the shards evenly, as far as there is room for the markets' kinds.

    Markets of one problem go to one shard if they can: what is drawn for a problem is worked out once in each actor.
    """
    load = Counter(item.shard.name for item in running.values())
    kinds = Counter(item.kind for item in running.values())
    rooms = bounds.rooms

    def fits(seats: tuple[PolicySpec, ...]) -> bool:
        kind = rooms.kind(seats)
        return kinds[kind] < rooms.room(kind)

    while True:
        least = min(load[shard.name] for shard in cast.shards)
        chosen = backlog.take(time.monotonic(), fits) if least < bounds.in_flight else None
        if chosen is None:
            return
        loads = [load[shard.name] for shard in cast.shards]
        shard = cast.shards[shard_for(backlog.place(chosen.market_id), loads, bounds.in_flight)]
        kind = rooms.kind(backlog.seats(chosen.market_id))
        running[shard.play(chosen.market_id, chosen.fresh)] = Running(chosen.market_id, shard, kind)
        load[shard.name] += 1
        kinds[kind] += 1


def _ended(running: Mapping[Any, Running]) -> list[Any]:
    first, _ = ray.wait(list(running), num_returns=1, timeout=PULSE_SECONDS)
    if not first:
        return []
    ended, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
    return list(ended)
