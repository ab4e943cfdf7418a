import pytest

from actors.backlog import LOSSES, Backlog, Next
from actors.messages import MarketEnd
from erpsim.errors import ProviderError, RunError
from tests.actors.scripts import short_problems, small_work

ARENA, SOLO_A, SOLO_D = "arena/P001", "solo/P001/ma", "solo/P001/md"


def backlog(tries: int = 3, fresh: bool = True) -> Backlog:
    return Backlog(reversed(small_work(short_problems(1))), fresh, tries)


def parked(cause: str = "network", market_id: str = ARENA) -> MarketEnd:
    return MarketEnd(market_id, "parked", 2, cause, 5, "no route", 1)


def test_markets_with_most_model_rounds_come_first_and_equal_ones_in_their_order() -> None:
    waiting = backlog()
    assert [waiting.take(0.0) for _ in range(4)] == [Next(ARENA, True), Next(SOLO_D, True), Next(SOLO_A, True), None]


def test_markets_of_a_run_that_was_begun_are_not_fresh() -> None:
    assert backlog(fresh=False).take(0.0) == Next(ARENA, False)


def test_a_parked_market_comes_again_after_a_pause_that_doubles_until_its_tries_are_spent() -> None:
    waiting = backlog(tries=3)
    for _ in range(3):
        waiting.take(0.0)
    assert not waiting.ended(parked(), now=10.0)
    assert waiting.take(11.9) is None
    assert waiting.take(12.0) == Next(ARENA, False)
    assert not waiting.ended(parked(), now=20.0)
    assert waiting.take(23.9) is None
    assert waiting.take(24.0) == Next(ARENA, False)
    assert waiting.ended(parked(), now=30.0)
    assert waiting.given_up == [parked()]
    assert len(waiting) == 0


@pytest.mark.parametrize("cause", ["quota", "context_overflow", "bad_request"])
def test_a_market_that_would_meet_the_same_again_is_given_up_at_once(cause: str) -> None:
    waiting = backlog()
    waiting.take(0.0)
    assert waiting.ended(parked(cause), now=0.0)
    assert waiting.error is None


@pytest.mark.parametrize("cause", ["auth", "model_not_found"])
def test_a_wrong_key_or_model_stops_the_run(cause: str) -> None:
    waiting = backlog()
    waiting.take(0.0)
    assert not waiting.ended(parked(cause), now=0.0)
    assert isinstance(waiting.error, ProviderError)


def test_a_journal_that_fails_stops_the_run() -> None:
    waiting = backlog()
    waiting.ended(MarketEnd(ARENA, "failed", 1, "run", message="the disk is full"), now=0.0)
    assert isinstance(waiting.error, RunError)
    assert str(waiting.error) == "the disk is full"


def test_a_market_whose_actor_was_lost_is_restored_soon_and_uses_up_none_of_its_tries() -> None:
    waiting = backlog(tries=1)
    lost = MarketEnd(ARENA, "interrupted", 3, "actor_lost")
    for number in range(LOSSES):
        assert not waiting.ended(lost, now=100.0 * number)
        assert Next(ARENA, False) in [waiting.take(100.0 * number + 4.0) for _ in range(4)]
    assert waiting.ended(lost, now=0.0)


def test_a_market_that_failed_is_given_up_and_one_that_is_done_is_not() -> None:
    waiting = backlog()
    assert waiting.ended(MarketEnd(ARENA, "failed", 1, "KeyError"), now=0.0)
    assert not waiting.ended(MarketEnd(SOLO_A, "done", 6), now=0.0)
    assert [end.market_id for end in waiting.given_up] == [ARENA]


def test_a_spent_quota_takes_back_every_waiting_market_of_its_account_and_leaves_the_others() -> None:
    accounts = {"ma": "lab", "mb": "own", "mc": "own", "md": "lab", "me": "own", "mf": "own"}
    waiting = Backlog(small_work(short_problems(2)), fresh=True, tries=3, accounts=accounts)
    first = waiting.take(0.0)
    assert first == Next(ARENA, True)
    end = parked("quota")  # of seat 1, which is mb's
    assert waiting.ended(end, now=0.0)
    assert [(lost.market_id, lost.seat, lost.cause) for lost in waiting.withdrawn(end)] == [("arena/P002", 1, "quota")]
    assert [left.market_id for left in iter(lambda: waiting.take(0.0), None)] == [
        *("solo/P001/ma", "solo/P001/md", "solo/P002/ma", "solo/P002/md")
    ]
    assert [lost.market_id for lost in waiting.given_up] == [ARENA, "arena/P002"]


def test_models_that_share_the_account_are_taken_back_with_the_one_that_met_it() -> None:
    waiting = Backlog(small_work(short_problems(1)), fresh=True, tries=3, accounts={"ma": "lab", "md": "lab"})
    end = MarketEnd(SOLO_A, "parked", 1, "quota", 1, "spent", 0)
    lost = {each.market_id: each.seat for each in waiting.withdrawn(end)}
    assert lost == {ARENA: 0, SOLO_A: 0, SOLO_D: 3}
    assert len(waiting) == 0


def test_other_causes_and_failures_of_no_seat_take_nothing_back() -> None:
    waiting = backlog()
    assert waiting.withdrawn(parked("network")) == []
    assert waiting.withdrawn(MarketEnd(ARENA, "parked", 1, "quota")) == []
    assert len(waiting) == 3
