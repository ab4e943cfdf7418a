"""The expected calls of a run on one machine: the loads of its models, put into the capacity model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from actors.assignment import model_actors_for
from actors.capacity import Means, Prediction, Work, predict
from actors.expectation import Cases, Load
from actors.llm.terms import terms_by_account


class Machine(NamedTuple):
    """What a run is played on: cores, and shards that play on them."""

    cores: float
    shards: int


def on_machine(loads: Sequence[Load], cases: Mapping[str, Cases], share_at_once: float, machine: Machine) -> Prediction:
    """Predict the wall time of the expected case, without limits a minute and without the start of Ray.

    Args:
        loads: what each model has to play, at least one.
        cases: of one decision, by model.
        share_at_once: share of all markets that are played at the same time, in (0, 1].
        machine: that plays it.
    """
    expected = [cases[load.entry.label].expected for load in loads]
    calls = [load.decisions * case.calls for load, case in zip(loads, expected, strict=True)]
    busy_s = sum(count * case.latency_s for count, case in zip(calls, expected, strict=True))
    work = Work(
        calls=sum(calls),
        path_calls=max(load.longest * case.calls for load, case in zip(loads, expected, strict=True)),
        path_rounds=max(load.longest for load in loads),
        at_once=max(1.0, share_at_once * sum(load.firms for load in loads)),
    )
    connections = sum(terms.connections for terms in terms_by_account(load.entry for load in loads).values())
    # Beside the models' actors stand market and rules, which take as much of a core as one of them.
    actors = min(len(loads), model_actors_for(machine.cores / machine.shards)) + 1
    return predict(work, Means(busy_s / work.calls, connections, 1, machine.cores, actors * machine.shards))
