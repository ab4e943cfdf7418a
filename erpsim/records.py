"""Rows of the public record tables, as plain dataclasses or tuples whose field order is the column order.

Money in EUR rounded to cents, rates and shares to 9 decimals, carbon to grams (3 decimals of kg). `rounds`, `cells`,
`outcomes` and `events` are a function of what was decided, byte for byte; `calls`, `failures` and `timings` hold all
that is volatile (times, attempts, infrastructure).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

MONEY_DECIMALS: Final = 2
RATE_DECIMALS: Final = 9
CARBON_DECIMALS: Final = 3


@dataclass(frozen=True)
class Identity:
    """Who played where: the columns that every row of one firm's trajectory shares."""

    run_id: str
    ecology: str  # solo, arena or mixed
    lineup: str  # "" in solo and arena, a digest in mixed
    trial: int
    problem_id: str
    stratum: str
    scenario: str
    seed: int
    market_id: str
    seat: int
    firm: str
    policy: str
    policy_kind: str
    model: str | None  # None for rules


@dataclass(frozen=True)
class RoundRow(Identity):
    """One firm and round of `rounds`."""

    round: int
    proposal_json: str | None  # None on fallback
    decision_json: str
    decision_status: str
    valuation: float
    valuation_zero_growth: float
    net_income: float
    revenue: float
    units_sold: int
    units_lost: int
    fill_rate: float
    cash: float
    loan: float
    equity: float
    rating: str
    company_risk: float
    dividends: float
    capacity: int
    carbon_kg_scope1: float
    carbon_kg_scope2: float
    carbon_kg_scope3: float
    carbon_cost: float
    price_mean: float | None
    market_share: float
    n_events: int
    llm_calls: int
    tool_calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    route: str
    rules_version: str


class CellRow(NamedTuple):
    """One firm, round and active cell of `cells`; a tuple, which is made in a fraction of a dataclass's time."""

    market_id: str
    seat: int
    round: int
    sku: str
    channel: str
    price: float
    demanded: int
    sold: int
    received: int
    unmet: int
    stock_end: int


@dataclass(frozen=True)
class OutcomeRow:
    """One model trajectory of `outcomes`; `rank` is filled over a run's models when records are exported."""

    run_id: str
    ecology: str
    lineup: str
    trial: int
    problem_id: str
    stratum: str
    scenario: str
    seed: int
    market_id: str
    seat: int
    firm: str
    policy_kind: str
    model: str | None
    valuation: float
    rank: float | None
    n_rounds: int
    rules_version: str


@dataclass(frozen=True)
class EventRow:
    """One event of `events`; `sequence` orders the events of one firm and round."""

    run_id: str
    ecology: str
    lineup: str
    trial: int
    problem_id: str
    stratum: str
    market_id: str
    seat: int
    firm: str
    policy: str
    model: str | None
    round: int
    sequence: int
    layer: str
    category: str
    code: str
    field: str
    asked: str  # JSON text
    granted: str  # JSON text
    limit: str  # JSON text
    cause: str
    n: int
    rules_version: str


@dataclass(frozen=True)
class CallRow:
    """One attempt at a model's server of `calls`; `used` says whether its reply entered a decision."""

    run_id: str
    market_id: str
    seat: int
    model: str
    round: int
    ask: int
    turn: int
    attempt: int
    status: int | None
    error_class: str  # "" for a reply
    tokens_in: int | None
    tokens_cached: int | None
    tokens_cache_write: int | None
    tokens_out: int | None
    tokens_reasoning: int | None
    latency_s: float
    cost_usd: float | None
    route: str
    used: bool
    request: str
    reply: str


@dataclass(frozen=True)
class FailureRow:
    """One market that could not be played to its end in one try, of `failures`."""

    market_id: str
    ecology: str
    problem_id: str
    model: str | None
    round: int
    cause: str
    attempts: int
    message: str


@dataclass(frozen=True)
class TimingRow:
    """Where the time of one market's round went, of `timings`, in seconds."""

    market_id: str
    round: int
    queue_s: float
    model_s: float
    tools_s: float
    market_s: float
    journal_s: float
    overhead_s: float
