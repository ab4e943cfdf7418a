"""Markets that are booked in one go come out as each would alone, and one that fails fails alone."""

import asyncio
from typing import NamedTuple

import pytest

from actors.booking import Booked, Booking
from actors.trajectory import Closed, Trajectory, closed, observation_of, opened, planned
from erpsim.errors import InvariantError
from erpsim.offer import Sales
from erpsim.round import clear
from tests.actors.scripts import RUN_ID, Script, short_problems, small_work


class Played(NamedTuple):
    """A market's round up to its sales."""

    games: tuple[Trajectory, ...]
    sales: tuple[Sales, ...]


@pytest.fixture(scope="module")
def markets() -> list[Played]:
    played = []
    for unit in small_work(short_problems(2)):
        games = [opened(RUN_ID, unit, seat) for seat in range(len(unit.market.seats))]
        sights = [observation_of(game) for game in games]
        ready = tuple(planned(game, seen, Script().proposal(seen)) for game, seen in zip(games, sights, strict=True))
        offers = [game.turn.plan.offer for game in ready if game.turn is not None]
        played.append(Played(ready, clear(unit.problem, 1, offers).sales))
    return played


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Firms of each booking that was made."""
    found: list[int] = []

    def counted(games: list[Trajectory], sales: list[Sales]) -> list[Closed]:
        found.append(len(games))
        return closed(games, sales)

    monkeypatch.setattr("actors.booking.closed", counted)
    return found


def rows(firms: list[Closed]) -> list[str]:
    return [repr((one.records, one.trajectory.state.balances.tolist(), one.trajectory.identity)) for one in firms]


async def together(markets: list[Played], at_once: int) -> list[Booked | BaseException]:
    book = Booking()
    calls = [book.closed(one.games, one.sales, at_once) for one in markets]
    return await asyncio.gather(*calls, return_exceptions=True)


async def test_markets_that_ask_within_a_moment_are_booked_in_one_go_each_as_it_would_be_alone(
    markets: list[Played], sizes: list[int]
) -> None:
    done = await together(markets, at_once=len(markets))
    assert sizes == [sum(len(one.games) for one in markets)]
    assert [rows(one.firms) for one in done if isinstance(one, Booked)] == [rows(closed(*one)) for one in markets]
    seconds = [one.seconds / len(one.firms) for one in done if isinstance(one, Booked)]
    assert seconds == pytest.approx([seconds[0]] * len(markets))


async def test_a_market_whose_books_contradict_themselves_fails_alone(
    markets: list[Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = markets[1].games[0]

    def failing(games: list[Trajectory], sales: list[Sales]) -> list[Closed]:
        if any(game is broken for game in games):
            raise InvariantError("books do not balance")
        return closed(games, sales)

    monkeypatch.setattr("actors.booking.closed", failing)
    done = await together(markets[:3], at_once=3)
    assert [type(one) for one in done] == [Booked, InvariantError, Booked]
    assert [rows(one.firms) for one in done if isinstance(one, Booked)] == [
        rows(closed(*one)) for one in (markets[0], markets[2])
    ]


async def test_a_market_whose_caller_goes_away_holds_nobody_else_up(markets: list[Played], sizes: list[int]) -> None:
    book = Booking()
    gone, stays = [asyncio.create_task(book.closed(*one, 2)) for one in markets[:2]]
    await asyncio.sleep(0)
    gone.cancel()
    assert rows((await stays).firms) == rows(closed(*markets[1]))
    assert gone.cancelled()
    again = await book.closed(*markets[0], 1)
    assert rows(again.firms) == rows(closed(*markets[0]))
    assert sizes == [len(markets[0].games) + len(markets[1].games), len(markets[0].games)]


@pytest.mark.parametrize(("open_markets", "seconds"), [(1, 0.0), (11, 0.02), (101, 0.2), (10_000, 0.2)])
async def test_the_more_markets_are_open_the_longer_one_waits_for_company(
    markets: list[Played], monkeypatch: pytest.MonkeyPatch, open_markets: int, seconds: float
) -> None:
    slept: list[float] = []

    async def sleep(duration: float) -> None:
        slept.append(duration)

    monkeypatch.setattr("actors.booking.asyncio.sleep", sleep)
    await Booking().closed(*markets[0], open_markets)
    assert slept == [pytest.approx(seconds)]
