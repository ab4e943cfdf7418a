"""The fallback decision: last prices, what was sold, its materials, and nothing that repair would have to mend."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from erpsim.catalogue import RECIPES, SKUS
from erpsim.decision import Finance
from erpsim.fallback import fallback
from erpsim.feasibility import repair
from erpsim.observe import observe
from erpsim.state import FirmState, OpenOrder
from erpsim.units import IntArray, frozen
from tests.erpsim.histories import past_round
from tests.erpsim.samples import calm_problem, opened

PROBLEM = calm_problem()


def _after_selling(units: IntArray, **changes: Any) -> FirmState:
    """A firm in round 2 whose last round sold these units by SKU."""
    sold = np.zeros((12, 3), dtype=np.int64)
    sold[:, 1] = units
    return opened(round_number=2, history=(past_round(sold=sold),), **changes)


def test_round_one_makes_what_the_market_study_expects_at_list_as_far_as_the_line_goes() -> None:
    decided = fallback(observe(opened(), PROBLEM, 6))
    assert decided.prices["NUT-500"] == {"grocery": 3.90, "independent": 3.90}
    # 30,093 units a day at list are 902,811 a round, NUT-500's 70,398 of them; after 7 days of waiting and 12 setups of
    # 8 h the line makes 23 x 24,000 - 12 x 8,000 = 456,000: NUT-500 gets 70,398 x 0.5051 = 35,557, in whole lots 35,000
    assert (decided.production[0].sku, decided.production[0].quantity) == ("NUT-500", 35_000)
    assert {item.sku for item in decided.production} == set(SKUS)
    assert decided.marketing == ()
    assert decided.finance == Finance()


def test_fallback_needs_no_repair_in_a_calm_round() -> None:
    state = opened()
    repaired = repair(state, PROBLEM, fallback(observe(state, PROBLEM, 6)))
    assert repaired.events == ()
    assert repaired.decision.production


def test_later_rounds_make_again_what_was_sold_in_lots_and_catalogue_order() -> None:
    sold = np.zeros(12, dtype=np.int64)
    sold[[0, 3, 4]] = (15_999, 65_500, 16_700)
    decided = fallback(observe(_after_selling(sold), PROBLEM, 6))
    # 15,999 and the rest of 17,500 − 17,000 are below a lot
    assert [(item.sku, item.quantity) for item in decided.production] == [
        ("RAISIN-500", 48_000),
        ("RAISIN-500", 17_000),
        ("ORIGINAL-500", 16_000),
    ]


def test_orders_are_the_need_beyond_stock_and_orders_under_way() -> None:
    sold = np.zeros(12, dtype=np.int64)
    sold[4] = 16_000  # ORIGINAL-500: 4,000 kg wheat, 4,000 kg oats, 16,000 small boxes and bags
    stock = np.zeros(10, dtype=np.int64)
    stock[5], stock[8] = 3_500, 16_000
    under_way = (OpenOrder(material=4, quantity=1_500, receipt_day=2, value=1),)
    decided = fallback(observe(_after_selling(sold, material_stock=frozen(stock), open_orders=under_way), PROBLEM, 6))
    assert [(order.material, order.quantity, order.vendor, order.day) for order in decided.purchase_orders] == [
        ("wheat", 2_500, "A", 1),
        ("oats", 1_000, "A", 1),  # 500 kg are missing; the smallest line is 1,000
        ("small_bag", 16_000, "A", 1),
    ]


def test_nothing_sold_means_nothing_made_or_bought() -> None:
    decided = fallback(observe(_after_selling(np.zeros(12, dtype=np.int64)), PROBLEM, 6))
    assert decided.production == ()
    assert decided.purchase_orders == ()


def test_a_fallback_with_stock_enough_orders_nothing() -> None:
    sold = np.zeros(12, dtype=np.int64)
    sold[0] = 20_000
    state = _after_selling(sold, material_stock=frozen(RECIPES[0] * 20))
    decided = fallback(observe(state, PROBLEM, 6))
    assert [item.quantity for item in decided.production] == [20_000]
    assert decided.purchase_orders == ()
    assert repair(replace(state), PROBLEM, decided).events == ()
