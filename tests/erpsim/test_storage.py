import numpy as np
import pytest

from erpsim.storage import STOCK_KINDS, storage_charges


@pytest.mark.parametrize(
    ("goods", "blocks"),
    [(0, 0), (249_999, 0), (250_000, 0), (250_001, 1), (300_000, 1), (300_001, 2), (350_000, 2), (1_000_000, 15)],
)
def test_a_block_is_charged_as_soon_as_it_is_started(goods: int, blocks: int) -> None:
    charges = storage_charges(np.array([[goods, 0, 0]]))
    assert charges.blocks.tolist() == [[blocks, 0, 0]]
    assert charges.cost.tolist() == [blocks * 500_00]
    assert charges.carbon_kg.tolist() == [blocks * 2_500.0]


def test_each_kind_has_its_own_free_amount_and_tariff() -> None:
    # Goods 1 block of 500 EUR and 2,500 kg; food 2 blocks of 1,000 EUR and 5,000 kg; packaging 3 of 100 EUR, 1,500 kg.
    stocks = np.array([[250_001, 250_000, 750_000], [250_000, 300_001, 750_000], [250_000, 250_000, 850_001]])
    charges = storage_charges(stocks)
    assert STOCK_KINDS == ("goods", "food", "packaging")
    assert charges.blocks.tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
    assert charges.cost.tolist() == [500_00, 2_000_00, 300_00]
    assert charges.carbon_kg.tolist() == [2_500.0, 10_000.0, 4_500.0]


def test_room_that_one_kind_leaves_free_is_no_room_for_another() -> None:
    assert storage_charges(np.array([[400_000, 0, 0]])).cost.tolist() == [3 * 500_00]


def test_every_day_is_charged_for_all_its_kinds_together() -> None:
    charges = storage_charges(np.array([[250_001, 250_001, 750_001]] * 2))
    assert charges.cost.tolist() == [1_600_00, 1_600_00]
    assert charges.carbon_kg.tolist() == [9_000.0, 9_000.0]


def test_charges_cannot_be_edited() -> None:
    assert not any(array.flags.writeable for array in storage_charges(np.zeros((30, 3), dtype=np.int64)))
