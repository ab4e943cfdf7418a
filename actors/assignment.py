"""What every actor of a run is told at its start: the run's id, its markets, and who hosts which seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from actors.desk import DeskFace
from ecologies.policy import PolicySpec
from ecologies.work import WorkUnit

RULES_HOST: Final = "rules"
"""Name of the firm actor that plays all rules of a shard."""
CORES_PER_SHARD: Final = 8


@dataclass(frozen=True)
class Assignment:
    """A run's work; it determines the run together with the replies of its models, whoever hosts them.

    Attributes:
        run_id: id of the run, on every record.
        units: every market with its problem.
        infra_fallback: whether a firm that cannot reach its model plays the fallback decision.
        model_actors: firm actors that the models of a shard share, at least 1; None for one each.
    """

    run_id: str
    units: tuple[WorkUnit, ...]
    infra_fallback: bool = False
    model_actors: int | None = None

    def by_market(self) -> dict[str, WorkUnit]:
        """The units by market id."""
        return {unit.market.market_id: unit for unit in self.units}

    @cached_property
    def host_of(self) -> Mapping[PolicySpec, str]:
        """Name of the firm actor that plays each policy, in the order of the first seats.

        One plays all rules. The models are dealt out in turn; one that has no actor to itself is played beside others.
        """
        policies = tuple(dict.fromkeys(spec for unit in self.units for spec in unit.market.seats))
        models = [spec for spec in policies if spec.kind != "rule"]
        count = min(self.model_actors or len(models), len(models))
        names = [_name_of(models[number::count]) for number in range(count)]
        by_model = {spec: names[number % count] for number, spec in enumerate(models)}
        return {spec: by_model.get(spec, RULES_HOST) for spec in policies}

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names of all firm actors of a shard, in the order of their first seat."""
        return tuple(dict.fromkeys(self.host_of.values()))

    def played_by(self, host: str) -> tuple[PolicySpec, ...]:
        """Policies that a firm actor plays."""
        return tuple(spec for spec, name in self.host_of.items() if name == host)

    def seats_by_host(self, unit: WorkUnit) -> dict[str, tuple[int, ...]]:
        """Seats of a market by the name of the actor that hosts them, ascending."""
        seats: dict[str, tuple[int, ...]] = {}
        for seat, spec in enumerate(unit.market.seats):
            host = self.host_of[spec]
            seats[host] = (*seats.get(host, ()), seat)
        return seats


class Stand(NamedTuple):
    """Where a firm actor stands: its name in the run, the policies that it plays, and the desk if the run has one."""

    name: str
    played: tuple[PolicySpec, ...]
    desk: DeskFace | None = None


def _name_of(models: Sequence[PolicySpec]) -> str:
    first = models[0]
    others = len(models) - 1
    return f"{first.kind} {first.label}" + (f" and {others} more" if others else "")


def shards_for(cores: Iterable[float]) -> int:
    """Shards that nodes of so many cores play by default: one for each 8 of all of them, at least one."""
    return max(1, int(sum(cores)) // CORES_PER_SHARD)


def model_actors_for(cores: float) -> int:
    """Firm actors that the models of a shard share by default: one for each core that it has beside that of the rules.

    On few cores, few processes that host much get further than many that host little: what firms of one problem have in
    common is worked out once, books are closed together, and letters to and from the market are fewer.
    """
    return max(1, int(cores) - 1)
