"""One firm's game in one market, round by round: the steps that are the firm's own.

    observe → decide → (fallback) → repair → plan → Offer … Sales → settle → rows

A firm's state is a function of problem, seat, executed decisions and sales, so replay brings it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actors.entries import FirmRecords, Spent
from actors.keeping import as_remembered
from actors.messages import Played
from ecologies.identity import identity_of
from ecologies.local import Remembered, Turn, replay_firm, take_turn
from ecologies.policy import PolicySpec
from ecologies.work import WorkUnit
from erpsim.events import FallbackDecision, Traceback
from erpsim.observation import Observation
from erpsim.offer import Sales
from erpsim.proposal import Proposal, Usage
from erpsim.recording import cell_rows, event_rows, round_row
from erpsim.records import Identity
from erpsim.result import Settled, Traded
from erpsim.round import observe, open_firm, settle_all
from erpsim.state import FirmState


@dataclass(frozen=True, eq=False)
class Trajectory:
    """One firm of one market as its actor holds it; `turn` is what it brought to the round under way.

    `decided_s` are the seconds from the first look at the round until the turn was there.
    """

    identity: Identity
    unit: WorkUnit
    state: FirmState
    turn: Turn | None = None
    decided_s: float = 0.0

    @property
    def spec(self) -> PolicySpec:
        """Who plays it."""
        return self.unit.market.seats[self.identity.seat]


@dataclass(frozen=True, eq=False)
class Closed:
    """A firm after a round, and the rows that the round gives."""

    trajectory: Trajectory
    records: FirmRecords
    spent: Spent


def opened(run_id: str, unit: WorkUnit, seat: int) -> Trajectory:
    """A firm before round 1."""
    identity = identity_of(run_id, unit.market, unit.problem, seat)
    return Trajectory(identity, unit, open_firm(unit.problem, seat))


def replayed(trajectory: Trajectory, played: tuple[Played, ...]) -> Trajectory:
    """A firm after finished rounds, from its proposals, executed decisions and sales."""
    rounds = [Remembered(item.asked, item.decision, item.sales) for item in played]
    states = replay_firm(trajectory.unit.problem, trajectory.identity.seat, rounds)
    return _moved_on(trajectory, states[-1])


def observation_of(trajectory: Trajectory) -> Observation:
    """What the firm may see before it decides."""
    return observe(trajectory.state, trajectory.unit.problem, len(trajectory.unit.market.seats))


def planned(trajectory: Trajectory, observation: Observation, proposal: Proposal) -> Trajectory:
    """Repair a proposal, or the fallback decision where there is none, and plan the round."""
    turn = take_turn(trajectory.state, trajectory.unit.problem, observation, proposal)
    return Trajectory(trajectory.identity, trajectory.unit, trajectory.state, turn)


def closed(trajectories: Sequence[Trajectory], sales: Sequence[Sales]) -> list[Closed]:
    """Book a round's sales for firms of one or more markets, all at once."""
    turns = [_turn(trajectory) for trajectory in trajectories]
    settled = settle_all(
        [
            Traded(trajectory.state, trajectory.unit.problem, turn.plan, sold)
            for trajectory, turn, sold in zip(trajectories, turns, sales, strict=True)
        ]
    )
    return [_closed(*row) for row in zip(trajectories, turns, settled, strict=True)]


def _moved_on(trajectory: Trajectory, state: FirmState) -> Trajectory:
    """The firm on the first morning of another round."""
    return Trajectory(trajectory.identity, trajectory.unit, as_remembered(state, trajectory.spec))


def broken_proposal(error: Exception) -> Proposal:
    """The proposal that stands for a decision whose software failed."""
    cause = f"{type(error).__name__}: {error}"[:500]
    events = (Traceback(type(error).__name__, cause=cause), FallbackDecision("traceback", cause=cause))
    return Proposal(None, "fallback", events)


def unreachable_proposal(cause: str, message: str) -> Proposal:
    """The proposal that stands for a model that could not be reached, where the run plays the fallback then."""
    return Proposal(None, "fallback", (FallbackDecision("infra", asked=cause, cause=message),))


def _turn(trajectory: Trajectory) -> Turn:
    assert trajectory.turn is not None, "sales came without an offer"
    return trajectory.turn


def _closed(trajectory: Trajectory, turn: Turn, settled: Settled) -> Closed:
    identity, result = trajectory.identity, settled.result
    events = event_rows(identity, result.history.round_number, turn.events)
    records = FirmRecords(
        round_row(identity, turn.proposal, turn.decision, result, len(events)),
        cell_rows(identity, result),
        events,
    )
    return Closed(_moved_on(trajectory, settled.state), records, _spent(turn.proposal.usage, trajectory.decided_s))


def _spent(usage: Usage, decided_s: float) -> Spent:
    rest_s = max(0.0, decided_s - usage.queue_s - usage.model_s - usage.tools_s)
    return Spent(queue_s=usage.queue_s, model_s=usage.model_s, tools_s=usage.tools_s, overhead_s=rest_s)
