"""What every actor of a run is told at its start: the run's id, its markets, and who hosts which seat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from actors.desk import DeskFace
from ecologies.policy import PolicySpec
from ecologies.work import WorkUnit

RULES_HOST: Final = "rules"
"""Name of the firm actor that plays all rules of a shard."""
CORES_PER_SHARD: Final = 8


@dataclass(frozen=True)
class Assignment:
    """A run's work; it determines the run together with the replies of its models.

    Attributes:
        run_id: id of the run, on every record.
        units: every market with its problem.
        infra_fallback: whether a firm that cannot reach its model plays the fallback decision.
    """

    run_id: str
    units: tuple[WorkUnit, ...]
    infra_fallback: bool = False

    def by_market(self) -> dict[str, WorkUnit]:
        """The units by market id."""
        return {unit.market.market_id: unit for unit in self.units}


class Stand(NamedTuple):
    """Where a firm actor stands: its host, its own name in the run, and the desk of the run if there is one."""

    host: str
    name: str
    desk: DeskFace | None = None


def host_of(spec: PolicySpec) -> str:
    """Name of the firm actor that plays a policy: one for all rules, one for each model."""
    return RULES_HOST if spec.kind == "rule" else f"{spec.kind} {spec.label}"


def hosts_of(units: Iterable[WorkUnit]) -> tuple[str, ...]:
    """Names of all firm actors that the markets need, in the order of their first seat."""
    return tuple(dict.fromkeys(host_of(spec) for unit in units for spec in unit.market.seats))


def seats_by_host(unit: WorkUnit) -> dict[str, tuple[int, ...]]:
    """Seats of a market by the name of the actor that hosts them, ascending."""
    seats: dict[str, tuple[int, ...]] = {}
    for seat, spec in enumerate(unit.market.seats):
        seats[host_of(spec)] = (*seats.get(host_of(spec), ()), seat)
    return seats


def shards_for(cores: Iterable[float]) -> int:
    """Shards that nodes of so many cores play by default: one for each 8 of all of them, at least one."""
    return max(1, int(sum(cores)) // CORES_PER_SHARD)
