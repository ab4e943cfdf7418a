"""What makes five managers of one decision function: five rows of parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ecologies.ecology import RULE_NAMES


@dataclass(frozen=True)
class RuleParameters:
    """One manager.

    Attributes:
        opening_price: price of round 1, x list.
        channel_tilt: price by channel against the same SKU elsewhere, (hypermarket, grocery, independent).
        markup: least price over the material cost of a unit, as a factor.
        floor: least price, x list, however deep the slump.
        premium: price aimed at over the mean of the rivals', as a factor.
        rival_weight: share of the way to `premium` x rivals' price that is gone each round, 0 to 1.
        learning: share of the price move that would clear the market that is made, 0 to 1.
        price_step: largest move of a price in a round, as a fraction.
        fill_target: share of demand that production plans to serve.
        closing_days: days of demand kept as goods at the end of a round.
        material_days: days of use kept as materials at the end of a round.
        marketing_share: share of the expected revenue.
        capacity_steps: steps of capacity wanted in all.
        setup_cut: hours of setup time wanted off in all.
        green_hurdle: savings over the rest of the game at which a green step is bought, x its cost.
        cash_buffer: EUR of cash to keep; less is borrowed, more repays the loan.
        net_debt: EUR of net debt at the round's end beyond which nothing is invested.
        payout: share of what could be distributed that is.
    """

    name: str
    opening_price: float
    channel_tilt: tuple[float, float, float]
    markup: float
    floor: float
    premium: float
    rival_weight: float
    learning: float
    price_step: float
    fill_target: float
    closing_days: float
    material_days: float
    marketing_share: float
    capacity_steps: int
    setup_cut: int
    green_hurdle: float
    cash_buffer: int
    net_debt: int
    payout: float


_ROWS: Final = (
    RuleParameters(
        name="conservative",
        opening_price=1.6,
        channel_tilt=(0.98, 1.0, 1.04),
        markup=1.5,
        floor=1.0,
        premium=1.04,
        rival_weight=0.15,
        learning=0.7,
        price_step=0.12,
        fill_target=0.95,
        closing_days=9.0,
        material_days=14.0,
        marketing_share=0.02,
        capacity_steps=0,
        setup_cut=3,
        green_hurdle=1.0,
        cash_buffer=1_500_000,
        net_debt=4_500_000,
        payout=0.0,
    ),
    RuleParameters(
        name="aggressive",
        opening_price=1.3,
        channel_tilt=(0.92, 1.0, 1.15),
        markup=1.2,
        floor=0.8,
        premium=0.96,
        rival_weight=0.3,
        learning=1.0,
        price_step=0.25,
        fill_target=0.97,
        closing_days=10.0,
        material_days=12.0,
        marketing_share=0.035,
        capacity_steps=2,
        setup_cut=4,
        green_hurdle=2.0,
        cash_buffer=500_000,
        net_debt=6_000_000,
        payout=0.5,
    ),
    RuleParameters(
        name="balanced",
        opening_price=1.4,
        channel_tilt=(0.94, 1.0, 1.12),
        markup=1.3,
        floor=0.9,
        premium=1.0,
        rival_weight=0.2,
        learning=0.9,
        price_step=0.2,
        fill_target=0.95,
        closing_days=10.0,
        material_days=13.0,
        marketing_share=0.03,
        capacity_steps=2,
        setup_cut=3,
        green_hurdle=1.0,
        cash_buffer=1_000_000,
        net_debt=6_000_000,
        payout=0.2,
    ),
    RuleParameters(
        name="growth",
        opening_price=1.35,
        channel_tilt=(0.94, 1.0, 1.12),
        markup=1.25,
        floor=0.85,
        premium=0.98,
        rival_weight=0.2,
        learning=0.9,
        price_step=0.2,
        fill_target=0.96,
        closing_days=9.5,
        material_days=13.0,
        marketing_share=0.025,
        capacity_steps=3,
        setup_cut=4,
        green_hurdle=1.0,
        cash_buffer=500_000,
        net_debt=5_800_000,
        payout=0.0,
    ),
    RuleParameters(
        name="risk_averse",
        opening_price=1.5,
        channel_tilt=(0.96, 1.0, 1.08),
        markup=1.4,
        floor=0.95,
        premium=1.02,
        rival_weight=0.25,
        learning=0.9,
        price_step=0.15,
        fill_target=0.93,
        closing_days=10.0,
        material_days=14.0,
        marketing_share=0.02,
        capacity_steps=0,
        setup_cut=3,
        green_hurdle=1.0,
        cash_buffer=2_000_000,
        net_debt=4_500_000,
        payout=0.0,
    ),
)

RULE_PARAMETERS: Final = {row.name: row for row in _ROWS}
"""The five rows by name, in the order of `ecology.RULE_NAMES`."""

assert tuple(RULE_PARAMETERS) == RULE_NAMES
