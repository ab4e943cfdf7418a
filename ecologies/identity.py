"""Who a firm of a market is in the records."""

from __future__ import annotations

from ecologies.ecology import Market
from erpsim.catalogue import firm_name
from erpsim.problem import Problem
from erpsim.records import Identity


def identity_of(run_id: str, market: Market, problem: Problem, seat: int) -> Identity:
    """Give the columns that every row of one firm's trajectory shares; `model` is null for rules."""
    spec = market.seats[seat]
    return Identity(
        run_id=run_id,
        ecology=market.ecology,
        lineup=market.lineup,
        trial=market.trial,
        problem_id=problem.problem_id,
        stratum=problem.stratum,
        scenario=problem.scenario,
        seed=problem.seed,
        market_id=market.market_id,
        seat=seat,
        firm=firm_name(seat),
        policy=spec.label,
        policy_kind=spec.kind,
        model=None if spec.kind == "rule" else spec.label,
    )
