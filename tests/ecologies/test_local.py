import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ecologies.arena import arena_market
from ecologies.ecology import RULE_NAMES, SEATS
from ecologies.local import PlayedRound, Remembered, play_market, play_rounds, replay, replay_firm
from ecologies.mixed import mixed_market
from ecologies.policy import Policy, PolicySpec, Replayed, Scripted
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from ecologies.solo import solo_market
from erpsim.catalogue import LIST_PRICES, SKUS
from erpsim.decision import Decision, Finance, ProductionItem
from erpsim.errors import WorkError
from erpsim.events import FallbackDecision, InfraRetry
from erpsim.exogenous import demand_shocks, leads, material_prices
from erpsim.observation import Observation
from erpsim.problem import Problem
from erpsim.proposal import Proposal
from erpsim.state import FirmState

PROBLEM = shipped_panel().problems[0]
SHORT = replace(PROBLEM, horizon=2)
IDLE = Decision(
    prices={sku: round(0.3 * float(price) + 0.005, 2) for sku, price in zip(SKUS, LIST_PRICES, strict=True)}
)


async def rounds_of(problem: Problem, policies: Sequence[Policy]) -> list[PlayedRound]:
    return [played async for played in play_rounds(problem, policies)]


def states_of(played: PlayedRound) -> list[FirmState]:
    return [one.state for one in played.settled]


def assert_same(left: FirmState, right: FirmState) -> None:
    assert np.array_equal(left.balances, right.balances)
    assert np.array_equal(left.goods_stock, right.goods_stock)
    assert np.array_equal(left.material_stock, right.material_stock)
    assert left.open_orders == right.open_orders
    assert left.plant == right.plant
    assert left.credit == right.credit
    assert [past.valuation for past in left.history] == [past.valuation for past in right.history]


class Late:
    """Answers after a number of turns of the event loop, and notes that number then."""

    def __init__(self, inner: Policy, turns: int, answered: list[int]) -> None:
        self.inner, self.turns, self.answered = inner, turns, answered

    async def decide(self, observation: Observation) -> Proposal:
        for _ in range(self.turns):
            await asyncio.sleep(0)
        self.answered.append(self.turns)
        return await self.inner.decide(observation)


class Mute:
    """Never has a decision."""

    async def decide(self, observation: Observation) -> Proposal:
        event = FallbackDecision("no_json", cause=f"round {observation.round_number}")
        return Proposal(None, "fallback", (event, InfraRetry("timeout")))


async def test_an_idle_firm_at_the_lowest_price_leaves_the_others_60_percent_of_their_value() -> None:
    rules: list[Policy] = [rule_policy(name) for name in RULE_NAMES]
    script = Scripted(dict.fromkeys(range(1, 7), IDLE))
    with_rule = await rounds_of(PROBLEM, [rule_policy("balanced"), *rules])
    with_idle = await rounds_of(PROBLEM, [script, *rules])
    assert sum(result.result.units_sold for result in (one.settled[0] for one in with_idle)) == 0
    for before, after in zip(with_rule[-1].settled[1:], with_idle[-1].settled[1:], strict=True):
        assert after.result.valuation >= 0.6 * before.result.valuation > 0


async def test_permuting_the_seats_permutes_the_results() -> None:
    names, order = [*RULE_NAMES, "balanced"], [3, 5, 0, 4, 1, 2]
    straight = await rounds_of(SHORT, [rule_policy(name) for name in names])
    permuted = await rounds_of(SHORT, [rule_policy(names[seat]) for seat in order])
    for one, other in zip(straight, permuted, strict=True):
        for place, seat in enumerate(order):
            assert_same(states_of(other)[place], replace(states_of(one)[seat], seat=place))
            assert np.array_equal(other.sales[place].sold, one.sales[seat].sold)


async def test_two_firms_that_decide_alike_fare_alike() -> None:
    (first, second) = (await rounds_of(SHORT, [rule_policy("growth")] * 2))[-1].settled
    assert_same(first.state, second.state)


