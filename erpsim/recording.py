"""How one firm's finished round becomes rows of the record tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from itertools import repeat
from typing import Any, Final

import numpy as np

from erpsim.catalogue import ACTIVE, CHANNELS, SKUS
from erpsim.decision import Decision
from erpsim.events import Event, Scalar
from erpsim.parameters import RULES_VERSION
from erpsim.proposal import Proposal
from erpsim.records import (
    CARBON_DECIMALS,
    MONEY_DECIMALS,
    RATE_DECIMALS,
    CellRow,
    EventRow,
    Identity,
    OutcomeRow,
    RoundRow,
)
from erpsim.result import FirmRound
from erpsim.units import abreast, euros

_CELLS: Final = tuple(np.nonzero(ACTIVE))  # SKU indices and channel indices, (24,) each
_CELL_NAMES: Final = tuple(SKUS[j] for j in _CELLS[0]), tuple(CHANNELS[k] for k in _CELLS[1])
_SHARED_BY_EVENTS: Final = tuple(one.name for one in fields(EventRow) if one.name in Identity.__dataclass_fields__)


def decision_json(decision: Decision) -> str:
    """A decision as the compact JSON text that records hold."""
    return decision.model_dump_json()


def round_row(identity: Identity, proposal: Proposal, decision: Decision, done: FirmRound, n_events: int) -> RoundRow:
    """The row of one firm's finished round; `n_events` counts its events without infrastructure ones."""
    volume = int(np.add.reduce(done.history.report.volume, axis=None))
    usage, executed = proposal.usage, decision_json(decision)
    return RoundRow(
        **vars(identity),
        round=done.history.round_number,
        proposal_json=executed if proposal.decision is decision else _asked_json(proposal),
        decision_json=executed,
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


def _asked_json(proposal: Proposal) -> str | None:
    return None if proposal.decision is None else decision_json(proposal.decision)


def cell_rows(identity: Identity, done: FirmRound) -> list[CellRow]:
    """The 24 rows of one firm's finished round, by SKU and channel in catalogue order."""
    past = done.history
    prices = np.round(past.prices, MONEY_DECIMALS)[_CELLS].tolist()
    units = abreast([past.demanded, past.sold, past.received, past.unmet, done.goods_end])[
        :, _CELLS[0], _CELLS[1]
    ].tolist()
    shared = [repeat(value, len(prices)) for value in (identity.market_id, identity.seat, past.round_number)]
    return list(map(CellRow._make, zip(*shared, *_CELL_NAMES, prices, *units, strict=True)))


def event_rows(identity: Identity, round_number: int, events: Sequence[Event]) -> list[EventRow]:
    """The rows of one firm's events in one round; infrastructure events belong to the volatile tables."""
    graded = [event for event in events if not event.category.startswith("infra_")]
    shared = {name: getattr(identity, name) for name in _SHARED_BY_EVENTS} if graded else {}
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
