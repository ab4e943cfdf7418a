from dataclasses import replace

import numpy as np
import pytest

from erpsim.catalogue import MATERIAL_INDEX, MATERIAL_PRICES, SKU_INDEX
from erpsim.state import OpenOrder
from erpsim.tool_arguments import Arguments
from erpsim.view_supply import inventory_view, materials_view
from tests.erpsim.histories import past_round, seen, units

NUT, MIXED = SKU_INDEX["NUT-500"], SKU_INDEX["MIXED-500"]
PRICES = np.stack([MATERIAL_PRICES] * 6)


def test_days_of_cover_are_stock_over_last_rounds_demand() -> None:
    past = past_round(demanded=units(NUT_500_grocery=30_000), produced=np.full(12, 16_000))
    view = inventory_view(seen(past, goods_stock=units(NUT_500_grocery=12_500, NUT_500_independent=7)), Arguments())
    assert view["goods"]["NUT-500"] == {
        "stock": {"grocery": 12_500, "independent": 7},
        "demand_per_day": {"grocery": 1_000, "independent": 0},
        "days_of_cover": {"grocery": 12.5, "independent": None},
        "total": 12_507,
        "unit_cost": pytest.approx(0.96, abs=0.2),
        "material_cost": pytest.approx(0.96, abs=0.2),
        "made_last_round": 16_000,
    }


def test_before_there_are_sales_cover_is_by_the_market_study() -> None:
    goods = inventory_view(seen(goods_stock=units(NUT_500_grocery=12_824)), Arguments())["goods"]["NUT-500"]
    assert goods["demand_per_day"]["grocery"] == 1_282
    assert goods["days_of_cover"]["grocery"] == 10
    assert goods["made_last_round"] is None


def test_filters_choose_products_and_channels() -> None:
    view = inventory_view(seen(), Arguments(skus=(NUT,), channels=(0, 1)))
    assert list(view["goods"]) == ["NUT-500"]
    assert list(view["goods"]["NUT-500"]["stock"]) == ["grocery"]


def test_storage_tells_what_stock_beyond_the_free_amounts_costs_now() -> None:
    materials = np.zeros(10, dtype=np.int64)
    materials[MATERIAL_INDEX["oats"]], materials[MATERIAL_INDEX["small_bag"]] = 300_001, 750_000
    view = inventory_view(seen(goods_stock=units(NUT_500_grocery=250_001), material_stock=materials), Arguments())
    cost = {kind: (row["stock"], row["eur_per_day"]) for kind, row in view["storage"].items()}
    assert cost == {"goods": (250_001, 500), "food": (300_001, 2_000), "packaging": (750_000, 0)}


def test_the_line_tells_what_it_is_set_up_for() -> None:
    observation = seen()
    line = inventory_view(observation, Arguments())["line"]
    assert (line["units_per_hour"], line["hours"], line["setup_hours"], line["set_up_for"]) == (1_000, 720, 8, None)
    plant = replace(observation.plant, last_sku=MIXED)
    assert inventory_view(replace(observation, plant=plant), Arguments())["line"]["set_up_for"] == "MIXED-500"


def test_materials_tell_stock_deliveries_and_prices() -> None:
    orders = (OpenOrder(5, 700, 34, 1), OpenOrder(5, 900, 2, 1), OpenOrder(4, 1, 1, 1))
    view = materials_view(seen(open_orders=orders, material_prices=PRICES), Arguments(materials=(5, 6)))
    assert view["materials"] == {
        "oats": {
            "unit": "kg", "stock": 0, "under_way": [{"day": 2, "quantity": 900}, {"day": 34, "quantity": 700}],
            "price_by_week": [0.92] * 6,
        },
        "large_box": {"unit": "pieces", "stock": 0, "under_way": [], "price_by_week": [0.28] * 6},
    }  # fmt: skip
    assert view["vendors"]["B"] == {
        "price_factor": 1.03, "lead_days": [1, 2], "food_fee_eur": 1_000, "packaging_fee_eur": 2_000
    }  # fmt: skip
    assert "plan" not in view


def test_recipes_are_quantities_of_a_thousand_units() -> None:
    view = materials_view(seen(), Arguments(skus=(NUT,)))
    assert view["recipes"] == {
        "NUT-500": {"nuts": 150, "wheat": 175, "oats": 175, "small_box": 1_000, "small_bag": 1_000}
    }


def test_a_plan_is_netted_against_stock_and_deliveries_and_priced() -> None:
    """48,000 NUT-500 need 7,200 kg of nuts and 8,400 kg each of wheat and oats; 3,000 kg of nuts are here or coming."""
    stock = np.zeros(10, dtype=np.int64)
    stock[MATERIAL_INDEX["nuts"]], stock[MATERIAL_INDEX["wheat"]], stock[MATERIAL_INDEX["oats"]] = 1_000, 9_000, 8_000
    orders = (OpenOrder(MATERIAL_INDEX["nuts"], 2_000, 3, 1),)
    observation = seen(material_stock=stock, open_orders=orders, material_prices=PRICES)
    plan = materials_view(observation, Arguments(plan={NUT: 48_000}, materials=(0, 4, 5)))["plan"]
    rows = {
        name: tuple(row[key] for key in ("need", "on_hand", "under_way", "to_order", "value_eur"))
        for name, row in plan["materials"].items()
    }
    assert rows == {
        "nuts": (7_200, 1_000, 2_000, 4_200, 7_644),
        "wheat": (8_400, 9_000, 0, 0, 0),
        "oats": (8_400, 8_000, 0, 1_000, 920),
    }
    assert plan["value_eur"] == 8_564


def test_a_plan_takes_its_hours_and_a_setup_at_every_change_of_product() -> None:
    observation = seen()
    fresh = materials_view(observation, Arguments(plan={NUT: 96_000, MIXED: 16_000, SKU_INDEX["NUT-1000"]: 0}))["plan"]
    assert (fresh["hours_needed"], fresh["setups"], fresh["hours"]) == (112 + 2 * 8, 2, 720)
    set_up = replace(observation, plant=replace(observation.plant, last_sku=NUT, capacity=48_000))
    assert materials_view(set_up, Arguments(plan={NUT: 96_000}))["plan"]["hours_needed"] == 48
