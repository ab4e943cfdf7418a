"""Markets of the five rules alone: what each firm ends at, and what bound it in each round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from ecologies.ecology import RULE_NAMES
from ecologies.local import PlayedRound, play_rounds
from ecologies.rules import rule_policy
from erpsim.funds import Funds
from erpsim.ledger import Account
from erpsim.parameters import RULES
from erpsim.plan import Plan
from erpsim.planning import line_of
from erpsim.problem import Problem
from erpsim.production import UNIT_TICKS, day_ticks
from erpsim.result import FirmRound
from erpsim.round import open_firm
from erpsim.state import FirmState
from erpsim.units import DAYS

WAIT_HOURS: Final = 24
"""Hours that the line must stand for a delivery before materials are said to bind."""
SPENT_SHARE: Final = 0.9
"""Share of what a firm may spend from which on cash is said to bind."""


class Binding(NamedTuple):
    """What kept a firm from more in one round."""

    capacity: bool  # after its last run the line had no room for another smallest lot
    materials: bool  # the line stood a day or longer for a delivery, or a run was cut for want of materials
    cash: bool  # overdraft, borrowing, distress, or nearly all that may be spent was spent
    storage: bool  # stock beyond what is free was charged


@dataclass(frozen=True)
class RuleMarket:
    """One problem played by the five rules."""

    problem: Problem
    valuations: tuple[tuple[float, ...], ...]  # by round, then rule in the order of RULE_NAMES; EUR
    bindings: tuple[tuple[Binding, ...], ...]  # by round, then rule

    @property
    def final(self) -> tuple[float, ...]:
        """Valuations at the end by rule, EUR."""
        return self.valuations[-1]

    @property
    def winner(self) -> int:
        """Index of the rule that is worth most."""
        return max(range(len(self.final)), key=lambda index: self.final[index])


async def rule_market(problem: Problem) -> RuleMarket:
    """Play a problem with the five rules."""
    valuations: list[tuple[float, ...]] = []
    bindings: list[tuple[Binding, ...]] = []
    states = [open_firm(problem, seat) for seat in range(len(RULE_NAMES))]
    async for played in play_rounds(problem, [rule_policy(name) for name in RULE_NAMES]):
        valuations.append(tuple(one.result.valuation for one in played.settled))
        bindings.append(tuple(_binding(state, problem, played, seat) for seat, state in enumerate(states)))
        states = [one.state for one in played.settled]
    return RuleMarket(problem, tuple(valuations), tuple(bindings))


def _binding(state: FirmState, problem: Problem, played: PlayedRound, seat: int) -> Binding:
    plan, result = played.turns[seat].plan, played.settled[seat].result
    return Binding(
        capacity=_line_is_full(state, problem, plan),
        materials=_line_waits(state, problem, plan),
        cash=_money_is_short(state, problem, plan, result),
        storage=bool(result.moves[:, Account.STORAGE].any()),
    )


def _line_is_full(state: FirmState, problem: Problem, plan: Plan) -> bool:
    line, runs = line_of(state, problem, plan.decision), plan.schedule.runs
    free = DAYS * day_ticks(line) - (runs[-1].end if runs else 0)
    return free < UNIT_TICKS * RULES.lot_minimum + line.setup_hours * line.capacity


def _line_waits(state: FirmState, problem: Problem, plan: Plan) -> bool:
    line = line_of(state, problem, plan.decision)
    waited = sum(
        run.start - run.setup_start - run.setup * line.setup_hours * line.capacity for run in plan.schedule.runs
    )
    cut = any(outcome.code == "material" for outcome in plan.schedule.outcomes)
    return cut or waited >= WAIT_HOURS * line.capacity


def _money_is_short(state: FirmState, problem: Problem, plan: Plan, result: FirmRound) -> bool:
    cash = int(state.balances[Account.CASH]) + result.moves[:, Account.CASH].cumsum()
    ordered = sum(line.value for line in plan.purchases.lines) + int(plan.purchases.fees.sum())
    invested = plan.investments.capacity_cost + plan.investments.setup_cost + plan.investments.green_cost
    spent = ordered + int(plan.marketing.sum()) + invested + plan.finance.dividend
    overdrawn = bool((cash < 0).any())
    return (
        overdrawn
        or plan.finance.borrow > 0
        or state.credit.distressed
        or spent > SPENT_SHARE * Funds(state, problem).left
    )
