"""Rows of the public record tables, as plain dataclasses whose field order is the column order.

Money in EUR rounded to cents, rates and shares to 9 decimals, carbon to grams (3 decimals of kg). `rounds`, `cells`,
`outcomes` and `events` are a function of what was decided, byte for byte; `calls`, `failures` and `timings` hold all
that is volatile (times, attempts, infrastructure).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNELS, SKUS
from erpsim.decision import Decision
from erpsim.events import Event, Scalar
from erpsim.offer import Sales
from erpsim.parameters import RULES_VERSION
from erpsim.proposal import Proposal
from erpsim.result import FirmRound
from erpsim.units import euros

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
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    route: str
    rules_version: str


@dataclass(frozen=True)
class CellRow:
    """One firm, round and active cell of `cells`."""

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


def decision_json(decision: Decision) -> str:
    """A decision as the compact JSON text that records hold."""
    return decision.model_dump_json()


def round_row(identity: Identity, proposal: Proposal, decision: Decision, done: FirmRound, n_events: int) -> RoundRow:
    """The row of one firm's finished round; `n_events` counts its events without infrastructure ones."""
    volume = int(done.history.report.volume.sum())
    usage = proposal.usage
    return RoundRow(
        **{name.name: getattr(identity, name.name) for name in fields(Identity)},
        round=done.history.round_number,
        proposal_json=None if proposal.decision is None else decision_json(proposal.decision),
        decision_json=decision_json(decision),
        decision_status=proposal.status,
        valuation=round(done.valuation, MONEY_DECIMALS),
        valuation_zero_growth=round(done.valuation_zero_growth, MONEY_DECIMALS),
        net_income=euros(done.net_income),
        revenue=euros(done.revenue),
        units_sold=done.units_sold,
        units_lost=done.units_lost,
        fill_rate=round(done.fill_rate, RATE_DECIMALS),
        cash=euros(done.cash),
        loan=euros(done.loan),
        equity=euros(done.equity),
        rating=done.rating,
        company_risk=round(done.company_risk, RATE_DECIMALS),
        dividends=euros(done.dividends_paid),
        capacity=done.capacity,
        carbon_kg_scope1=round(float(done.carbon_kg[0]), CARBON_DECIMALS),
        carbon_kg_scope2=round(float(done.carbon_kg[1]), CARBON_DECIMALS),
        carbon_kg_scope3=round(float(done.carbon_kg[2]), CARBON_DECIMALS),
        carbon_cost=euros(done.carbon_cost),
        price_mean=round(euros(done.revenue) / done.units_sold, MONEY_DECIMALS) if done.units_sold else None,
        market_share=round(done.units_sold / volume, RATE_DECIMALS) if volume else 0.0,
        n_events=n_events,
        llm_calls=usage.llm_calls,
        tool_calls=usage.tool_calls,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost_usd=usage.cost_usd,
        route=usage.route,
        rules_version=RULES_VERSION,
    )


def cell_rows(identity: Identity, done: FirmRound, sales: Sales) -> list[CellRow]:
    """The 24 rows of one firm's finished round, by SKU and channel in catalogue order."""
    totals = np.stack([array.sum(axis=0) for array in (sales.demanded, sales.sold, sales.received, sales.unmet)])
    rows: list[CellRow] = []
    for j, k in np.argwhere(ACTIVE).tolist():
        demanded, sold, received, unmet = totals[:, j, k].tolist()
        price = round(float(done.history.prices[j, k]), MONEY_DECIMALS)
        place = (identity.market_id, identity.seat, done.history.round_number, SKUS[j], CHANNELS[k])
        rows.append(CellRow(*place, price, demanded, sold, received, unmet, int(done.goods_end[j, k])))
    return rows


def event_rows(identity: Identity, round_number: int, events: Sequence[Event]) -> list[EventRow]:
    """The rows of one firm's events in one round; infrastructure events belong to the volatile tables."""
    graded = [event for event in events if not event.category.startswith("infra_")]
    shared = {
        name.name: getattr(identity, name.name)
        for name in fields(EventRow)
        if name.name in Identity.__dataclass_fields__
    }
    return [
        EventRow(
            **shared,
            round=round_number,
            sequence=sequence,
            layer=event.layer,
            category=event.category,
            code=event.code,
            field=event.field,
            asked=_json_text(event.asked),
            granted=_json_text(event.granted),
            limit=_json_text(event.limit),
            cause=event.cause,
            n=event.n,
            rules_version=RULES_VERSION,
        )
        for sequence, event in enumerate(graded)
    ]


def outcome_row(row: RoundRow, n_rounds: int) -> OutcomeRow:
    """The outcome that a trajectory's last round gives; its rank is filled at export."""
    values: dict[str, Any] = {
        name.name: getattr(row, name.name) for name in fields(OutcomeRow) if name.name not in ("rank", "n_rounds")
    }
    return OutcomeRow(**values, rank=None, n_rounds=n_rounds)


def _json_text(value: Scalar) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