@pytest.mark.parametrize("ticks", [(6, 5, 4, 3, 2, 1), (1, 6, 2, 5, 3, 4), (3, 4, 1, 6, 5, 2)])
async def test_g4_19_each_answer_is_filed_under_its_own_firm_and_who_answers_first_changes_no_byte(
    ticks: tuple[int, ...],
) -> None:
    market = mixed_market("P001", [PolicySpec("scripted", f"firm {seat}") for seat in range(SEATS)])
    # Each firm's price says which it is: 4.00 EUR, 4.01 EUR, …
    decisions = [Decision(prices=dict.fromkeys(SKUS, 4.0 + seat / 100)) for seat in range(SEATS)]
    prompt = [Scripted(dict.fromkeys((1, 2), decision)) for decision in decisions]
    answered: list[int] = []
    late = [Late(policy, turns, answered) for policy, turns in zip(prompt, ticks, strict=True)]
    for one in await rounds_of(SHORT, late):
        prices = [float(turn.plan.offer.prices[0, 1]) for turn in one.turns]
        assert prices == [4.0, 4.01, 4.02, 4.03, 4.04, 4.05]
    assert answered == [1, 2, 3, 4, 5, 6] * SHORT.horizon
    assert await play_market(market, SHORT, late) == await play_market(market, SHORT, prompt)


async def test_g4_17_solo_and_arena_of_a_problem_share_every_exogenous_draw() -> None:
    models = [PolicySpec("model", f"m{seat}") for seat in range(SEATS)]
    seen: dict[str, list[tuple[bytes, ...]]] = {}

    class Watching:
        def __init__(self, key: str) -> None:
            self.key = key

        async def decide(self, observation: Observation) -> Proposal:
            draws = (
                observation.material_prices.tobytes(),
                observation.market_study.tobytes(),
                leads(PROBLEM, observation.round_number).tobytes(),
                demand_shocks(PROBLEM, observation.round_number).tobytes(),
                material_prices(PROBLEM, observation.round_number).tobytes(),
            )
            seen.setdefault(self.key, []).append(draws)
            return Proposal(Decision())

    solo = solo_market("P001", models[2], 2)
    seats: list[Policy] = [Watching("solo") if spec.kind == "model" else rule_policy(spec.label) for spec in solo.seats]
    await play_market(solo, PROBLEM, seats)
    arena: list[Policy] = [Watching(f"arena{seat}") for seat in range(SEATS)]
    await play_market(arena_market("P001", models), PROBLEM, arena)
    assert len(seen["solo"]) == PROBLEM.horizon
    assert all(seen[f"arena{seat}"] == seen["solo"] for seat in range(SEATS))


async def test_problems_differ_in_their_draws() -> None:
    shocks = {demand_shocks(problem, 1).tobytes() for problem in shipped_panel().problems[:10]}
    prices = {material_prices(problem, 1).tobytes() for problem in shipped_panel().problems[:10]}
    assert (len(shocks), len(prices)) == (10, 10)


async def test_records_hold_every_firm_and_round_and_the_outcomes_of_models_alone() -> None:
    market = solo_market("P001", PolicySpec("model", "m"), 1)
    policies: list[Policy] = [
        Scripted({1: IDLE}) if spec.kind == "model" else rule_policy(spec.label) for spec in market.seats
    ]
    records = await play_market(market, SHORT, policies, run_id="r1")
    assert [(row.round, row.seat) for row in records.rounds] == [(r, seat) for r in (1, 2) for seat in range(6)]
    assert len(records.cells) == 2 * 6 * 24
    (outcome,) = records.outcomes
    assert (outcome.seat, outcome.model, outcome.n_rounds, outcome.run_id) == (1, "m", 2, "r1")
    assert outcome.valuation == records.rounds[-5].valuation
    row = records.rounds[1]
    assert (row.market_id, row.firm, row.policy, row.policy_kind, row.model) == (
        "solo/P001/m", "Barley", "m", "model", "m",
    )  # fmt: skip
    assert records.rounds[0].model is None
    assert sum(cell.sold for cell in records.cells if (cell.round, cell.seat) == (1, 0)) == records.rounds[0].units_sold


