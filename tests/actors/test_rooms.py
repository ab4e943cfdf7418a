import math

from actors.backlog import Backlog, Next
from actors.rooms import RULES_ROOM, Rooms, most_at_once, rooms_of
from ecologies.models import Limits, ModelEntry
from ecologies.policy import PolicySpec
from tests.actors.scripts import MODELS, short_problems, small_work


def rooms() -> Rooms:
    entries = [
        ModelEntry(label=f"m{letter}", base_url="http://h/v1", model="m", account=account, limits=Limits(connections=n))
        for letter, account, n in (("a", "one", 33), ("b", "one", 33), ("c", "two", 4), ("d", "three", 10))
    ]
    return rooms_of(entries)


def rule(name: str = "balanced") -> PolicySpec:
    return PolicySpec("rule", name)


def test_a_market_of_one_model_has_room_twice_for_each_connection_of_its_account() -> None:
    assert rooms().room(rooms().kind((MODELS[0], rule()))) == 66


def test_seats_that_share_an_account_share_its_connections() -> None:
    kind = rooms().kind((MODELS[1], MODELS[0], rule()))
    assert kind == ("one", "one")
    assert rooms().room(kind) == 33


def test_the_smallest_account_bounds_a_market_of_several() -> None:
    assert rooms().room(rooms().kind((MODELS[0], MODELS[2], MODELS[3]))) == 8


def test_there_is_room_for_one_market_always_and_for_some_of_rules_alone() -> None:
    assert rooms().room(("two",) * 20) == 1
    assert rooms().room(rooms().kind((rule(), rule("growth")))) == RULES_ROOM


def test_without_known_connections_there_is_no_bound() -> None:
    assert Rooms().room(("any",)) == math.inf


def test_all_kinds_play_at_once_up_to_what_a_shard_takes() -> None:
    units = small_work(short_problems(3))
    assert most_at_once(units, Rooms(), 100, 1) == 9
    assert most_at_once(units, Rooms(), 2, 3) == 6
    assert most_at_once(units, rooms(), 100, 1) == 3 + 3 + 2  # an Arena has models without a known account: one each


def test_a_backlog_gives_the_first_market_whose_seats_fit() -> None:
    waiting = Backlog(reversed(small_work(short_problems(1))), fresh=True, tries=3)
    assert waiting.take(0.0, lambda seats: MODELS[3] not in seats) == Next("solo/P001/ma", True)
    assert waiting.take(0.0, lambda _: False) is None
    assert waiting.take(0.0) == Next("arena/P001", True)
    assert waiting.seats("solo/P001/md")[3] == MODELS[3]
