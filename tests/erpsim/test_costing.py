"""Moving averages by hand: receipts before use, days in order, the last piece takes the last cent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.catalogue import MATERIAL_CLASSES, MATERIAL_INDEX, MATERIALS, SKU_INDEX, SKUS
from erpsim.costing import Issued, Opening, Received, Sold, issue_materials, sell_goods, steps_of
from erpsim.procurement import Deliveries, deliveries, purchases
from erpsim.production import Batches
from erpsim.state import OpenOrder
from erpsim.units import DAYS, IntArray
from tests.erpsim.samples import calm_problem

WHEAT = MATERIAL_INDEX["wheat"]
OATS = MATERIAL_INDEX["oats"]
FOOD = MATERIAL_CLASSES.index("food")


def _materials(**amounts: int) -> IntArray:
    row = np.zeros(len(MATERIALS), dtype=np.int64)
    for name, amount in amounts.items():
        row[MATERIAL_INDEX[name]] = amount
    return row


def _batches(*uses: tuple[str, int, str, int]) -> Batches:
    """A run for each use: (SKU, day, material, quantity)."""
    usage = np.zeros((len(uses), len(MATERIALS)), dtype=np.int64)
    for row, (_, _, material, quantity) in enumerate(uses):
        usage[row, MATERIAL_INDEX[material]] = quantity
    days = np.array([day - 1 for _, day, *_ in uses], dtype=np.int64)
    skus = np.array([SKU_INDEX[sku] for sku, *_ in uses], dtype=np.int64)
    return Batches(np.arange(len(uses)), days, skus, np.full(len(uses), 16_000), usage)


def _deliveries(*orders: OpenOrder) -> Deliveries:
    return deliveries(orders, purchases((), calm_problem(), 1, prepaid=False))


def _issue(opening: Opening, coming: Deliveries, batches: Batches) -> Issued:
    """One firm's materials; figures of a single firm, without the axis of firms."""
    received = Received(coming.quantities[None], coming.values[None])
    issued = issue_materials(Opening(opening.stock[None], opening.value[None]), received, steps_of([batches]))
    return Issued(*(figures[0] for figures in vars(issued).values()))


def _sell(opening: Opening, *days: IntArray) -> Sold:
    """One firm's goods, alike."""
    sold = sell_goods(Opening(opening.stock[None], opening.value[None]), *(table[None] for table in days))
    return Sold(*(figures[0] for figures in vars(sold).values()))


def _goods(**amounts: int) -> IntArray:
    row = np.zeros(len(SKUS), dtype=np.int64)
    row[0] = amounts.get("first", 0)
    return row


def _days(*amounts: int) -> IntArray:
    days = np.zeros((DAYS, len(SKUS)), dtype=np.int64)
    days[: len(amounts), 0] = amounts
    return days


def test_a_receipt_moves_the_average_of_the_same_day_and_not_of_the_day_before() -> None:
    # 100 kg at 1.00; day 1 uses 50: 50.00. Day 2 receives 50 kg at 2.00 first: 100 kg at 1.50, uses 20: 30.00
    issued = _issue(
        Opening(_materials(wheat=100), _materials(wheat=100_00)),
        _deliveries(OpenOrder(WHEAT, 50, 2, 100_00)),
        _batches(("NUT-500", 1, "wheat", 50), ("NUT-500", 2, "wheat", 20)),
    )
    assert issued.cost[:3, FOOD].tolist() == [50_00, 30_00, 0]
    assert issued.value[WHEAT] == 120_00
    assert issued.made[:3, SKU_INDEX["NUT-500"]].tolist() == [50_00, 30_00, 0]


def test_orders_are_received_on_their_days_whatever_their_order() -> None:
    # day 2: 10 kg at 1.00, all used; day 9: 10 kg at 3.00, half used
    issued = _issue(
        Opening(_materials(), _materials()),
        _deliveries(OpenOrder(WHEAT, 10, 9, 30_00), OpenOrder(WHEAT, 10, 2, 10_00)),
        _batches(("NUT-500", 2, "wheat", 10), ("NUT-500", 9, "wheat", 5)),
    )
    assert issued.cost[[1, 8], FOOD].tolist() == [10_00, 15_00]
    assert issued.value[WHEAT] == 15_00


def test_runs_of_one_day_share_the_average_and_each_sku_carries_its_own() -> None:
    # 3 kg for 1.00: the first takes 1/3, 33 cents; the second the rest, 67
    issued = _issue(
        Opening(_materials(oats=3), _materials(oats=100)),
        _deliveries(),
        _batches(("NUT-500", 4, "oats", 1), ("RAISIN-500", 4, "oats", 2)),
    )
    assert issued.made[3, SKU_INDEX["NUT-500"]] == 33
    assert issued.made[3, SKU_INDEX["RAISIN-500"]] == 67
    assert issued.cost[3, FOOD] == 100
    assert issued.value[OATS] == 0


@pytest.mark.parametrize(("part", "whole", "cost"), [(1, 3, 33), (2, 3, 67), (3, 3, 100), (1, 200, 1), (1, 201, 0)])
def test_a_share_of_one_euro_is_rounded_with_halves_upward(part: int, whole: int, cost: int) -> None:
    opening = Opening(_materials(oats=whole), _materials(oats=100))
    issued = _issue(opening, _deliveries(), _batches(("NUT-500", 1, "oats", part)))
    assert (issued.cost[0, FOOD], issued.value[OATS]) == (cost, 100 - cost)
    nothing = _days(0)
    sold = _sell(Opening(_goods(first=whole), _goods(first=100)), _days(part), nothing, nothing)
    assert (sold.cost[0], sold.value[0]) == (cost, 100 - cost)


