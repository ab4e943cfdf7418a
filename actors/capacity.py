"""How long a run takes on given machines, from what its calls take at the model, on the cores and in the journal.

Pure. Where every market has a connection for each of its firms, the markets' rounds begin together and stay in step: of
n calls at once each waits for its model and then for the work on all n. Where connections are short, calls come at any
time; then mean value analysis of a closed network of one delay, the cores and the one audit actor gives calls a second
(Reiser and Lavenberg 1980, Journal of the ACM 27(2), recursion for one class), several cores counting as one faster
core and a delay (Seidmann, Schweitzer and Shalev-Oren 1987). It assumes steady means: it knows nothing of retries, of
replies of uneven length, or of a run's end, where few markets are left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Bound = Literal["path", "connections", "markets", "cores", "journal", "requests a minute"]


@dataclass(frozen=True)
class Costs:
    """What a call costs beside its model, in seconds, as `benchmarks/capacity.py --calibrate` measures it.

    The values are of two cores of a virtual machine (Intel Xeon, CPython 3.11), with other work on them (load 11-20).

    Attributes:
        call_cpu_s: CPU of all our processes but the audit actor's, rounds and rule firms included.
        journal_s: CPU of the audit actor, which is one process for the whole run.
        round_s: time of a round on idle cores in which its market has no call open.
    """

    call_cpu_s: float = 0.0104
    journal_s: float = 0.0012
    round_s: float = 0.024


@dataclass(frozen=True)
class Work:
    """What there is to play.

    Attributes:
        calls: of all models in all markets.
        path_calls: calls one after another in the longest market.
        path_rounds: its rounds.
        at_once: calls that the markets in flight have open at the same time, at most.
    """

    calls: float
    path_calls: float
    path_rounds: float
    at_once: float


@dataclass(frozen=True)
class Means:
    """What it is played with.

    Attributes:
        latency_s: of a call, at its model.
        connections: of all accounts together.
        nodes: machines.
        cores: of each machine, free of other work.
        firm_actors: processes that work on calls, of all shards; each uses one core at most.
        requests_per_minute: of all accounts together; None for no limit.
    """

    latency_s: float
    connections: float
    nodes: int = 1
    cores: float = 2.0
    firm_actors: int = 6
    requests_per_minute: float | None = None
    costs: Costs = field(default_factory=Costs)


@dataclass(frozen=True)
class Prediction:
    """Wall time from the first call to the last commit, and what sets it.

    Attributes:
        wall_s: seconds.
        calls_per_s: mean over the run.
        bound: what would have to be more, or shorter, for the run to be shorter.
    """

    wall_s: float
    calls_per_s: float
    bound: Bound


def predict(work: Work, means: Means) -> Prediction:
    """Predict the wall time of a run, without the start of Ray and of its actors.

    Raises:
        ValueError: there is nothing to play, or nothing to play it with, or a latency is below 0.
    """
    by_rate = float("inf") if means.requests_per_minute is None else means.requests_per_minute / 60
    needed = (work.calls, work.path_calls, work.at_once, means.connections, means.nodes, means.cores, by_rate)
    if min(*needed, means.firm_actors) <= 0 or means.latency_s < 0:
        raise ValueError(
            "calls, connections, nodes, cores, firm actors and requests a minute have to be above 0, and a latency"
            f" 0 or more, not {work}, {means}"
        )
    in_step = min(work.at_once, means.connections)
    pause_s = means.costs.round_s * work.path_rounds / work.path_calls
    cycle_s = means.latency_s + pause_s + in_step * (means.costs.call_cpu_s / _servers(means) + means.costs.journal_s)
    limits: dict[Bound, float] = {
        "path": work.path_calls * cycle_s,
        "markets": work.calls / work.at_once * cycle_s,
        "connections": work.calls / throughput(means.connections, means.latency_s, means),
        "requests a minute": work.calls / by_rate,
    }
    bound = max(limits, key=lambda name: limits[name])
    wall_s = limits[bound]
    return Prediction(wall_s, work.calls / wall_s, _named(bound, work.calls / wall_s, means))


def throughput(at_once: float, delay_s: float, means: Means) -> float:
    """Calls a second with so many at once, each of which is away for `delay_s` between its turns at the cores.

    A fractional number is interpolated.
    """
    servers = _servers(means)
    stations = [means.costs.call_cpu_s / servers, means.costs.journal_s]
    away_s = delay_s + means.costs.call_cpu_s * (servers - 1) / servers
    waiting, rate, before = [0.0] * len(stations), 0.0, 0.0
    whole = int(at_once)
    for number in range(1, whole + 2):
        stays_s = [demand * (1 + queued) for demand, queued in zip(stations, waiting, strict=True)]
        before, rate = rate, number / max(away_s + sum(stays_s), 1e-9)
        waiting = [rate * stay_s for stay_s in stays_s]
    return before + (at_once - whole) * (rate - before)


def _servers(means: Means) -> float:
    """Cores that can work on calls at the same time."""
    return max(1.0, min(means.nodes * means.cores, float(means.firm_actors)))


def _named(bound: Bound, rate: float, means: Means) -> Bound:
    """The bound, or the station that is busy nearly all the time and so the cause of it."""
    if bound == "requests a minute":
        return bound
    busy: dict[Bound, float] = {
        "cores": rate * means.costs.call_cpu_s / _servers(means),
        "journal": rate * means.costs.journal_s,
    }
    most = max(busy, key=lambda name: busy[name])
    return most if busy[most] > 0.9 else bound
