"""Repair: what each bound does to a proposal, that nothing is beyond it, and that it leaves its own work alone."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given

from erpsim.catalogue import ACTIVE, LIST_PRICES, MATERIALS
from erpsim.decision import Decision, Finance, Investment, MarketingItem
from erpsim.events import (
    FinanceAdjusted,
    InvestmentUnavailable,
    ItemDropped,
    MarketingAdjusted,
    OrderAdjusted,
    PriceAdjusted,
    ProductionCapacitySkip,
    ProductionQuantityClamped,
)
from erpsim.exogenous import material_prices
from erpsim.feasibility import ITEMS_MAXIMUM, repair
from erpsim.feasibility_prices import price_band
from erpsim.ledger import Account
from erpsim.problem import Problem
from erpsim.state import Credit, FirmState
from erpsim.units import frozen
from tests.erpsim.samples import calm_problem, decision, disturbance, opened
from tests.erpsim.strategies import decisions

PROBLEM = calm_problem()
FROZEN = calm_problem(disturbance("credit_freeze", 1.0))


def _with_money(cash: int, loan: int = 0, limit: int = 0, *, distressed: bool = False) -> FirmState:
    """A firm with so many cents of cash, loan and limit."""
    state = opened()
    balances = state.balances.copy()
    balances[Account.CASH], balances[Account.LOAN] = cash, -loan
    return replace(state, balances=frozen(balances), credit=Credit(0.03, limit, distressed))


def test_empty_decision_keeps_last_prices_and_makes_no_event() -> None:
    repaired = repair(opened(), PROBLEM, Decision())
    assert repaired.events == ()
    assert repaired.decision.prices["NUT-500"] == {"grocery": 3.90, "independent": 3.90}
    assert repaired.decision.prices["MIXED-1000"] == {"hypermarket": 5.06, "grocery": 5.06}
    assert repaired.decision.production == ()


@pytest.mark.parametrize(
    ("asked", "granted", "limit"),
    [
        (4.1049, 4.10, None),
        (1.17, 1.17, None),
        (1.16, 1.17, 1.17),
        (0.0, 1.17, 1.17),
        (-4.0, 1.17, 1.17),
        (19.5, 19.5, None),
        (1e300, 19.5, 19.5),
    ],
)
def test_price_goes_into_its_band_in_whole_cents(asked: float, granted: float, limit: float | None) -> None:
    # NUT-500: list 3.90, so 1.17 to 19.50
    repaired = repair(opened(), PROBLEM, decision(prices={"NUT-500": {"grocery": asked}}))
    assert repaired.decision.prices["NUT-500"] == {"grocery": granted, "independent": 3.90}
    events = [PriceAdjusted("band", "prices.NUT-500.grocery", asked, granted, limit)] if limit else []
    assert [replace(event, cause="") for event in repaired.events] == events


def test_price_band_never_leaves_its_multiples_of_list() -> None:
    for sku, list_price in enumerate(LIST_PRICES):
        low, high = price_band(sku)
        assert 0.3 * list_price <= low + 1e-9
        assert low < 0.3 * list_price + 0.01
        assert 5 * list_price - 0.01 < high <= 5 * list_price + 1e-9


def test_non_finite_price_is_dropped_before_any_clamping() -> None:
    absurd = Decision.model_construct(prices={"NUT-500": {"grocery": math.nan, "independent": math.inf}})
    repaired = repair(opened(), PROBLEM, absurd)
    assert repaired.decision.prices["NUT-500"] == {"grocery": 3.90, "independent": 3.90}
    assert [(event.code, event.asked) for event in repaired.events] == [("non_finite", "nan"), ("non_finite", "inf")]


def test_unknown_and_inactive_names_are_dropped_one_by_one() -> None:
    asked = decision(
        prices={"BRAN-500": 4.0, "NUT-500": {"hypermarket": 4.0, "kiosk": 4.0}},
        production=[
            {"sku": "BRAN-500", "quantity": 16_000},
            {"sku": "NUT-1000", "quantity": 0, "distribution": {"grocery": 1}},
        ],
        purchase_orders=[{"material": "corn", "quantity": 5_000}],
        marketing=[
            {"channel": "kiosk", "amount": 10},
            {"channel": "grocery", "sku": "BRAN-500", "amount": 10},
            {"channel": "hypermarket", "sku": "NUT-500", "amount": 10},
        ],
    )
    repaired = repair(opened(), PROBLEM, asked)
    assert [(event.code, event.field) for event in repaired.events] == [
        ("unknown_sku", "prices.BRAN-500"),
        ("inactive_cell", "prices.NUT-500.hypermarket"),
        ("unknown_channel", "prices.NUT-500.kiosk"),
        ("unknown_material", "purchase_orders[0].material"),
        ("unknown_channel", "marketing[0].channel"),
        ("unknown_sku", "marketing[1].sku"),
        ("inactive_cell", "marketing[2]"),
        ("unknown_sku", "production[0].sku"),
    ]
    assert all(isinstance(event, ItemDropped) for event in repaired.events)
    assert repaired.decision == repair(opened(), PROBLEM, Decision()).decision


def test_g4_21_negative_amounts_change_nothing_but_leave_a_record_each() -> None:
    asked = decision(
        production=[{"sku": "NUT-500", "quantity": -5_000}],
        purchase_orders=[{"material": "oats", "quantity": -1}],
        marketing=[{"channel": "grocery", "amount": -1}],
        finance={
            "borrow": -1,
            "repay": -2,
            "dividend": -1e6,
            "investments": [{"kind": "capacity", "amount": -1_000}, {"kind": "capacity", "amount": 0}],
        },
    )
    repaired = repair(opened(), PROBLEM, asked)
    assert [event.code for event in repaired.events] == ["out_of_range"] * 7
    assert repaired.decision == repair(opened(), PROBLEM, Decision()).decision


def test_order_line_is_cut_to_cash_beyond_payables_and_unused_credit() -> None:
    # 10,000 EUR of headroom in all: 4,000 cash less 1,000 payables due, 7,000 unused credit
    state = _with_money(400_000, loan=500_000, limit=1_200_000)
    due = state.payables_due.copy()
    due[3], due[40] = 100_000, 999_999_999
    state = replace(state, payables_due=frozen(due))
    repaired = repair(state, PROBLEM, decision(purchase_orders=[{"material": "oats", "quantity": 50_000}]))
    price = float(material_prices(PROBLEM, 1)[0, 5])
    quantity = repaired.decision.purchase_orders[0].quantity
    assert quantity * price <= 10_000.005 < (quantity + 1) * price
    (event,) = repaired.events
    assert isinstance(event, OrderAdjusted)
    assert (event.code, event.asked, event.granted, event.limit) == ("funds", 50_000, quantity, 10_000.0)


def test_first_line_of_an_order_pays_its_fee_and_the_rest_travel_free() -> None:
    # vendor B packaging: 2,000 EUR an order; 1,000 bags are worth some 100 EUR, boxes 200
    lines = [
        {"material": "small_bag", "quantity": 1_000, "vendor": "B", "day": 3},
        {"material": "small_box", "quantity": 1_000, "vendor": "B", "day": 3},
    ]
    enough = repair(_with_money(240_000), PROBLEM, decision(purchase_orders=lines))
    assert [line.quantity for line in enough.decision.purchase_orders] == [1_000, 1_000]
    short = repair(_with_money(200_000), PROBLEM, decision(purchase_orders=lines))
    assert short.decision.purchase_orders == ()
    assert [event.granted for event in short.events] == [None, None]


@pytest.mark.parametrize(
    ("line", "code", "granted"),
    [
        ({"quantity": 999}, "minimum", None),
        ({"quantity": 2_000, "day": 0}, "day", 1),
        ({"quantity": 2_000, "day": 31}, "day", 30),
        ({"quantity": 2_000, "day": 10**400}, "day", 30),
        ({"quantity": 10**400}, "quantity_cap", 10_000_000),
    ],
)
def test_order_line_out_of_bounds_is_moved_into_them(line: dict[str, int], code: str, granted: int | None) -> None:
    state = _with_money(10**12)
    repaired = repair(state, PROBLEM, decision(purchase_orders=[{"material": "oats", **line}]))
    (event,) = repaired.events
    assert isinstance(event, OrderAdjusted)
    assert (event.code, event.granted) == (code, granted)


def test_order_line_of_nothing_is_left_out_without_a_word() -> None:
    lines = [{"material": "oats", "quantity": 0}, {"material": "oats", "quantity": 2_000}]
    repaired = repair(_with_money(50_000_00), PROBLEM, decision(purchase_orders=lines))
    assert [line.quantity for line in repaired.decision.purchase_orders] == [2_000]
    assert repaired.events == ()


def test_distressed_firm_orders_within_its_cash_beyond_the_payables_due() -> None:
    # 10,000 EUR of cash, 6,000 due in the round: 4,000 left, whatever will be collected and whenever it is ordered
    state = _with_money(1_000_000, loan=900, limit=0, distressed=True)
    collections, payments = state.receivables_due.copy(), state.payables_due.copy()
    collections[0], payments[14] = 400_000, 600_000
    state = replace(state, receivables_due=frozen(collections), payables_due=frozen(payments))
    for day in (1, 30):
        lines = [{"material": "oats", "quantity": 50_000, "day": day}]
        (event,) = repair(state, PROBLEM, decision(purchase_orders=lines)).events
        assert (event.code, event.limit, event.cause) == ("funds", 4_000.0, "orders are paid at placement in distress")


@pytest.mark.parametrize(("problem", "distressed"), [(PROBLEM, True), (FROZEN, False)])
def test_cash_that_is_repaid_cannot_be_spent_as_well_where_nothing_can_be_borrowed(
    problem: Problem, distressed: bool
) -> None:
    state = _with_money(1_000_000, loan=600_000, limit=0, distressed=distressed)
    asked = decision(finance={"repay": 6_000}, marketing=[{"channel": "grocery", "amount": 10_000}])
    repaired = repair(state, problem, asked)
    assert (repaired.decision.finance.repay, repaired.decision.marketing[0].amount) == (6_000.0, 4_000.0)


def test_repayment_leaves_the_headroom_where_it_can_be_borrowed_again() -> None:
    state = _with_money(1_000_000, loan=600_000, limit=600_000)
    asked = decision(finance={"repay": 6_000}, marketing=[{"channel": "grocery", "amount": 10_000}])
    assert repair(state, PROBLEM, asked).events == ()


def test_distressed_firm_may_not_borrow_invest_or_pay_dividends() -> None:
    state = _with_money(10**9, loan=900, limit=0, distressed=True)
    asked = decision(
        finance={"borrow": 1, "repay": 4, "dividend": 1, "investments": [{"kind": "green_fleet", "amount": 1}]}
    )
    repaired = repair(state, PROBLEM, asked)
    assert repaired.decision.finance == Finance(repay=4.0)
    assert [(type(event), event.limit) for event in repaired.events] == [
        (FinanceAdjusted, 0.0),
        (InvestmentUnavailable, "distressed"),
        (FinanceAdjusted, 0.0),
    ]


def test_credit_freeze_stops_loans_and_investments_only() -> None:
    problem = FROZEN
    asked = decision(
        finance={"borrow": 5, "investments": [{"kind": "capacity", "amount": 1_000}]},
        marketing=[{"channel": "grocery", "amount": 1_000}],
    )
    repaired = repair(opened(problem), problem, asked)
    assert [event.limit for event in repaired.events] == [0.0, "credit_freeze"]
    assert repaired.decision.marketing[0].amount == 1_000


def test_what_needs_no_mending_is_executed_as_the_very_items_asked() -> None:
    asked = decision(
        production=[{"sku": "NUT-500", "quantity": 16_000, "distribution": {"grocery": 1.0}}],
        purchase_orders=[{"material": name, "quantity": 20_000} for name in MATERIALS],
        marketing=[{"channel": "grocery", "amount": 100.0}],
    )
    executed = repair(opened(), calm_problem(), asked).decision
    for section in ("production", "purchase_orders", "marketing"):
        pairs = zip(getattr(asked, section), getattr(executed, section), strict=True)
        assert all(one is other for one, other in pairs), section


def test_what_is_executed_as_it_stands_is_the_very_decision_asked() -> None:
    filled = repair(opened(), PROBLEM, decision(finance={"borrow": 1_000.0})).decision
    assert repair(opened(), PROBLEM, filled).decision is filled
    # A rationale is kept with the proposal alone; the rest is still the same.
    told = filled.model_copy(update={"rationale": "as before"})
    executed = repair(opened(), PROBLEM, told).decision
    assert executed == filled
    assert executed.prices is filled.prices
    assert executed.finance is filled.finance


def test_what_is_equal_and_written_otherwise_is_executed_as_repair_writes_it() -> None:
    filled = repair(opened(), PROBLEM, Decision()).decision
    turned = filled.model_copy(update={"prices": dict(reversed(filled.prices.items()))})
    signed = filled.model_copy(update={"finance": Finance(borrow=-0.0)})
    for asked in (turned, signed):
        assert asked == filled
        assert asked.model_dump_json() != filled.model_dump_json()
        assert repair(opened(), PROBLEM, asked).decision.model_dump_json() == filled.model_dump_json()


def test_marketing_takes_what_orders_leave_down_to_the_cent() -> None:
    asked = decision(
        marketing=[{"channel": "grocery", "amount": 70.005}, {"channel": "independent", "amount": 50}, *_NOTHING]
    )
    repaired = repair(_with_money(10_000), PROBLEM, asked)
    assert [item.amount for item in repaired.decision.marketing] == [70.0, 30.0]
    (event,) = repaired.events
    assert isinstance(event, MarketingAdjusted)
    assert (event.asked, event.granted, event.limit) == (50.0, 30.0, 30.0)
    left_out = repair(_with_money(0), PROBLEM, asked)
    assert left_out.decision.marketing == ()


_NOTHING = [{"channel": "independent", "amount": 0}]


def test_investments_are_granted_in_whole_steps_up_their_ladders() -> None:
    asked = decision(
        finance={
            "investments": [
                {"kind": "capacity", "amount": 2_999},
                {"kind": "capacity", "amount": 999},
                {"kind": "setup_time", "amount": 9},
                {"kind": "setup_time", "amount": 1},
                {"kind": "green_production", "amount": 2},
                {"kind": "green_production", "amount": 2},
                {"kind": "capacity", "amount": 10**30},
            ]
        }
    )
    # 6.7 M: 2,000 units cost 1 + 1.05 M, setup 1.25 M, three green steps 0.03 M; then 1.10 + 1.15 M, and 0.12 M is left
    repaired = repair(_with_money(670_000_000), PROBLEM, asked)
    granted = repaired.decision.finance.investments
    assert [(item.kind, item.amount) for item in granted] == [
        ("capacity", 2_000),
        ("setup_time", 5),
        ("green_production", 2),
        ("green_production", 1),
        ("capacity", 2_000),
    ]
    assert [(type(event).__name__, event.limit) for event in repaired.events] == [
        ("FinanceAdjusted", "step"),
        ("InvestmentUnavailable", "step"),
        ("FinanceAdjusted", "ladder"),
        ("InvestmentUnavailable", "ladder"),
        ("FinanceAdjusted", "ladder"),
        ("FinanceAdjusted", "funds"),
    ]
    assert repaired.events[-1].asked == "over 1e15"


def test_loan_stays_within_the_limit_and_repayment_within_cash_and_loan() -> None:
    asked = decision(finance={"borrow": 80, "repay": 80, "dividend": 1})
    repaired = repair(_with_money(3_000, loan=5_000, limit=12_000), PROBLEM, asked)
    assert repaired.decision.finance == Finance(borrow=70.0, repay=30.0, dividend=0.0)
    assert [event.code for event in repaired.events] == ["borrow", "repay", "dividend"]


def test_production_is_clamped_or_skipped_with_the_binding_limit() -> None:
    stock = opened().material_stock + 10_000_000
    state = opened(material_stock=frozen(stock))
    items = [("NUT-500", 48_500), ("NUT-500", 17_999), ("ORIGINAL-1000", 15_999), ("RAISIN-500", 10**30)]
    asked = decision(production=[{"sku": sku, "quantity": quantity} for sku, quantity in items])
    repaired = repair(state, PROBLEM, asked)
    assert [(item.sku, item.quantity) for item in repaired.decision.production] == [
        ("NUT-500", 48_000),
        ("NUT-500", 17_000),
        ("RAISIN-500", 48_000),
    ]
    assert [(type(event), event.code, event.granted) for event in repaired.events] == [
        (ProductionQuantityClamped, "lot_maximum", 48_000),
        (ProductionQuantityClamped, "lot_step", 17_000),
        (ProductionCapacitySkip, "lot_size", None),
        (ProductionQuantityClamped, "lot_maximum", 48_000),
    ]
    assert repaired.events[-1].asked == "over 1e15"


def test_production_without_materials_is_skipped() -> None:
    repaired = repair(opened(), PROBLEM, decision(production=[{"sku": "NUT-500", "quantity": 16_000}]))
    assert repaired.decision.production == ()
    (event,) = repaired.events
    assert (event.category, event.code) == ("production_capacity_skip", "material")


def test_distribution_keeps_usable_weights_and_falls_back_to_the_default() -> None:
    state = opened(material_stock=frozen(opened().material_stock + 10_000_000))
    shares = [
        {"grocery": 7, "independent": 3, "hypermarket": 1, "kiosk": 2},
        {"grocery": -1, "independent": 0},
        {"grocery": 1.7e308, "independent": 1.7e308},
    ]
    asked = decision(production=[{"sku": "NUT-500", "quantity": 16_000, "distribution": one} for one in shares])
    repaired = repair(state, PROBLEM, asked)
    assert [item.distribution for item in repaired.decision.production] == [
        {"grocery": 7.0, "independent": 3.0},
        None,
        None,
    ]
    assert [event.code for event in repaired.events] == [
        "inactive_cell",
        "unknown_channel",
        "out_of_range",
        "no_share",
        "no_share",
    ]


def test_lists_longer_than_the_maximum_are_cut() -> None:
    asked = Decision(
        marketing=(MarketingItem(channel="grocery", amount=1.0),) * (ITEMS_MAXIMUM + 3),
        finance=Finance(investments=(Investment(kind="green_fleet", amount=0),) * (ITEMS_MAXIMUM + 1)),
    )
    repaired = repair(opened(), PROBLEM, asked)
    assert len(repaired.decision.marketing) == ITEMS_MAXIMUM
    assert [(event.code, event.field, event.n) for event in repaired.events] == [
        ("too_many", "marketing", 3),
        ("too_many", "finance.investments", 1),
    ]


@pytest.mark.parametrize("absurd", [-(10**5000), 10**5000], ids=["below", "over"])
def test_absurd_whole_numbers_are_recorded_as_short_texts(absurd: int) -> None:
    asked = decision(
        production=[{"sku": "NUT-500", "quantity": absurd}],
        purchase_orders=[
            {"material": "oats", "quantity": absurd},
            {"material": "oats", "quantity": 1_000, "day": absurd},
        ],
        finance={"investments": [{"kind": "capacity", "amount": absurd}]},
    )
    repaired = repair(opened(), PROBLEM, asked)
    assert {event.asked for event in repaired.events} & {"over 1e15", "below -1e15"}
    assert len(json.dumps([event.asked for event in repaired.events])) < 200


def test_amounts_are_cut_to_the_cent_below() -> None:
    asked = decision(marketing=[{"channel": "grocery", "amount": 0.29}, {"channel": "grocery", "amount": 0.999}])
    repaired = repair(opened(), PROBLEM, asked)
    assert [item.amount for item in repaired.decision.marketing] == [0.29, 0.99]


@given(decisions)
def test_repair_is_total_and_leaves_its_own_work_alone(asked: Decision) -> None:
    for state in (opened(), _with_money(-5), _with_money(50_000_000, loan=900, limit=0, distressed=True)):
        repaired = repair(state, PROBLEM, asked)
        again = repair(state, PROBLEM, repaired.decision)
        assert again.events == ()
        assert again.decision == repaired.decision
        assert sum(len(row) for row in repaired.decision.prices.values() if isinstance(row, dict)) == ACTIVE.sum()
