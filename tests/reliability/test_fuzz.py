"""Wild decisions in whole games, and that the checks behind them see what is wrong."""

from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest

from benchmarks.reliability.books import faults_of_firm, faults_of_market
from benchmarks.reliability.fuzz import SEATS, Wild, fuzz
from benchmarks.reliability.wild_decisions import decision_of
from ecologies.local import PlayedRound, play_rounds
from ecologies.problems import shipped_panel
from erpsim.round import open_firm

PROBLEM = shipped_panel().problems[0]


async def first_round() -> PlayedRound:
    rounds: AsyncIterator[PlayedRound] = play_rounds(PROBLEM, [Wild(0, 0)] * SEATS)
    async for played in rounds:
        return played
    raise AssertionError("a game has a round")


def faults(played: PlayedRound, seat: int = 0) -> list[str]:
    return [*faults_of_market(played), *faults_of_firm(open_firm(PROBLEM, seat), PROBLEM, played, seat)]


@pytest.mark.slow
def test_wild_decisions_break_nothing_and_every_book_balances() -> None:
    figures = fuzz(decisions=100, seed=1, start=38)
    assert figures["faults"] == 0, figures["first_faults"]
    assert (figures["games"], figures["decisions"], figures["next_start"]) == (3, 108, 41)
    assert figures["strata"] == {"baseline": 2, "dual_pressure": 1}
    assert figures["codes"] >= 15


def test_a_part_is_the_same_when_it_is_played_again() -> None:
    assert decision_of(Random("1 2 3")) == decision_of(Random("1 2 3"))
    assert len({str(decision_of(Random(f"1 2 {number}"))) for number in range(20)}) > 15


async def test_a_unit_sold_that_nobody_wanted_is_seen() -> None:
    played = await first_round()
    assert faults(played) == []
    sold = played.sales[0].sold.copy()
    sold[3, 0, 1] += 1
    wrong = played._replace(sales=(replace(played.sales[0], sold=sold), *played.sales[1:]))
    assert {"sold is not demanded - unmet + received", "goods stock is not opening + arrived - sold"} <= {
        *faults(wrong)
    }


async def test_a_cent_from_nowhere_is_seen() -> None:
    played = await first_round()
    settled = played.settled[0]
    moves = settled.result.moves.copy()
    moves[4, 0] += 1
    wrong = replace(settled, result=replace(settled.result, moves=moves))
    found = faults(played._replace(settled=(wrong, *played.settled[1:])))
    assert found == [
        "postings of day 5 sum to 1 cents, must be 0",
        "closing balances are not opening balances and postings",
    ]


async def test_a_decision_that_is_not_executable_is_seen() -> None:
    played = await first_round()
    turn = played.turns[0]
    asked = turn.decision.model_copy(update={"prices": {"NUT-500": 1e9}})
    wrong = played._replace(turns=(turn._replace(plan=replace(turn.plan, decision=asked)), *played.turns[1:]))
    assert any(fault.startswith("an executed decision was repaired again") for fault in faults(wrong))
