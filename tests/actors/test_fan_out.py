"""Which shard plays a market."""

from collections import Counter

import pytest

from actors.backlog import Backlog
from actors.fan_out import AHEAD, shard_for
from tests.actors.scripts import short_problems, small_work


@pytest.mark.parametrize(
    ("place", "loads", "most", "shard"),
    [
        (0, [0, 0, 0], 100, 0),
        (4, [3, 5, 2], 100, 1),
        (4, [0, AHEAD - 1, 0], 100, 1),
        (4, [1, AHEAD, 0], 100, 2),
        (0, [10, 9, 9], 10, 1),
        (5, [7], 8, 0),
    ],
)
def test_a_market_goes_to_its_problems_shard_unless_that_is_ahead_or_full(
    place: int, loads: list[int], most: int, shard: int
) -> None:
    assert shard_for(place, loads, most) == shard


def test_markets_of_one_problem_share_a_place_and_shards_stay_even() -> None:
    units = small_work(short_problems(6))
    backlog = Backlog(units, fresh=True, tries=1)
    places = {unit.problem.problem_id: set[int]() for unit in units}
    for unit in units:
        places[unit.problem.problem_id].add(backlog.place(unit.market.market_id))
    assert all(len(found) == 1 for found in places.values())
    assert len(set.union(*places.values())) == len(places)
    load = Counter({0: 0, 1: 0, 2: 0, 3: 0})
    while (chosen := backlog.take(0.0)) is not None:
        load[shard_for(backlog.place(chosen.market_id), [load[n] for n in range(4)], 1_000)] += 1
    assert sorted(load.values()) == [3, 3, 6, 6]