async def test_a_firm_without_a_decision_plays_the_fallback_and_says_so() -> None:
    market = mixed_market("P001", [PolicySpec("model", "mute"), PolicySpec("rule", "balanced")])
    records = await play_market(market, SHORT, [Mute(), rule_policy("balanced")])
    row = records.rounds[0]
    assert (row.proposal_json, row.decision_status, row.n_events) == (None, "fallback", 1)
    assert '"production":[{' in row.decision_json
    assert [(event.seat, event.category) for event in records.events[:2]] == [(0, "fallback_decision")] * 2


async def test_equal_games_give_equal_records() -> None:
    market = mixed_market("P001", [PolicySpec("rule", "balanced")] * 3)
    first = await play_market(market, SHORT, [rule_policy("balanced")] * 3)
    assert await play_market(market, SHORT, [rule_policy("balanced")] * 3) == first


async def test_executed_decisions_give_the_same_game_again() -> None:
    played = await rounds_of(SHORT, [rule_policy(name) for name in RULE_NAMES])
    decisions = [[turn.decision for turn in one.turns] for one in played]
    again = replay(SHORT, decisions)
    for one, states, sales in zip(played, again.states[1:], again.sales, strict=True):
        for seat, settled in enumerate(one.settled):
            assert_same(states[seat], settled.state)
            assert np.array_equal(sales[seat].unmet, one.sales[seat].unmet)
    for seat in range(len(RULE_NAMES)):
        rows = zip(decisions, again.sales, strict=True)
        own = replay_firm(SHORT, seat, [Remembered(asked[seat], asked[seat], sold[seat]) for asked, sold in rows])
        assert_same(own[-1], again.states[-1][seat])
    assert len(replay(SHORT, decisions[:1]).states) == 2
    assert replay(SHORT, []) == ((), ())


async def test_a_firm_that_is_replayed_remembers_what_was_cut_as_one_that_played() -> None:
    greedy = Decision(
        production=(ProductionItem(sku="NUT-500", quantity=48_000),), finance=Finance(borrow=1e9, dividend=5.0)
    )
    sparing = Scripted({1: greedy, 2: Decision()})
    silent = Replayed((Proposal(greedy), Proposal(None, "fallback")))
    problem = replace(SHORT, horizon=2)
    played = await rounds_of(problem, [sparing, silent])
    for seat in range(2):
        rounds = [
            Remembered(one.turns[seat].proposal.decision, one.turns[seat].decision, one.sales[seat]) for one in played
        ]
        again, state = replay_firm(problem, seat, rounds)[-1], played[-1].settled[seat].state
        assert_same(again, state)
        assert [past.cuts for past in again.history] == [past.cuts for past in state.history]
        assert [past.fallback for past in again.history] == [past.fallback for past in state.history]
        first, second = state.history
        assert [cut.what for cut in first.cuts] == ["NUT-500", "borrow", "dividend"]
        assert (first.fallback, second.fallback, second.cuts) == (False, seat == 1, ())
        assert second.decision == played[1].turns[seat].decision


async def test_recorded_proposals_can_be_played_again() -> None:
    played = await rounds_of(SHORT, [rule_policy("balanced"), rule_policy("growth")])
    recorded = [Replayed(tuple(one.turns[seat].proposal for one in played)) for seat in range(2)]
    again = await rounds_of(SHORT, recorded)
    for left, right in zip(states_of(played[-1]), states_of(again[-1]), strict=True):
        assert_same(left, right)


async def test_a_script_asks_nothing_in_rounds_it_leaves_out() -> None:
    played = await rounds_of(SHORT, [Scripted({1: Decision(finance=Finance(borrow=1000.0))}), rule_policy("balanced")])
    assert [one.turns[0].decision.finance.borrow for one in played] == [1000.0, 0.0]


async def test_a_market_without_a_policy_for_each_seat_is_refused() -> None:
    market = mixed_market("P001", [PolicySpec("rule", "balanced")] * 2)
    with pytest.raises(WorkError, match="has 2 seats on P001; got 1 policies for P001"):
        await play_market(market, PROBLEM, [rule_policy("balanced")])
    with pytest.raises(WorkError, match="got 2 policies for P002"):
        await play_market(market, shipped_panel().problems[1], [rule_policy("balanced")] * 2)
