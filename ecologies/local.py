"""One market played in this process, without Ray: the reference that every other way of playing must equal.

Policies of a round decide at the same time and are collected by seat, so who answers first changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ecologies.ecology import Market
from ecologies.identity import identity_of
from ecologies.policy import Policy
from erpsim.cuts import cuts
from erpsim.decision import Decision
from erpsim.errors import WorkError
from erpsim.events import Event
from erpsim.observation import Observation
from erpsim.offer import MarketBooks, Sales
from erpsim.plan import Plan
from erpsim.problem import Problem
from erpsim.proposal import Proposal
from erpsim.recording import cell_rows, event_rows, outcome_row, round_row
from erpsim.records import CellRow, EventRow, Identity, OutcomeRow, RoundRow
from erpsim.result import Settled, Traded
from erpsim.round import Repaired, clear, fallback, observe, open_firm, plan, repair, settle, settle_all
from erpsim.state import FirmState


class RoundRecords(NamedTuple):
    """Rows of one round of one market, by seat."""

    rounds: tuple[RoundRow, ...]
    cells: tuple[CellRow, ...]
    events: tuple[EventRow, ...]


@dataclass(frozen=True, repr=False)  # `asyncio.run` takes the text of what it gives back, which would be all rows
class MarketRecords:
    """Rows of one market by round, then seat; outcomes by seat, of seats that no rule plays."""

    rounds: tuple[RoundRow, ...]
    cells: tuple[CellRow, ...]
    events: tuple[EventRow, ...]
    outcomes: tuple[OutcomeRow, ...]


class Turn(NamedTuple):
    """What one firm brings to a round."""

    proposal: Proposal
    events: tuple[Event, ...]  # the proposal's and repair's
    plan: Plan

    @property
    def decision(self) -> Decision:
        """The executed decision."""
        return self.plan.decision


class PlayedRound(NamedTuple):
    """One round of one market, all tuples in seat order."""

    round_number: int
    turns: tuple[Turn, ...]
    sales: tuple[Sales, ...]
    books: MarketBooks
    settled: tuple[Settled, ...]


class Remembered(NamedTuple):
    """One firm's finished round: enough to take its state one round on."""

    asked: Decision | None  # None when no usable proposal came
    executed: Decision
    sales: Sales


class Replay(NamedTuple):
    """A game derived again from what was executed."""

    states: tuple[tuple[FirmState, ...], ...]  # by round from the opening on, one more than rounds; then seat
    sales: tuple[tuple[Sales, ...], ...]  # by round, then seat


async def play_market(
    market: Market, problem: Problem, policies: Sequence[Policy], run_id: str = "local"
) -> MarketRecords:
    """Play one market to its end.

    Args:
        market: names the seats, for the records.
        problem: what is played.
        policies: one for each seat.
        run_id: stamped on the rows.

    Raises:
        WorkError: there is not one policy for each seat, or the problem is another one.
    """
    if len(policies) != len(market.seats) or problem.problem_id != market.problem_id:
        raise WorkError(
            f"{market.market_id} has {len(market.seats)} seats on {market.problem_id}; "
            f"got {len(policies)} policies for {problem.problem_id}: pass one for each seat, and its own problem"
        )
    played = [records async for records in record_rounds(market, problem, policies, run_id)]
    outcomes = tuple(outcome_row(played[-1].rounds[seat], problem.horizon) for seat in market.model_seats)
    return MarketRecords(
        tuple(row for records in played for row in records.rounds),
        tuple(row for records in played for row in records.cells),
        tuple(row for records in played for row in records.events),
        outcomes,
    )


async def record_rounds(
    market: Market, problem: Problem, policies: Sequence[Policy], run_id: str = "local"
) -> AsyncGenerator[RoundRecords, None]:
    """Play one market and give the rows of each round when it is settled; the arguments are those of `play_market`."""
    identities = [identity_of(run_id, market, problem, seat) for seat in range(len(policies))]
    async for played in play_rounds(problem, policies):
        by_seat = list(enumerate(identities))
        yield RoundRecords(
            tuple(_round_row(identity, played, seat) for seat, identity in by_seat),
            tuple(row for seat, identity in by_seat for row in cell_rows(identity, played.settled[seat].result)),
            tuple(
                row
                for seat, identity in by_seat
                for row in event_rows(identity, played.round_number, played.turns[seat].events)
            ),
        )


