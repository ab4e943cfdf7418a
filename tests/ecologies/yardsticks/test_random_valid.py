"""The policy that draws its decisions: nothing of them has to be repaired, and equal seeds give equal plays."""

from __future__ import annotations

import pytest

from ecologies.local import play_rounds
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from ecologies.yardsticks.random_valid import RandomValid
from erpsim.events import Event


async def play(index: int, seed: int) -> tuple[list[Event], list[float]]:
    events: list[Event] = []
    prices: list[float] = []
    async for one in play_rounds(shipped_panel().problems[index], [RandomValid(seed), rule_policy("balanced")]):
        events += one.turns[0].events
        prices.append(float(one.turns[0].plan.offer.prices.sum()))
    return events, prices


@pytest.mark.parametrize("index", [0, 48, 90])
async def test_nothing_of_it_is_repaired_in_calm_rounds(index: int) -> None:
    events, prices = await play(index, 0)
    # What is not announced can still cut a plan; nothing else may.
    assert {event.category for event in events} <= {"production_quantity_clamped", "production_capacity_skip"}
    assert len(set(prices)) == len(prices)


async def test_equal_seeds_play_alike_and_others_do_not() -> None:
    assert await play(0, 1) == await play(0, 1)
    assert (await play(0, 1))[1] != (await play(0, 2))[1]
