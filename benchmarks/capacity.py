"""The capacity model against small runs that were played: predicted over measured wall time.

    python -m benchmarks.capacity
    python -m benchmarks.capacity --calibrate     what a call and a round cost here, for `actors.capacity.Costs`

Each case is one play in one warm Ray on this machine: mixed markets of six model firms at the stand-in server, which
holds every answer back for the same time. Wall time is from the first market's start to the last market's end. Two
plays before them measure what a call and a round cost; `ratio` predicts with these, `ratio_by_constants` with those of
`actors.capacity.Costs`. Either way the server's own CPU is counted in, since it runs on the same cores, and the cores
are those that other work left free during the play; work that is nicer than this process does not count as taking
them. Calls are counted by the server. Each case is a line on standard error, the last line on standard output is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from actors import processes, remote, run_file
from actors.assignment import Assignment
from actors.backlog import Backlog
from actors.capacity import Costs, Means, Work, predict
from actors.deciders import Sealed, StandardDeciders
from actors.fan_out import Bounds, fan_out
from actors.journal import Journal
from actors.ray_session import RayChoice, ray_session
from actors.run_file import JOURNAL_NAME
from actors.standin_process import standin_server
from benchmarks.machine import machine
from benchmarks.reliability.setting import Setting, Size, make_setting
from benchmarks.reliability.warm import READY_SECONDS, title
from ecologies.models import choose

SEATS: Final = 6
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Case(NamedTuple):
    """One play."""

    latency_s: float
    connections: int
    shards: int
    problems: int
    rounds: int = 3


CALIBRATION: Final = (Case(0.0, 64, 1, 4), Case(0.5, 64, 1, 1, 4))
"""One that the cores set, and one that a single market sets."""
CASES: Final = (
    Case(0.5, 64, 1, 4),
    Case(2.0, 64, 1, 4),
    Case(1.0, 8, 1, 4),
    Case(0.5, 4, 1, 2),
    Case(1.0, 64, 2, 4),
    Case(2.0, 8, 2, 4),
)


@dataclass(frozen=True)
class Spent:
    """CPU seconds by whose they are."""

    audit: float
    server: float
    ours: float  # all others of this process and those that it started
    everyone: float  # of the whole machine, without those that are nicer than this process

    def since(self, before: Spent) -> Spent:
        """What was spent between two looks."""
        return Spent(*(now - then for now, then in zip(asdict(self).values(), asdict(before).values(), strict=True)))


@dataclass(frozen=True)
class Measured:
    """A case that was played."""

    case: Case
    calls: int
    wall_s: float
    spent: Spent

    @property
    def cores_free(self) -> float:
        """Cores that other work left."""
        mine = self.spent.audit + self.spent.server + self.spent.ours
        return max(0.25, (os.cpu_count() or 1) - max(0.0, self.spent.everyone - mine) / self.wall_s)

    @property
    def costs(self) -> Costs:
        """CPU of a call, by what was spent."""
        return Costs(self.spent.ours / self.calls, self.spent.audit / self.calls, 0.0)

    def predicted_s(self, costs: Costs, firm_actors: int) -> tuple[float, str]:
        """Wall time and bound by the model, with the server's share added to what a call costs."""
        case = self.case
        with_server = replace(costs, call_cpu_s=costs.call_cpu_s + self.spent.server / self.calls)
        seats = SEATS * case.problems
        work = Work(self.calls, self.calls / seats, case.rounds, seats)
        means = Means(case.latency_s, case.connections, 1, self.cores_free, firm_actors, None, with_server)
        predicted = predict(work, means)
        return predicted.wall_s, predicted.bound


