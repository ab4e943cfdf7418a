import json
from dataclasses import replace

import pytest

from actors.llm.standin_planner import capacity_units, plan
from actors.llm.standin_styles import STYLES, Style
from actors.llm.standin_supply import LATE_DAY, arrange, orders_for, value_of
from actors.llm.standin_view import View
from erpsim.decision import Decision
from erpsim.feasibility import repair
from erpsim.opening import open_firm
from tests.actors.llm.standin_talks import results, view_of
from tests.actors.llm.worlds import later_observation, opening_observation, small_problem

EVERY_STYLE = pytest.mark.parametrize("style", STYLES.values(), ids=list(STYLES))


def half(purpose: str) -> float:
    del purpose
    return 0.5


def decided(view: View, style: Style) -> Decision:
    return Decision.model_validate_json(json.dumps(plan(view, style, half)))


@EVERY_STYLE
def test_the_opening_plan_is_a_decision_that_needs_no_repair(style: Style) -> None:
    decision = decided(view_of(opening_observation()), style)
    repaired = repair(open_firm(small_problem(), 0), small_problem(), decision)
    assert [event for event in repaired.events if event.category != "production_quantity_clamped"] == []
    made = sum(item.quantity for item in repaired.decision.production)
    assert made > 300_000
    assert len({item.sku for item in decision.production}) >= 10


@EVERY_STYLE
def test_orders_cover_what_the_plan_makes(style: Style) -> None:
    view = view_of(opening_observation())
    decision = decided(view, style)
    bought: dict[str, int] = {}
    needed: dict[str, float] = {}
    for order in decision.purchase_orders:
        bought[order.material] = bought.get(order.material, 0) + order.quantity
    for item in decision.production:
        for material, per_thousand in view.recipes[item.sku].items():
            needed[material] = needed.get(material, 0.0) + item.quantity * per_thousand / 1000
    assert all(bought[material] >= amount for material, amount in needed.items())


def test_a_later_rounds_plan_counts_stock_and_materials_under_way() -> None:
    view = view_of(later_observation())
    style = STYLES["standin/c"]
    rich = {name: replace(supply, stock=10_000_000) for name, supply in view.supplies.items()}
    assert decided(view, style).purchase_orders
    assert not decided(replace(view, supplies=rich), style).purchase_orders


def test_the_last_round_buys_nothing_for_a_next_one_and_keeps_no_goods_back() -> None:
    view = view_of(later_observation())
    style = STYLES["standin/c"]
    last = replace(view, round_number=view.horizon)
    assert any(order.day == LATE_DAY for order in decided(view, style).purchase_orders)
    assert not any(order.day == LATE_DAY for order in decided(last, style).purchase_orders)
    assert decided(last, style).finance.investments == ()


def test_two_cycles_bring_each_large_sku_twice() -> None:
    view = view_of(opening_observation())
    style = STYLES["standin/c"]
    runs = arrange({"NUT-500": 60_000.0, "RAISIN-500": 40_000.0}, ["NUT-500", "RAISIN-500"], view, style)
    assert [(run.sku, run.quantity) for run in runs] == [
        ("NUT-500", 30_000),
        ("RAISIN-500", 20_000),
        ("NUT-500", 30_000),
        ("RAISIN-500", 20_000),
    ]
    # 48 h until the fast vendor's materials are there, then 30 h, 8 h of setup, 20 h, and so on
    assert [run.start_hour for run in runs] == [48.0, 86.0, 114.0, 152.0]


def test_early_runs_are_fed_by_the_fast_vendor_and_valued_with_its_mark_up() -> None:
    view = view_of(opening_observation())
    style = STYLES["standin/c"]
    runs = arrange({"ORIGINAL-1000": 20_000.0}, ["ORIGINAL-1000"], view, style)
    orders = orders_for(runs, replace(view, horizon=1), style)
    assert [(order.material, order.quantity, order.vendor, order.day) for order in orders] == [
        ("large_bag", 20_000, "B", 1),
        ("large_box", 20_000, "B", 1),
        ("oats", 10_000, "B", 1),
        ("wheat", 10_000, "B", 1),
    ]
    prices = {name: supply.prices[0] for name, supply in view.supplies.items()}
    packs = 20_000 * (prices["large_bag"] + prices["large_box"])
    foods = 10_000 * (prices["oats"] + prices["wheat"])
    assert value_of(orders, view) == pytest.approx(1.03 * (packs + foods))


def test_a_weaker_line_makes_less() -> None:
    view = view_of(opening_observation())
    style = STYLES["standin/c"]
    weak = replace(view, line=replace(view.line, hours=360.0))
    assert capacity_units(weak, style) < capacity_units(view, style)
    full, less = (sum(item.quantity for item in decided(seen, style).production) for seen in (view, weak))
    assert less < 0.7 * full


@EVERY_STYLE
def test_styles_play_differently(style: Style) -> None:
    view = view_of(opening_observation())
    others = [plan(view, other, half) for other in STYLES.values() if other is not style]
    assert plan(view, style, half)["prices"] not in [other["prices"] for other in others]


def test_a_poor_firm_orders_only_what_it_can_pay() -> None:
    answers = results(opening_observation())
    answers["get_finance"]["limits"]["funds"] = 200_000
    view = view_of(opening_observation(), answers)
    style = STYLES["standin/d"]
    decision = decided(view, style)
    prices = {name: supply.prices for name, supply in view.supplies.items()}
    bill = sum(
        order.quantity * prices[order.material][(order.day - 1) // 5] * (1.03 if order.vendor == "B" else 1.0)
        for order in decision.purchase_orders
    )
    assert 0 < bill <= 200_000
    assert decision.finance.investments == ()
