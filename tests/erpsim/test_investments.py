"""Steps of investments and what they cost."""

from dataclasses import replace

import pytest

from erpsim.investments import KINDS, after_steps, cost_of_steps, step_size, steps_left
from erpsim.state import Plant

PLANT = Plant(24_000, 0, 0, 0, 0, 2_400_000_000, -1)


def test_nth_step_of_capacity_costs_five_percent_of_a_million_more() -> None:
    # 1.00 + 1.05 + 1.10 M
    assert cost_of_steps(PLANT, "capacity", 3) == 315_000_000
    # after two: 1.10 + 1.15 M
    assert cost_of_steps(replace(PLANT, capacity_steps=2), "capacity", 2) == 225_000_000


def test_setup_time_has_a_ladder_of_five_hours() -> None:
    assert cost_of_steps(PLANT, "setup_time", 5) == 125_000_000
    assert cost_of_steps(replace(PLANT, setup_cut=3), "setup_time", 1) == 25_000_000
    assert steps_left(replace(PLANT, setup_cut=3), "setup_time") == 2


def test_green_steps_end_after_three() -> None:
    assert cost_of_steps(PLANT, "green_fleet", 3) == 3_000_000
    assert steps_left(replace(PLANT, green_fleet=2), "green_fleet") == 1
    assert steps_left(replace(PLANT, green_fleet=2), "green_production") == 3


def test_capacity_is_sold_by_the_thousand_without_end() -> None:
    assert step_size("capacity") == 1_000
    assert steps_left(PLANT, "capacity") is None


@pytest.mark.parametrize("kind", KINDS)
def test_buying_in_parts_costs_what_buying_at_once_costs(kind: str) -> None:
    first = cost_of_steps(PLANT, kind, 1)
    assert first + cost_of_steps(after_steps(PLANT, kind, 1), kind, 2) == cost_of_steps(PLANT, kind, 3)
