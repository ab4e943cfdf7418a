"""Rows say what the round was, in the columns and with the roundings of the record tables."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

import pytest

from erpsim.catalogue import ACTIVE
from erpsim.decision import Decision
from erpsim.events import Event, InfraRetry, ItemDropped, ProductionCapacitySkip
from erpsim.parameters import RULES_VERSION
from erpsim.proposal import Proposal, Usage
from erpsim.recording import cell_rows, decision_json, event_rows, outcome_row, round_row
from erpsim.records import Identity, OutcomeRow, RoundRow
from erpsim.round import open_firm
from tests.erpsim.samples import calm_problem, decision
from tests.erpsim.test_round import Played, play

IDENTITY = Identity(
    "0123456789ab", "arena", "", 0, "P900", "baseline", "calm", 7, "arena/P900", 0,
    "Almond", "standin/a", "model", "standin/a",
)  # fmt: skip


def _played() -> Played:
    problem = calm_problem()
    materials = ("wheat", "oats", "nuts", "small_box", "small_bag")
    asked = decision(
        purchase_orders=[{"material": name, "quantity": 20_000} for name in materials],
        production=[{"sku": "NUT-500", "quantity": 20_000}],
    )
    (row,), _ = play(problem, [open_firm(problem, 0)], [asked])
    return row


def test_round_row_is_the_results_in_euro() -> None:
    played = _played()
    proposal = Proposal(Decision(), "recovered", usage=Usage(2, 3, 1_000, 200, 0.01, "route"))
    row = round_row(IDENTITY, proposal, played.planned.decision, played.result, 4)
    assert {name: getattr(row, name) for name in asdict(IDENTITY)} == asdict(IDENTITY)
    assert (row.round, row.decision_status, row.n_events, row.llm_calls, row.route) == (1, "recovered", 4, 2, "route")
    assert row.cash == played.result.cash / 100
    assert row.price_mean == round(row.revenue / row.units_sold, 2) == 3.90
    assert row.market_share == 1.0
    assert json.loads(row.decision_json)["production"][0]["quantity"] == 20_000
    assert row.rules_version == RULES_VERSION


def test_row_of_a_round_without_sales_or_decision_has_no_price_and_no_proposal() -> None:
    problem = calm_problem()
    (idle,), _ = play(problem, [open_firm(problem, 0)], [Decision()])
    row = round_row(IDENTITY, Proposal(None, "fallback"), idle.planned.decision, idle.result, 0)
    assert (row.price_mean, row.market_share, row.proposal_json) == (None, 0.0, None)


def test_cells_are_the_24_active_ones_and_add_up() -> None:
    played = _played()
    rows = cell_rows(IDENTITY, played.result)
    assert len(rows) == ACTIVE.sum()
    assert sum(row.sold for row in rows) == played.result.units_sold > 0
    assert sum(row.unmet for row in rows) == played.result.units_lost
    assert all(row.demanded == row.sold - row.received + row.unmet for row in rows)
    nut = next(row for row in rows if (row.sku, row.channel) == ("NUT-500", "grocery"))
    assert nut.price == 3.90
    made = played.planned.arrivals[:, 0, 1].sum()
    assert nut.stock_end + nut.sold == made


def test_events_are_numbered_and_leave_infrastructure_to_the_volatile_tables() -> None:
    events: list[Event] = [
        ItemDropped("unknown_sku", "prices.X", "X", None, "a, b", "no such SKU"),
        InfraRetry("rate"),
        ProductionCapacitySkip("material", "production[0]", 16_000, None, "material", n=2),
    ]
    rows = event_rows(IDENTITY, 3, events)
    assert [(row.sequence, row.category, row.layer) for row in rows] == [
        (0, "item_dropped", "structural"),
        (1, "production_capacity_skip", "operational"),
    ]
    assert (rows[0].asked, rows[0].granted, rows[0].limit) == ('"X"', "null", '"a, b"')
    assert (rows[1].asked, rows[1].n, rows[1].round, rows[1].model) == ("16000", 2, 3, "standin/a")


def test_outcome_is_the_last_rounds_valuation_without_a_rank_yet() -> None:
    played = _played()
    row = round_row(IDENTITY, Proposal(Decision()), played.planned.decision, played.result, 0)
    outcome = outcome_row(row, 6)
    assert (outcome.valuation, outcome.rank, outcome.n_rounds) == (row.valuation, None, 6)
    assert outcome.market_id == "arena/P900"


def test_what_was_asked_and_executed_without_a_change_is_the_same_text() -> None:
    played = _played()
    decided = played.planned.decision
    row = round_row(IDENTITY, Proposal(decided), decided, played.result, 0)
    assert row.proposal_json == row.decision_json == decision_json(decided)


def test_decision_text_reads_back_as_the_decision() -> None:
    decided = _played().planned.decision
    assert Decision.model_validate_json(decision_json(decided)) == decided


@pytest.mark.parametrize("row", [RoundRow, OutcomeRow])
def test_column_names_are_unique(row: type) -> None:
    names = [field.name for field in fields(row)]
    assert len(set(names)) == len(names)