def capacity(cases: Sequence[Case]) -> dict[str, Any]:
    """Play the two calibrating cases and those given; gives the figures of the JSON line."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="erpbench-capacity-") as name, ray_session(RayChoice(start_seconds=300.0)):
        played = [_measured(Path(name), number, case) for number, case in enumerate((*CALIBRATION, *cases))]
    first, alone = played[:2]
    path_s = alone.predicted_s(first.costs, 2)[0]
    costs = replace(first.costs, round_s=max(0.0, (alone.wall_s - path_s) / alone.case.rounds))
    told = [_told(each, costs) for each in played[2:]]
    ratios = [each["ratio"] for each in told]
    return {
        "benchmark": "capacity",
        "cases": told,
        "ratio_lowest": min(ratios, default=None),
        "ratio_highest": max(ratios, default=None),
        "costs": {name: round(value, 5) for name, value in asdict(costs).items()},
        "server_cpu_s": round(first.spent.server / first.calls, 5),
        "constants": asdict(Costs()),
        **machine(),
        "cores_free": [round(each.cores_free, 2) for each in played[:2]],
        "seconds": round(time.monotonic() - began, 1),
    }


def _told(measured: Measured, costs: Costs) -> dict[str, Any]:
    hosts = 2 * measured.case.shards
    predicted_s, bound = measured.predicted_s(costs, hosts)
    told = {
        **measured.case._asdict(),
        "calls": measured.calls,
        "measured_s": round(measured.wall_s, 2),
        "predicted_s": round(predicted_s, 2),
        "ratio": round(predicted_s / measured.wall_s, 3),
        "ratio_by_constants": round(measured.predicted_s(Costs(), hosts)[0] / measured.wall_s, 3),
        "bound": bound,
        "cpu_ms_per_call": round(1e3 * (measured.spent.ours + measured.spent.audit) / measured.calls, 1),
        "cores_free": round(measured.cores_free, 2),
    }
    print(json.dumps(told), file=sys.stderr, flush=True)
    return told


def _measured(folder: Path, number: int, case: Case) -> Measured:
    place = folder / str(number)
    place.mkdir()
    with standin_server(["--delay", str(case.latency_s)]) as server:
        size = Size(case.problems, case.rounds, connections=case.connections)
        setting = make_setting(place, server.base_url, size)
        with _cast(setting, place / "run", case.shards) as (cast, assignment):
            before, began = _spent(), time.monotonic()
            accounts = dict.fromkeys(setting.plan.models, "one account")
            backlog = Backlog(setting.units, fresh=True, tries=3, accounts=accounts)
            fan_out(cast, backlog, assignment, Bounds(len(setting.units), lambda _: False))
            wall_s = time.monotonic() - began
            spent = _spent().since(before)
        assert not backlog.given_up, backlog.given_up
        return Measured(case, server.replies(), wall_s, spent)


@contextmanager
def _cast(setting: Setting, folder: Path, shards: int) -> Iterator[tuple[remote.Cast, Assignment]]:
    run = run_file.create(folder, setting.plan, setting.settings)
    Journal(folder / JOURNAL_NAME, writable=True).close()
    assignment = Assignment(run.run_id, setting.units)
    assert len(assignment.hosts) == 2
    entries = choose(setting.sources.models, setting.plan.models).entries
    deciders = StandardDeciders(entries, Sealed({}), shards=shards)
    common = remote.Common(deciders.shared_terms())
    cast = remote.start_cast(folder, assignment, deciders.at, [None] * shards, common)
    try:
        remote.await_cast(cast, READY_SECONDS)
        yield cast, assignment
    finally:
        remote.end_cast(cast, 20.0)


def _spent() -> Spent:
    """CPU seconds until now of this process, of those that it started and live, and of the machine."""
    audit = served = 0.0
    ours = _cpu_s(os.getpid())
    for item in processes.descendants():
        name, spent = title(item), _cpu_s(item.pid)
        if name.startswith("ray::Audit"):
            audit += spent
        elif "actors.llm.standin" in name:
            served += spent
        else:
            ours += spent
    busy = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    counted = (0, 2, 5, 6) if os.nice(0) == 0 else (0, 1, 2, 5, 6)  # user, nice, system, interrupts
    return Spent(audit, served, ours, sum(int(busy[index]) for index in counted) / _TICKS)


def _cpu_s(pid: int) -> float:
    try:
        fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity")
    parser.add_argument("--calibrate", action="store_true", help="measure the costs alone")
    parser.add_argument("--cases", type=int, default=len(CASES), help="how many of the cases")
    given = parser.parse_args(arguments)
    print(json.dumps(capacity(() if given.calibrate else CASES[: given.cases])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
