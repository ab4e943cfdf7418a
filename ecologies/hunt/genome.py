"""What the hunt may vary, as a point of the unit cube: every parameter of a rule, and what is laid over its decisions.

A gene of 0.5 in the raw part changes nothing, so a rule by itself is a point of the cube too. Ranges are wider than
sense: a trick may live outside of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ecologies.hunt.games import BASE
from ecologies.rule_cube import Cube, Span
from ecologies.rule_parameters import RuleParameters
from erpsim.catalogue import SKUS
from erpsim.units import FloatArray

ROUNDS: Final = 6
"""Rounds with raw genes of their own; later ones share the last."""


SPANS: Final = {
    "opening_price": Span(0.3, 5.0),
    "markup": Span(0.2, 4.0),
    "floor": Span(0.3, 4.0),
    "premium": Span(0.5, 2.0),
    "rival_weight": Span(0.0, 1.0),
    "learning": Span(0.0, 2.0),
    "price_step": Span(0.0, 1.0),
    "fill_target": Span(0.0, 1.5),
    "closing_days": Span(0.0, 40.0),
    "material_days": Span(0.0, 40.0),
    "marketing_share": Span(0.0, 0.4),
    "capacity_steps": Span(0, 12, whole=True),
    "setup_cut": Span(0, 5, whole=True),
    "green_hurdle": Span(0.0, 5.0),
    "cash_buffer": Span(0, 8_000_000, whole=True),
    "net_debt": Span(-4_000_000, 20_000_000, whole=True),
    "payout": Span(0.0, 1.0),
}
TILT: Final = Span(0.5, 2.0)
"""Of the price in one channel against the same SKU's elsewhere."""
CUBE: Final = Cube(SPANS, TILT)
CHANNEL_COUNT: Final = 3

FAMILIES: Final = (
    *("price_hypermarket", "price_grocery", "price_independent", "production", "purchases", "marketing"),
    *("borrow", "repay", "dividend", "capacity", "setup", "green", "vendor", "order_day", "grocery_share"),
)
"""Raw genes, each with one value for every round."""

RULE_GENES: Final = len(SPANS) + CHANNEL_COUNT
SKU_GENES: Final = slice(RULE_GENES, RULE_GENES + len(SKUS))
RAW_START: Final = SKU_GENES.stop
LENGTH: Final = RAW_START + len(FAMILIES) * ROUNDS
NEUTRAL: Final = 0.5


class Plan(NamedTuple):
    """A genome read: a rule, and what is laid over its decisions."""

    rule: RuleParameters
    sku: FloatArray  # (12,) genes of each SKU's price
    raw: FloatArray  # (families, rounds) genes


def encode(rule: RuleParameters) -> FloatArray:
    """A rule as a genome, with nothing laid over it, (genes,)."""
    genome = np.full(LENGTH, NEUTRAL)
    genome[:RULE_GENES] = CUBE.coded(rule)
    clipped: FloatArray = np.clip(genome, 0.0, 1.0)
    return clipped


def decode(genome: FloatArray) -> Plan:
    """Read a genome (genes,)."""
    rule = replace(BASE, name="hunted", **CUBE.decoded(genome[:RULE_GENES].tolist()))
    return Plan(rule, genome[SKU_GENES], genome[RAW_START:].reshape(len(FAMILIES), ROUNDS))


def first_change(before: FloatArray, after: FloatArray) -> int:
    """First round (1-based) in which two genomes may decide differently; one past the last when they are equal."""
    if not np.array_equal(before[:RAW_START], after[:RAW_START]):
        return 1
    changed = (before != after)[RAW_START:].reshape(len(FAMILIES), ROUNDS).any(axis=0)
    return int(np.argmax(changed)) + 1 if changed.any() else ROUNDS + 1