async def play_rounds(problem: Problem, policies: Sequence[Policy]) -> AsyncIterator[PlayedRound]:
    """Play one market round by round and give each round when it is settled."""
    states = [open_firm(problem, seat) for seat in range(len(policies))]
    for round_number in range(1, problem.horizon + 1):
        observations = [observe(state, problem, len(policies)) for state in states]
        asked = zip(policies, observations, strict=True)
        proposals = await asyncio.gather(*(policy.decide(observation) for policy, observation in asked))
        rows = zip(states, observations, proposals, strict=True)
        turns = tuple(take_turn(state, problem, seen, proposal) for state, seen, proposal in rows)
        cleared = clear(problem, round_number, [turn.plan.offer for turn in turns])
        pairs = zip(states, turns, cleared.sales, strict=True)
        settled = settle_all([Traded(state, problem, turn.plan, sales) for state, turn, sales in pairs])
        yield PlayedRound(round_number, turns, cleared.sales, cleared.books, settled)
        states = [one.state for one in settled]


def take_turn(state: FirmState, problem: Problem, observation: Observation, proposal: Proposal) -> Turn:
    """Bring a proposal to market: the fallback where it has no decision, then repair, then the plan."""
    repaired = repair(state, problem, proposal.decision or fallback(observation))
    planned = plan(state, problem, repaired.decision)
    return Turn(proposal, (*proposal.events, *repaired.events), _remembering(planned, proposal.decision, repaired))


def replay(problem: Problem, decisions: Sequence[Sequence[Decision]]) -> Replay:
    """Derive states and sales again from the executed decisions of all firms.

    Args:
        problem: what was played.
        decisions: by round, then seat; a prefix of the game will do.
    """
    states = [tuple(open_firm(problem, seat) for seat in range(len(decisions[0])))] if decisions else []
    sales: list[tuple[Sales, ...]] = []
    for round_number, executed in enumerate(decisions, start=1):
        plans = [plan(state, problem, decision) for state, decision in zip(states[-1], executed, strict=True)]
        cleared = clear(problem, round_number, [one.offer for one in plans])
        sales.append(cleared.sales)
        rows = zip(states[-1], plans, cleared.sales, strict=True)
        settled = settle_all([Traded(state, problem, one, sold) for state, one, sold in rows])
        states.append(tuple(one.state for one in settled))
    return Replay(tuple(states), tuple(sales))


def replay_firm(problem: Problem, seat: int, rounds: Sequence[Remembered]) -> tuple[FirmState, ...]:
    """Derive one firm's states again, by round from the opening on, with what it remembers of its proposals."""
    states = [open_firm(problem, seat)]
    for past in rounds:
        planned = plan(states[-1], problem, past.executed)
        repaired = None if past.asked is None else repair(states[-1], problem, past.asked)
        planned = _remembering(planned, past.asked, repaired)
        states.append(settle(states[-1], problem, planned, past.sales).state)
    return tuple(states)


def _remembering(planned: Plan, asked: Decision | None, repaired: Repaired | None) -> Plan:
    """The plan with what the firm will be told of its proposal: that none was usable, or what was not granted of it."""
    if asked is None or repaired is None:
        return replace(planned, fallback=True)
    causes = [(event.field, event.cause) for event in repaired.events]
    return replace(planned, cuts=cuts(asked, planned.decision, causes))


def _round_row(identity: Identity, played: PlayedRound, seat: int) -> RoundRow:
    turn = played.turns[seat]
    n_events = sum(not event.category.startswith("infra_") for event in turn.events)
    return round_row(identity, turn.proposal, turn.decision, played.settled[seat].result, n_events)