def test_orders_that_nothing_uses_are_received_all_the_same() -> None:
    coming = _deliveries(OpenOrder(WHEAT, 10, 30, 70), OpenOrder(OATS, 5, 2, 30), OpenOrder(WHEAT, 10, 2, 11))
    issued = _issue(Opening(_materials(), _materials()), coming, _batches())
    assert issued.value[[WHEAT, OATS]].tolist() == [81, 30]
    assert not issued.cost.any()
    assert not issued.made.any()


@pytest.mark.parametrize("beyond", [0, 1])
def test_shares_of_more_than_64_bits_hold_are_exact_too(beyond: int) -> None:
    # Twice the value times the stock, and the stock, reach 2**63 - 1 at most, or just above it.
    stock = 3_000_000_001
    value = (2**63 - 1 - stock) // (2 * stock) + beyond
    parts = (1_000_000_000, 7, 2_000_000_000)
    uses = [("NUT-500", day, "oats", part) for day, part in enumerate(parts, start=1)]
    issued = _issue(Opening(_materials(oats=stock), _materials(oats=value)), _deliveries(), _batches(*uses))
    sold = _sell(Opening(_goods(first=stock), _goods(first=value)), _days(*parts), _days(0), _days(0))
    expected = []
    for part in parts:
        expected.append((2 * value * part + stock) // (2 * stock))
        value, stock = value - expected[-1], stock - part
    assert issued.cost[:3, FOOD].tolist() == sold.cost[:3].tolist() == expected
    assert issued.value[OATS] == sold.value[0] == value
    assert issued.stock[OATS] == stock


def test_a_fortune_in_stock_is_shared_to_the_cent() -> None:
    # 2 x 10**17 x 10**12 is far beyond 64 bits.
    sold = _sell(Opening(_goods(first=10**12), _goods(first=10**17)), _days(10**12 - 1), _days(0), _days(0))
    assert (sold.cost[0], sold.value[0]) == (10**17 - 10**5, 10**5)


def test_firms_side_by_side_keep_to_themselves() -> None:
    # The first firm runs twice, the second once, the third never; what each uses is its own.
    batches = [
        _batches(("NUT-500", 1, "wheat", 50), ("RAISIN-500", 2, "wheat", 20)),
        _batches(("MIXED-500", 30, "oats", 10)),
        _batches(),
    ]
    none = np.zeros((3, DAYS, len(MATERIALS)), dtype=np.int64)
    opening = Opening(np.full((3, len(MATERIALS)), 100), np.full((3, len(MATERIALS)), 100_00))
    issued = issue_materials(opening, Received(none, none), steps_of(batches))
    assert issued.stock[:, [WHEAT, OATS]].tolist() == [[30, 100], [100, 90], [100, 100]]
    assert issued.value[:, [WHEAT, OATS]].tolist() == [[30_00, 100_00], [100_00, 90_00], [100_00, 100_00]]
    assert [(day, *place) for day, *place in np.argwhere(issued.cost[0]).tolist()] == [(0, FOOD), (1, FOOD)]
    assert np.argwhere(issued.made).tolist() == [
        [0, 0, SKU_INDEX["NUT-500"]],
        [0, 1, SKU_INDEX["RAISIN-500"]],
        [1, 29, SKU_INDEX["MIXED-500"]],
    ]
    assert issued.stock_by_day[:, [0, 29], FOOD].tolist() == [[550, 530], [600, 590], [600, 600]]


def test_goods_sold_cost_the_average_before_the_days_output() -> None:
    # 100 units at 1.00. Day 1 sells 40: 40.00, then makes 60 for 120.00: 120 units for 180.00.
    # Day 2 sells 60: half, 90.00. Day 3 sells the other 60: 90.00, all that is left.
    sold = _sell(Opening(_goods(first=100), _goods(first=100_00)), _days(40, 60, 60), _days(60), _days(120_00))
    assert sold.cost[:4].tolist() == [40_00, 90_00, 90_00, 0]
    assert not sold.value.any()


@given(st.data())
def test_cost_and_value_left_add_up_to_what_came_in(data: st.DataObject) -> None:
    stock = data.draw(st.integers(0, 10**6))
    value = data.draw(st.integers(0, 10**14)) if stock else 0
    output = np.array(data.draw(st.lists(st.integers(0, 24_000), min_size=DAYS, max_size=DAYS)))
    made = np.where(output > 0, output * 111, 0)
    sold, left = np.zeros(DAYS, dtype=np.int64), stock
    for day in range(DAYS):
        sold[day] = data.draw(st.integers(0, left))
        left += int(output[day]) - int(sold[day])
    result = _sell(Opening(_goods(first=stock), _goods(first=value)), _days(*sold), _days(*output), _days(*made))
    assert result.cost.sum() + result.value.sum() == value + made.sum()
    assert (result.cost >= 0).all()
    assert result.value[0] >= 0
    assert left > 0 or result.value[0] == 0
