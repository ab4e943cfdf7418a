import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim import procurement
from erpsim.catalogue import MATERIAL_INDEX, MATERIALS, RECIPES
from erpsim.decision import PurchaseOrder, Vendor
from erpsim.exogenous import leads, material_prices
from erpsim.problem import Disturbance, MarketSettings, Opening, Problem
from erpsim.procurement import (
    OrderKey,
    PurchaseLine,
    Purchases,
    deliveries,
    line_value,
    order_fee,
    order_key,
    purchases,
    receipts,
)
from erpsim.production import Line, schedule
from erpsim.state import OpenOrder

OATS, NUTS, BOX, BAG = (MATERIAL_INDEX[name] for name in ("oats", "nuts", "large_box", "large_bag"))
PROBLEM = Problem(
    problem_id="P001",
    seed=7,
    stratum="hard",
    scenario="supplier_delay",
    horizon=6,
    opening=Opening(cash=3_000_000, loan=8_000_000),
    market=MarketSettings(size=1.0, trend=0.0, sensitivity=1.0, outside_share=0.25, material_level=1.0),
    disturbances=(Disturbance("supplier_delay", "strong", start_round=2, magnitude=(6.0,), announced=True),),
)


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices of 1.00 EUR in week 1 and 1.20 after; leads of 3 days from A and 1 from B, oats from A 5."""
    prices = np.full((6, 10), 1.2)
    prices[0] = 1.0
    days = np.full((30, 10, 2), (3, 1))
    days[:, OATS, 0] = 5
    monkeypatch.setattr(procurement, "material_prices", lambda problem, round_number: prices)
    monkeypatch.setattr(procurement, "leads", lambda problem, round_number: days)


def _order(material: str, quantity: int, vendor: Vendor = "A", day: int = 1) -> PurchaseOrder:
    return PurchaseOrder(material=material, quantity=quantity, vendor=vendor, day=day)


def _bought(*orders: PurchaseOrder, prepaid: bool = False) -> Purchases:
    return purchases(orders, PROBLEM, 1, prepaid)


@pytest.mark.parametrize(
    ("vendor", "day", "value"),
    # 10,000 kg at 0.99 EUR on days 1-5 and 1.10 EUR on days 6-10; vendor B takes 3 % more.
    [("A", 1, 9_900_00), ("A", 5, 9_900_00), ("A", 6, 11_000_00), ("B", 5, 10_197_00), ("B", 10, 11_330_00)],
)
def test_a_line_costs_the_price_of_the_week_it_is_placed_in(vendor: Vendor, day: int, value: int) -> None:
    prices = np.zeros((6, 10))
    prices[0, MATERIAL_INDEX["wheat"]], prices[1, MATERIAL_INDEX["wheat"]] = 0.99, 1.10
    assert line_value(_order("wheat", 10_000, vendor, day), prices) == value


def test_the_last_day_of_a_round_pays_its_sixth_weeks_price() -> None:
    prices = np.zeros((6, 10))
    prices[5, OATS] = 0.92
    assert line_value(_order("oats", 1_000, day=30), prices) == 920_00
    assert line_value(_order("oats", 1_000, day=25), prices) == 0


def test_a_lines_value_is_rounded_once() -> None:
    # 1,001 kg at 1.0733 EUR are 1,074.3733 EUR.
    prices = np.full((6, 10), 1.0733)
    assert line_value(_order("raisins", 1_001), prices) == 1_074_37


@pytest.mark.parametrize(
    ("material", "vendor", "fee"),
    [("oats", "A", 0), ("large_box", "A", 0), ("oats", "B", 1_000_00), ("small_bag", "B", 2_000_00)],
)
def test_only_vendor_b_takes_a_fee(material: str, vendor: str, fee: int) -> None:
    assert order_fee(material, vendor) == fee


def test_lines_of_one_vendor_class_and_day_have_one_key() -> None:
    assert order_key(_order("oats", 1_000, "B", 4)) == order_key(_order("nuts", 9_000, "B", 4)) == OrderKey(1, 0, 4)
    assert order_key(_order("small_bag", 1_000, "B", 4)) == OrderKey(1, 1, 4)
    assert order_key(_order("oats", 1_000, "A", 4)) == OrderKey(0, 0, 4)
    assert order_key(_order("oats", 1_000, "B", 5)) == OrderKey(1, 0, 5)


@pytest.mark.usefixtures("by_hand")
def test_merged_lines_share_one_fee_and_one_pickup() -> None:
    bought = _bought(
        _order("oats", 4_000, "B", 3), _order("nuts", 5_000, "B", 3), _order("oats", 6_000, "B", 3), prepaid=True
    )
    assert len(bought.lines) == 3
    assert bought.fees[2] == bought.fees.sum() == 1_000_00
    assert bought.pickups[2].tolist() == [1, 0]
    assert bought.pickups.sum() == 1
    assert bought.pickup_kg[2] == bought.pickup_kg.sum() == 10_000
    assert bought.prepaid


@pytest.mark.usefixtures("by_hand")
def test_vendors_classes_and_days_are_orders_of_their_own() -> None:
    bought = _bought(
        _order("oats", 1_000, "A", 3),
        _order("oats", 1_000, "B", 3),
        _order("large_box", 1_000, "A", 3),
        _order("large_bag", 1_000, "A", 3),
        _order("large_box", 1_000, "B", 3),
        _order("large_box", 1_000, "B", 4),
    )
    # Day 3: food of A 0 EUR and 10,000 kg, of B 1,000 EUR and 10,000 kg; packaging of A 0 EUR and 6,000 kg, of B
    # 2,000 EUR and 15,000 kg. Day 4: packaging of B again.
    assert bought.fees[2:4].tolist() == [3_000_00, 2_000_00]
    assert bought.pickups[2:4].tolist() == [[2, 2], [0, 1]]
    assert bought.pickup_kg[2:4].tolist() == [41_000, 15_000]
    assert bought.fees.sum() == 5_000_00


@pytest.mark.usefixtures("by_hand")
def test_lines_carry_their_value_and_the_morning_they_are_usable() -> None:
    bought = _bought(
        _order("oats", 2_000, day=5), _order("oats", 2_000, "B", day=6), _order("large_box", 3_000, day=29)
    )
    assert bought.lines == (
        PurchaseLine(OATS, 2_000, 0, day=5, value=2_000_00, receipt_day=10),
        PurchaseLine(OATS, 2_000, 1, day=6, value=2_472_00, receipt_day=7),
        PurchaseLine(BOX, 3_000, 0, day=29, value=3_600_00, receipt_day=32),
    )
    assert not bought.prepaid


@pytest.mark.usefixtures("by_hand")
def test_receipts_are_those_under_way_and_those_bought() -> None:
    under_way = [OpenOrder(OATS, 500, 6, 1_00), OpenOrder(NUTS, 700, 30, 1_00), OpenOrder(NUTS, 900, 31, 1_00)]
    arriving = receipts(under_way, _bought(_order("oats", 2_000), _order("large_bag", 4_000, day=27)))
    expected = np.zeros((30, 10), dtype=np.int64)
    expected[5, OATS], expected[29, NUTS], expected[29, BAG] = 2_500, 700, 4_000
    assert arriving.tolist() == expected.tolist()


@pytest.mark.usefixtures("by_hand")
def test_values_arrive_with_their_goods_and_what_was_prepaid_is_not_payable() -> None:
    under_way = [OpenOrder(OATS, 500, 6, 1_00), OpenOrder(NUTS, 700, 6, 9_00, prepaid=True)]
    coming = deliveries(under_way, _bought(_order("oats", 2_000)))
    assert coming.values[5, OATS] == 1_00 + 2_000_00
    assert coming.values[5, NUTS] == 9_00
    assert coming.values.sum() == 2_010_00
    assert (coming.payable[5], coming.payable.sum()) == (2_001_00, 2_001_00)


@pytest.mark.usefixtures("by_hand")
def test_late_orders_go_into_the_next_round() -> None:
    under_way = [OpenOrder(NUTS, 900, 31, 1_00), OpenOrder(NUTS, 700, 30, 1_00)]
    bought = _bought(_order("large_bag", 4_000, day=29), _order("oats", 2_000, day=25), prepaid=True)
    # Bags come on day 32, day 2 of the next round; oats on day 30, still in this one.
    assert deliveries(under_way, bought).later == (
        OpenOrder(NUTS, 900, 1, 1_00),
        OpenOrder(BAG, 4_000, 2, 4_800_00, prepaid=True),
    )


def test_buying_nothing_costs_nothing() -> None:
    bought = _bought()
    assert bought.lines == ()
    assert not bought.fees.any()
    assert not bought.pickup_kg.any()
    assert not receipts((), bought).any()
    assert deliveries((), bought).later == ()


def test_what_is_bought_cannot_be_edited() -> None:
    bought = _bought(_order("oats", 1_000))
    coming = deliveries((), bought)
    arrays = (bought.fees, bought.pickups, bought.pickup_kg, coming.quantities, coming.values, coming.payable)
    assert not any(array.flags.writeable for array in arrays)


def test_prices_and_leads_are_those_of_the_problems_round() -> None:
    # Round 2 delays vendor A, so a line placed late arrives in round 3.
    bought = purchases([_order("oats", 1_000, day=14), _order("nuts", 1_000, day=30)], PROBLEM, 2, False)
    oats, nuts = bought.lines
    assert oats.receipt_day == 14 + leads(PROBLEM, 2)[13, OATS, 0]
    assert oats.value == round(1_000 * material_prices(PROBLEM, 2)[2, OATS] * 100)
    assert nuts.receipt_day >= 30 + 2 + 6
    assert len(deliveries((), bought).later) == 1


def test_equal_lines_arrive_together() -> None:
    bought = _bought(_order("oats", 1_000, day=9), _order("oats", 7_000, day=9))
    assert bought.lines[0].receipt_day == bought.lines[1].receipt_day


# Choices rather than ranges: wide ranges are drawn near their lower end, where no material makes a whole lot.
ORDERS = st.lists(
    st.builds(
        _order,
        st.sampled_from(MATERIALS),
        st.sampled_from([1_000, 7_777, 30_000, 90_000]),
        st.sampled_from("AB"),
        st.sampled_from([1, 1, 2, 9, 20, 26, 29, 30]),
    ),
    min_size=4,
    max_size=25,
)
ITEMS = st.lists(
    st.tuples(st.sampled_from([0, 4, 5, 6, 11]), st.sampled_from([15_000, 16_000, 25_500, 48_000])), max_size=8
)
STOCK = st.lists(st.sampled_from([4_321, 30_000, 80_000, 80_000]), min_size=10, max_size=10)


@given(ORDERS)
def test_every_line_arrives_exactly_once(orders: list[PurchaseOrder]) -> None:
    bought = purchases(orders, PROBLEM, 2, prepaid=False)
    arrived = receipts((), bought).sum(axis=0)
    for order in deliveries((), bought).later:
        assert order.receipt_day >= 1
        arrived[order.material] += order.quantity
    assert arrived.tolist() == _ordered(orders).tolist()


@given(ORDERS, st.booleans())
def test_fees_and_pickups_count_distinct_orders(orders: list[PurchaseOrder], prepaid: bool) -> None:
    bought = purchases(orders, PROBLEM, 1, prepaid)
    keys = {(order.vendor, order.material in MATERIALS[:6], order.day) for order in orders}
    assert bought.pickups.sum() == len(keys)
    assert bought.fees.sum() == sum((1_000_00 if food else 2_000_00) for vendor, food, _ in keys if vendor == "B")


@given(STOCK, st.lists(st.tuples(ORDERS, ITEMS), min_size=1, max_size=3))
def test_materials_are_conserved_through_purchase_and_production(
    opening: list[int], rounds: list[tuple[list[PurchaseOrder], list[tuple[int, int]]]]
) -> None:
    stock = np.array(opening, dtype=np.int64)
    ordered, used = np.zeros(10, dtype=np.int64), np.zeros(10, dtype=np.int64)
    under_way: tuple[OpenOrder, ...] = ()
    last_sku = -1
    for round_number, (orders, items) in enumerate(rounds, start=1):
        bought = purchases(orders, PROBLEM, round_number, prepaid=False)
        arriving = receipts(under_way, bought)
        made = schedule(items, Line(24_000, 100, 8, last_sku), stock, arriving)
        ends = stock + np.cumsum(arriving - made.usage, axis=0)
        assert ends.min() >= 0
        stock, last_sku = ends[-1], made.last_sku
        under_way = deliveries(under_way, bought).later
        ordered += _ordered(orders)
        used += sum((RECIPES[run.sku] * run.quantity // 1_000 for run in made.runs), np.zeros(10, dtype=np.int64))
    coming = np.zeros(10, dtype=np.int64)
    for order in under_way:
        coming[order.material] += order.quantity
    assert (np.array(opening) + ordered).tolist() == (used + stock + coming).tolist()


def _ordered(orders: list[PurchaseOrder]) -> np.ndarray:
    total = np.zeros(10, dtype=np.int64)
    for order in orders:
        total[MATERIAL_INDEX[order.material]] += order.quantity
    return total
