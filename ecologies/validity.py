"""What a problem must fulfil beyond the types of its fields, so that every firm opens solvent.

All checks give messages that name the problem, the field, the value, the bound and the mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ecologies.disturbances import scenario
from erpsim.catalogue import ACTIVE, CHANNELS, MATERIALS, SKUS
from erpsim.conditions import OPENING_KINDS
from erpsim.errors import ProblemError
from erpsim.ledger import Account
from erpsim.opening import open_firm
from erpsim.problem import Disturbance, DisturbanceKind, Opening, Problem

PROBLEM_ID: Final = re.compile(r"(?!all$)[A-Za-z][A-Za-z0-9._-]{0,39}")
LIMIT_FACTOR: Final = 1.1
"""A problem's opening credit limit is at least this many times its opening loan."""


class Bounds(NamedTuple):
    """What a kind's magnitude may be."""

    low: float
    high: float
    unit: str
    whole: bool = False


MAGNITUDES: Final[dict[DisturbanceKind, Bounds]] = {
    "demand_slump": Bounds(-0.9, -0.01, "as a change of demand, such as -0.25"),
    "demand_surge": Bounds(0.01, 3.0, "as a change of demand, such as 0.45"),
    "channel_shift": Bounds(0.01, 0.9, "as a share of the source's demand"),
    "price_sensitivity": Bounds(0.5, 3.0, "as a factor on the price exponents"),
    "material_price": Bounds(0.2, 5.0, "as a factor on material prices"),
    "supplier_delay": Bounds(1, 20, "in whole days", whole=True),
    "capacity_outage": Bounds(0.01, 0.95, "as the share of hours lost"),
    "credit_freeze": Bounds(1, 1, "as 1 for every round of the freeze", whole=True),
    "carbon_price": Bounds(0.0, 2.0, "in EUR/kg"),
    "opening_overstock": Bounds(1, 5_000_000, "in whole units", whole=True),
    "opening_cash": Bounds(-100_000_000, -1, "in EUR below the usual cash", whole=True),
    "setup_time": Bounds(8, 24, "in whole hours of a setup", whole=True),
}


def check_panel(problems: Sequence[Problem], source: str) -> None:
    """Hold every problem of a panel, and their ids apart from each other.

    Raises:
        ProblemError: listing up to five faults, one a line.
    """
    if not problems:
        raise ProblemError(f"{source}: holds no problem; add at least one")
    ids = [problem.problem_id for problem in problems]
    twice = [f"problem {name} stands {ids.count(name)} times; give each its own id" for name in dict.fromkeys(ids)
             if ids.count(name) > 1]  # fmt: skip
    faults = [*twice, *(fault for problem in problems for fault in faults_of(problem))]
    if faults:
        more = [f"and {len(faults) - 5} more"] if len(faults) > 5 else []
        raise ProblemError("\n".join(f"{source}: {fault}" for fault in [*faults[:5], *more]))


def check(problem: Problem) -> None:
    """Hold one problem.

    Raises:
        ProblemError: listing its faults, one a line.
    """
    if faults := list(faults_of(problem)):
        raise ProblemError("\n".join(faults))


def faults_of(problem: Problem) -> Iterator[str]:
    """Give what is wrong with a problem, one sentence a fault; nothing when it can be played."""
    name = f"problem {problem.problem_id}"
    if not PROBLEM_ID.fullmatch(problem.problem_id):
        yield f"{name}: problem_id must be a letter and up to 39 letters, digits, '.', '_' or '-', not 'all'; rename it"
    if problem.scenario != (right := scenario(problem.disturbances)):
        yield f"{name}: scenario is {problem.scenario!r} but its disturbances make {right!r}; write that"
    for number, disturbance in enumerate(problem.disturbances):
        for fault in _disturbance_faults(disturbance, problem.horizon):
            yield f"{name}: disturbances.{number}.{fault}"
    shapes = list(_opening_faults(problem.opening))
    yield from (f"{name}: opening.{fault}" for fault in shapes)
    if not shapes:
        yield from (f"{name}: {fault}" for fault in _credit_faults(problem))


def _disturbance_faults(disturbance: Disturbance, horizon: int) -> Iterator[str]:
    kind, bounds = disturbance.kind, MAGNITUDES[disturbance.kind]
    for value in dict.fromkeys(disturbance.magnitude):
        if not bounds.low <= value <= bounds.high or (bounds.whole and value != round(value)):
            yield f"magnitude has {value:g}; {kind} is {bounds.unit}, {bounds.low:g} to {bounds.high:g}; mend it"
    last = disturbance.start_round + disturbance.length - 1
    if last > horizon:
        yield f"magnitude reaches round {last} of a game of {horizon}; start earlier or shorten it"
    if kind in OPENING_KINDS and (disturbance.start_round, disturbance.length) != (1, 1):
        yield f"start_round is {disturbance.start_round} over {disturbance.length} rounds; {kind} is of round 1 alone"
    ends = (disturbance.source, disturbance.target)
    if kind == "channel_shift" and (ends[0] == ends[1] or not set(ends) <= set(CHANNELS)):
        yield f"source and target are {ends[0]!r}, {ends[1]!r}; name two different ones of {', '.join(CHANNELS)}"
    if kind != "channel_shift" and any(ends):
        yield f"source and target are {ends[0]!r}, {ends[1]!r}; only channel_shift has them, leave them out"


def _opening_faults(opening: Opening) -> Iterator[str]:
    if opening.goods and len(opening.goods) != len(SKUS):
        yield f"goods has {len(opening.goods)} rows; give {len(SKUS)}, one a SKU, or none"
    for sku, row in enumerate(opening.goods[: len(SKUS)]):
        for channel, units in enumerate(row):
            if units and not ACTIVE[sku, channel]:
                yield f"goods has {units} of {SKUS[sku]} in {CHANNELS[channel]}, which never sells it; write 0"
    if opening.materials and len(opening.materials) != len(MATERIALS):
        yield f"materials has {len(opening.materials)} figures; give {len(MATERIALS)}, one a material, or none"
    yield from _unknown_materials(order.material for order in opening.orders)


def _unknown_materials(names: Iterable[str]) -> Iterator[str]:
    for number, name in enumerate(names):
        if name not in MATERIALS:
            yield f"orders.{number}.material is {name!r}; known: {', '.join(MATERIALS)}"


def _credit_faults(problem: Problem) -> Iterator[str]:
    firm = open_firm(problem, seat=0)
    loan, limit = -int(firm.balances[Account.LOAN]) / 100, firm.credit.limit / 100
    if limit < LIMIT_FACTOR * loan:
        yield (
            f"opening.loan is {loan:,.0f} EUR and the credit limit {limit:,.0f}; "
            f"the limit must be at least {LIMIT_FACTOR:g} x the loan: lower the loan or raise the cash"
        )
