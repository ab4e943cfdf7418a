"""One busy day by hand: 24,000 units made and sent, 8 h of setup, one overstock block of goods, two pickups, 100 t."""

from dataclasses import replace

import numpy as np
import pytest

from erpsim.carbon import Activity, bill, footprint

DAY = 2  # the busy day, counted from 0
IDLE = Activity(
    produced=np.zeros(30, dtype=np.int64),
    setup_hours=np.zeros(30),
    overstock_kg=np.zeros(30),
    sent=np.zeros(30, dtype=np.int64),
    pickup_kg=np.zeros(30),
    food_received=np.zeros(30, dtype=np.int64),
)


def _on(amount: int) -> np.ndarray:
    days = np.zeros(30, dtype=np.int64)
    days[DAY] = amount
    return days


BUSY = Activity(
    produced=_on(24_000),
    setup_hours=_on(8).astype(float),
    overstock_kg=_on(2_500).astype(float),
    sent=_on(24_000),
    pickup_kg=_on(10_000 + 6_000).astype(float),
    food_received=_on(100_000),
)


def test_footprint_by_scope_worked_by_hand() -> None:
    # Scope 1: 24,000 x 0.30 + 8 x 50 + 2,500 + 24,000 x 0.25 + 16,000 = 7,200 + 400 + 2,500 + 6,000 + 16,000 = 32,100.
    # Scope 2: 500. Scope 3: 100,000 x 0.35 + 400 = 35,400.
    kg = footprint(BUSY, green_production=0, green_fleet=0)
    assert kg.shape == (30, 3)
    assert kg[DAY] == pytest.approx([32_100, 500, 35_400])
    assert kg[DAY + 1] == pytest.approx([0, 500, 400])


@pytest.mark.parametrize(
    ("steps", "scope_1"),
    # Of 7,200 kg, 15 % a step is 1,080 kg.
    [(1, 31_020), (2, 29_940), (3, 28_860)],
)
def test_green_production_cuts_production_only(steps: int, scope_1: float) -> None:
    kg = footprint(BUSY, green_production=steps, green_fleet=0)
    assert kg[DAY] == pytest.approx([scope_1, 500, 35_400])


@pytest.mark.parametrize(
    ("steps", "scope_1"),
    # Of 6,000 kg freight and 16,000 kg pickup, 15 % a step is 3,300 kg.
    [(1, 28_800), (2, 25_500), (3, 22_200)],
)
def test_green_fleet_cuts_freight_and_pickup_only(steps: int, scope_1: float) -> None:
    kg = footprint(BUSY, green_production=0, green_fleet=steps)
    assert kg[DAY] == pytest.approx([scope_1, 500, 35_400])


@pytest.mark.parametrize(
    ("field", "scope", "amount"),
    [
        ("produced", 0, 7_200),
        ("setup_hours", 0, 400),
        ("overstock_kg", 0, 2_500),
        ("sent", 0, 6_000),
        ("pickup_kg", 0, 16_000),
        ("food_received", 2, 35_000),
    ],
)
def test_each_activity_emits_in_its_own_scope(field: str, scope: int, amount: float) -> None:
    added = footprint(replace(IDLE, **{field: getattr(BUSY, field)}), 0, 0) - footprint(IDLE, 0, 0)
    expected = np.zeros((30, 3))
    expected[DAY, scope] = amount
    assert added == pytest.approx(expected)


def test_bill_by_scope_worked_by_hand() -> None:
    # Days 1-5: four idle days of 900 kg and the busy day's 68,000 kg are 71,600 kg, at 0.08 EUR/kg 5,728.00 EUR.
    # Every other five days: 4,500 kg, 360.00 EUR.
    posted = bill(footprint(BUSY, 0, 0), 0.08)
    expected = np.zeros(30, dtype=np.int64)
    expected[[4, 9, 14, 19, 24, 29]] = [5_728_00, 360_00, 360_00, 360_00, 360_00, 360_00]
    assert posted.tolist() == expected.tolist()


def test_a_bill_is_for_the_five_days_that_end_with_it() -> None:
    kg = np.zeros((30, 3))
    kg[4, 0], kg[5, 1] = 1_000, 2_000
    assert np.flatnonzero(bill(kg, 0.25)).tolist() == [4, 9]
    assert bill(kg, 0.25)[[4, 9]].tolist() == [250_00, 500_00]


def test_a_bill_is_rounded_once_over_its_days_and_scopes() -> None:
    # Fifteen times 0.1 kg at 0.08 EUR are 0.12 EUR; rounded one by one they would be 0.15 EUR.
    kg = np.zeros((30, 3))
    kg[:5] = 0.1
    assert bill(kg, 0.08)[4] == 12


def test_neither_footprint_nor_bill_can_be_edited() -> None:
    kg = footprint(IDLE, 0, 0)
    assert not kg.flags.writeable
    assert not bill(kg, 0.08).flags.writeable
