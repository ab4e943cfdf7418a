"""Rows and records that tests of the journal and the store share."""

from dataclasses import asdict
from typing import Any

from actors.entries import FirmRecords
from actors.llm.calls import CallRecord, Tokens
from erpsim.records import CellRow, EventRow, RoundRow

IDENTITY: dict[str, Any] = {
    "run_id": "0123456789ab",
    "ecology": "solo",
    "lineup": "",
    "trial": 0,
    "problem_id": "P001",
    "stratum": "baseline",
    "scenario": "calm",
    "seed": 1,
    "market_id": "solo/P001/a",
    "seat": 0,
    "firm": "Firm A",
    "policy": "a",
    "policy_kind": "model",
    "model": "a",
}


def round_row(**changes: Any) -> RoundRow:
    values: dict[str, Any] = {
        **IDENTITY,
        "round": 1,
        "proposal_json": None,
        "decision_json": "{}",
        "decision_status": "fallback",
        "valuation": 1.25,
        "valuation_zero_growth": 1.0,
        "net_income": -0.1,
        "revenue": 2.0,
        "units_sold": 3,
        "units_lost": 4,
        "fill_rate": 0.123456789,
        "cash": 5.0,
        "loan": 6.0,
        "equity": 7.0,
        "rating": "AA",
        "company_risk": 0.05,
        "dividends": 0.0,
        "capacity": 24000,
        "carbon_kg_scope1": 1.125,
        "carbon_kg_scope2": 2.0,
        "carbon_kg_scope3": 3.0,
        "carbon_cost": 4.0,
        "price_mean": None,
        "market_share": 0.5,
        "n_events": 1,
        "llm_calls": 2,
        "tool_calls": 1,
        "tokens_in": 10,
        "tokens_out": 20,
        "cost_usd": None,
        "route": "r",
        "rules_version": "1.0.0",
    }
    return RoundRow(**(values | changes))


def firm_records(**changes: Any) -> FirmRecords:
    row = round_row(**changes)
    shared = {name: value for name, value in asdict(row).items() if name in EventRow.__dataclass_fields__}
    event = EventRow(
        **shared,
        sequence=0,
        layer="structural",
        category="fallback_decision",
        code="no_json",
        field="",
        asked="null",
        granted="null",
        limit="null",
        cause="because",
        n=1,
    )
    cells = [
        CellRow(row.market_id, row.seat, row.round, sku, "grocery", 3.5, 10, 9, 1, 2, 50) for sku in ("NUT-500", "A")
    ]
    return FirmRecords(row, cells, [event])


def call_record(**changes: Any) -> CallRecord:
    values: dict[str, Any] = {
        "market_id": "solo/P001/a",
        "seat": 0,
        "model": "a",
        "round_number": 1,
        "ask": 0,
        "turn": 0,
        "attempt": 1,
        "digest": "d",
        "status": 200,
        "error_class": "",
        "final": True,
        "tokens": Tokens(10, None, 5, None),
        "latency_s": 0.25,
        "cost_usd": 0.01,
        "route": "m||",
        "request": "{}",
        "reply": "{}",
        "message": "",
    }
    return CallRecord(**(values | changes))
