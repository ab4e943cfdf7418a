"""What is made, from what, bought where and sold where: frozen tables that hold in every problem.

Figures are of the public ERPsim manufacturing game (job aids and game exports, 2023-24, as facts); names are ours.
SKU index j, channel index k and material index n follow the order of the tuples here, everywhere.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from erpsim.units import FloatArray, IntArray, frozen

FLAVOURS: Final = ("NUT", "BLUEBERRY", "STRAWBERRY", "RAISIN", "ORIGINAL", "MIXED")
SIZES: Final = ("500", "1000")
SKUS: Final = tuple(f"{flavour}-{size}" for size in SIZES for flavour in FLAVOURS)
CHANNELS: Final = ("hypermarket", "grocery", "independent")
FOODS: Final = ("nuts", "blueberries", "strawberries", "raisins", "wheat", "oats")
PACKAGING: Final = ("large_box", "large_bag", "small_box", "small_bag")
MATERIALS: Final = (*FOODS, *PACKAGING)
VENDORS: Final = ("A", "B")
MATERIAL_CLASSES: Final = ("food", "packaging")

SKU_INDEX: Final = {name: index for index, name in enumerate(SKUS)}
CHANNEL_INDEX: Final = {name: index for index, name in enumerate(CHANNELS)}
MATERIAL_INDEX: Final = {name: index for index, name in enumerate(MATERIALS)}
VENDOR_INDEX: Final = {name: index for index, name in enumerate(VENDORS)}

FIRM_NAMES: Final = (
    "Almond", "Barley", "Clover", "Dahlia", "Elder", "Fennel",
    "Ginger", "Hazel", "Iris", "Juniper", "Kale", "Laurel",
)  # fmt: skip
"""Neutral firm names by seat; seats beyond these are called `Firm 13`, `Firm 14`, …"""

# Default list prices of the game, EUR per unit: standard cost plus about 3 EUR.
LIST_PRICES: Final[FloatArray] = frozen(
    np.array([3.90, 4.23, 4.23, 3.79, 3.77, 4.13, 4.61, 5.26, 5.27, 4.38, 4.35, 5.06])
)  # (12,) EUR/unit

# Opening prices of the materials, EUR per kg or piece.
MATERIAL_PRICES: Final[FloatArray] = frozen(
    np.array([1.82, 4.00, 4.02, 1.07, 0.99, 0.92, 0.28, 0.12, 0.21, 0.09])
)  # (10,) EUR/kg or EUR/piece

IS_FOOD: Final = frozen(np.array([name in FOODS for name in MATERIALS]))  # (10,) bool

# Amounts by material @ OF_CLASS are amounts by class.
OF_CLASS: Final[IntArray] = frozen(
    np.array([[name in FOODS, name in PACKAGING] for name in MATERIALS], dtype=np.int64)
)  # (10, 2)

# A channel sells a size or does not: hypermarkets 1 kg only, independents 500 g only.
ACTIVE: Final = frozen(
    np.array([[size == "1000", True, size == "500"] for size in SIZES for _ in FLAVOURS])
)  # (12, 3) bool

CHANNELS_OF: Final = {
    sku: tuple(channel for channel, sold in zip(CHANNELS, row, strict=True) if sold)
    for sku, row in zip(SKUS, ACTIVE.tolist(), strict=True)
}
"""Channels that sell a SKU: `ACTIVE` by name."""

FLAVOUR_PREFERENCE: Final = (0.14, 0.24, 0.26, 0.12, 0.08, 0.16)


def firm_name(seat: int) -> str:
    """Neutral name of the firm in a seat (0-based)."""
    return FIRM_NAMES[seat] if seat < len(FIRM_NAMES) else f"Firm {seat + 1}"


def _recipe(flavour: str, grams: int) -> list[int]:
    """Materials of 1,000 units: kg of each food, pieces of each packaging."""
    shares = {
        "ORIGINAL": {"wheat": 50, "oats": 50},
        "MIXED": {"wheat": 30, "oats": 30, "nuts": 10, "blueberries": 10, "strawberries": 10, "raisins": 10},
        "NUT": {"wheat": 35, "oats": 35, "nuts": 30},
        "BLUEBERRY": {"wheat": 35, "oats": 35, "blueberries": 30},
        "STRAWBERRY": {"wheat": 35, "oats": 35, "strawberries": 30},
        "RAISIN": {"wheat": 35, "oats": 35, "raisins": 30},
    }[flavour]
    packs = ("large_box", "large_bag") if grams == 1000 else ("small_box", "small_bag")
    return [shares.get(name, 0) * grams // 100 for name in FOODS] + [1000 * (name in packs) for name in PACKAGING]


RECIPES: Final[IntArray] = frozen(
    np.array([_recipe(flavour, int(size)) for size in SIZES for flavour in FLAVOURS], dtype=np.int64)
)  # (12, 10) kg or pieces per 1,000 units

# Mean preference: by flavour, equal over the sizes that a channel sells; each channel's column sums to 1.
MEAN_PREFERENCE: Final[FloatArray] = frozen(
    ACTIVE * np.array(FLAVOUR_PREFERENCE * len(SIZES))[:, None] / np.array([1.0, 2.0, 1.0])
)  # (12, 3)

STANDARD_COST: Final[FloatArray] = frozen(RECIPES @ MATERIAL_PRICES / 1000)  # (12,) EUR/unit at opening prices
