"""Small records made by hand: rows of the public tables, frames of them, and the plan that they fulfil."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

import pandas as pd

from analysis.coverage import PlannedTrajectory
from analysis.load import Records
from erpsim.records import CallRow, EventRow, FailureRow, OutcomeRow, RoundRow

RUN_ID = "0123456789ab"
RULES = "1.0"


def outcome(ecology: str, problem_id: str, model: str, valuation: float, seat: int = 0) -> OutcomeRow:
    market_id = f"solo/{problem_id}/{model}" if ecology == "solo" else f"{ecology}/{problem_id}"
    return OutcomeRow(
        run_id=RUN_ID,
        ecology=ecology,
        lineup="",
        trial=0,
        problem_id=problem_id,
        stratum="baseline",
        scenario="calm",
        seed=7,
        market_id=market_id,
        seat=seat,
        firm=f"Firm {seat}",
        policy_kind="model",
        model=model,
        valuation=valuation,
        rank=None,
        n_rounds=2,
        rules_version=RULES,
    )


def rounds_of(row: OutcomeRow) -> list[RoundRow]:
    """The rounds that end in an outcome; each is worth half of the next."""
    shared = {field.name: getattr(row, field.name) for field in fields(OutcomeRow) if field.name not in ("rank",)}
    n_rounds = shared.pop("n_rounds")
    valuation = shared.pop("valuation")
    return [
        RoundRow(
            **shared,
            policy=str(row.model),
            round=number,
            proposal_json="{}",
            decision_json="{}",
            decision_status="clean",
            valuation=valuation / 2 ** (n_rounds - number),
            valuation_zero_growth=0.0,
            net_income=0.0,
            revenue=0.0,
            units_sold=0,
            units_lost=0,
            fill_rate=1.0,
            cash=0.0,
            loan=0.0,
            equity=0.0,
            rating="A",
            company_risk=0.02,
            dividends=0.0,
            capacity=1,
            carbon_kg_scope1=0.0,
            carbon_kg_scope2=0.0,
            carbon_kg_scope3=0.0,
            carbon_cost=0.0,
            price_mean=None,
            market_share=0.0,
            n_events=0,
            llm_calls=1,
            tool_calls=0,
            tokens_in=1,
            tokens_out=1,
            cost_usd=None,
            route="here",
        )
        for number in range(1, n_rounds + 1)
    ]


def event(ecology: str, model: str | None, category: str, n: int = 1) -> EventRow:
    return EventRow(
        run_id=RUN_ID,
        ecology=ecology,
        lineup="",
        trial=0,
        problem_id="P1",
        stratum="baseline",
        market_id="m",
        seat=0,
        firm="Firm 0",
        policy=model or "balanced",
        model=model,
        round=1,
        sequence=0,
        layer="operational",
        category=category,
        code="code",
        field="",
        asked="null",
        granted="null",
        limit="null",
        cause="",
        n=n,
        rules_version=RULES,
    )


def failure(market_id: str, cause: str, attempts: int = 1) -> FailureRow:
    return FailureRow(market_id, market_id.split("/", maxsplit=1)[0], "P1", None, 1, cause, attempts, "a message")


def call(market_id: str, model: str, **changes: Any) -> CallRow:
    values: dict[str, Any] = {
        "run_id": RUN_ID,
        "market_id": market_id,
        "seat": 0,
        "model": model,
        "round": 1,
        "ask": 0,
        "turn": 0,
        "attempt": 1,
        "status": 200,
        "error_class": "",
        "tokens_in": 100,
        "tokens_cached": None,
        "tokens_cache_write": None,
        "tokens_out": 10,
        "tokens_reasoning": None,
        "latency_s": 1.0,
        "cost_usd": 0.5,
        "route": "here",
        "used": True,
        "request": "{}",
        "reply": "{}",
    }
    return CallRow(**(values | changes))


def frame(rows: Sequence[object], row_type: type) -> pd.DataFrame:
    return pd.DataFrame([vars(row) for row in rows], columns=[field.name for field in fields(row_type)])


def records(
    outcomes: Sequence[OutcomeRow],
    events: Sequence[EventRow] = (),
    failures: Sequence[FailureRow] = (),
    calls: Sequence[CallRow] = (),
) -> Records:
    """Records in which every outcome has its rounds."""
    return Records(
        rounds=frame([row for item in outcomes for row in rounds_of(item)], RoundRow),
        outcomes=frame(outcomes, OutcomeRow),
        events=frame(events, EventRow),
        failures=frame(failures, FailureRow),
        calls=frame(calls, CallRow),
        source="runs/sample/records",
    )


def planned(outcomes: Iterable[OutcomeRow]) -> tuple[PlannedTrajectory, ...]:
    """The plan that these outcomes fulfil."""
    return tuple(
        PlannedTrajectory(
            row.ecology, row.lineup, row.problem_id, row.trial, row.seat, row.market_id, str(row.model), row.n_rounds
        )
        for row in outcomes
    )


def two_by_two() -> list[OutcomeRow]:
    """Models a and b on P1 and P2; a wins P1 in Solo, b all the rest."""
    millions = {
        ("solo", "P1"): (5.0, 3.0),
        ("solo", "P2"): (2.0, 4.0),
        ("arena", "P1"): (1.0, 2.0),
        ("arena", "P2"): (3.0, 7.0),
    }
    return [
        outcome(ecology, problem_id, model, value * 1e6, seat)
        for (ecology, problem_id), values in millions.items()
        for seat, (model, value) in enumerate(zip("ab", values, strict=True))
    ]


def in_lineup(row: OutcomeRow, lineup: str) -> OutcomeRow:
    """The same outcome in a Mixed market."""
    return replace(row, ecology="mixed", lineup=lineup, market_id=f"mixed/{lineup}/{row.problem_id}")
