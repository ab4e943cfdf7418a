"""Investments: their steps, what the next ones cost, and a plant after them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from erpsim.decision import InvestmentKind
from erpsim.parameters import RULES
from erpsim.state import Plant
from erpsim.units import cents

KINDS: Final[tuple[InvestmentKind, ...]] = ("capacity", "setup_time", "green_production", "green_fleet")


def step_size(kind: str) -> int:
    """Size of one step in a decision's unit: units/day, hours or steps."""
    return RULES.capacity_step if kind == "capacity" else 1


def steps_left(plant: Plant, kind: str) -> int | None:
    """Steps that may still be bought, None without end."""
    if kind == "capacity":
        return None
    if kind == "setup_time":
        return len(RULES.setup_ladder) - plant.setup_cut
    return RULES.green_steps - _bought(plant, kind)


def cost_of_steps(plant: Plant, kind: str, steps: int) -> int:
    """Cents that the next steps cost together.

    The n-th step of capacity costs 1 M EUR x (1 + 0.05 (n − 1)); setup time has a ladder, green steps one price.
    """
    if kind == "capacity":
        first = plant.capacity_steps
        rises = sum(range(first, first + steps))
        return cents(RULES.capacity_cost * (steps + RULES.capacity_growth * rises))
    if kind == "setup_time":
        return cents(sum(RULES.setup_ladder[plant.setup_cut : plant.setup_cut + steps]))
    return cents(RULES.green_cost * steps)


@lru_cache(maxsize=256)  # repair, plan and settlement of a round all ask it
def after_steps(plant: Plant, kind: str, steps: int) -> Plant:
    """The plant with steps counted; capacity itself and its book value change when the round is closed."""
    if kind == "capacity":
        return replace(plant, capacity_steps=plant.capacity_steps + steps)
    if kind == "setup_time":
        return replace(plant, setup_cut=plant.setup_cut + steps)
    return replace(plant, **{kind: _bought(plant, kind) + steps})


def _bought(plant: Plant, kind: str) -> int:
    return plant.green_production if kind == "green_production" else plant.green_fleet
