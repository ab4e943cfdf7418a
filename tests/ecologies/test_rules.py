from collections import Counter
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from ecologies.ecology import RULE_NAMES
from ecologies.local import PlayedRound, play_market, play_rounds
from ecologies.mixed import mixed_market
from ecologies.policy import Policy, PolicySpec, Scripted
from ecologies.problems import shipped_panel
from ecologies.rule_finance import funds_of
from ecologies.rule_forecast import LAUNCH_WEIGHT, OWN_ELASTICITY, demand_at
from ecologies.rule_parameters import RULE_PARAMETERS
from ecologies.rule_planner import AHEAD, ORDER_DAYS, _windows, capacity_of, line_of, supply_plan
from ecologies.rules import decide_rule, rule_policy
from erpsim.catalogue import ACTIVE, LIST_PRICES, MATERIALS, RECIPES, SKU_INDEX
from erpsim.decision import Decision, Finance, MarketingItem, ProductionItem, PurchaseOrder
from erpsim.errors import WorkError
from erpsim.observation import Observation
from erpsim.problem import Disturbance, Opening, Problem
from erpsim.production import Line, schedule
from erpsim.proposal import Proposal
from erpsim.round import observe, open_firm
from erpsim.state import Credit, OpenOrder

PROBLEMS = {problem.problem_id: problem for problem in shipped_panel().problems}
CALM = PROBLEMS["P001"]
BALANCED = RULE_PARAMETERS["balanced"]
RICH = 10**12
Item = TypeVar("Item", ProductionItem, PurchaseOrder, MarketingItem)


def opening_view(problem: Problem = CALM) -> Observation:
    return observe(open_firm(problem, 0), problem, 6)


class Watching:
    """A rule that keeps what it sees and asks."""

    def __init__(self, name: str) -> None:
        self.rule = rule_policy(name)
        self.seen: list[tuple[Observation, Decision]] = []

    async def decide(self, observation: Observation) -> Proposal:
        proposal = await self.rule.decide(observation)
        assert proposal.decision is not None
        self.seen.append((observation, proposal.decision))
        return proposal


async def played(problem: Problem, names: tuple[str, ...]) -> list[PlayedRound]:
    return [one async for one in play_rounds(problem, [rule_policy(name) for name in names])]


@pytest.mark.parametrize(
    ("name", "multiple"),
    [("conservative", 1.6), ("aggressive", 1.3), ("balanced", 1.4), ("growth", 1.35), ("risk_averse", 1.5)],
)
def test_opening_prices_are_multiples_of_list_in_grocery(name: str, multiple: float) -> None:
    prices = decide_rule(RULE_PARAMETERS[name], opening_view()).prices
    nut = prices["NUT-1000"]
    assert isinstance(nut, dict)
    assert nut["grocery"] == pytest.approx(multiple * LIST_PRICES[SKU_INDEX["NUT-1000"]], abs=0.01)


def test_rows_stay_within_the_figures_of_the_trade() -> None:
    assert tuple(RULE_PARAMETERS) == RULE_NAMES
    for row in RULE_PARAMETERS.values():
        assert 0.90 <= row.fill_target <= 0.97
        assert 8 <= row.closing_days <= 10
        assert 10 <= row.material_days <= 14


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(WorkError, match="unknown rule 'reckless'; known: conservative, aggressive, "):
        rule_policy("reckless")


def test_equal_observations_give_equal_decisions() -> None:
    for row in RULE_PARAMETERS.values():
        assert decide_rule(row, opening_view()) == decide_rule(row, opening_view())


@pytest.mark.parametrize("problem_id", ["P001", "P013", "P037"])
async def test_balanced_needs_no_intervention_in_a_baseline_market(problem_id: str) -> None:
    rounds = await played(PROBLEMS[problem_id], RULE_NAMES)
    for one in rounds:
        assert one.turns[RULE_NAMES.index("balanced")].events == ()


async def test_balanced_is_worth_between_100_and_300_million_in_a_calm_market_and_grows() -> None:
    rounds = await played(CALM, ("balanced",) * 6)
    values = [one.settled[0].result.valuation / 1e6 for one in rounds]
    assert values == sorted(values)
    assert 100 < values[-1] < 300


async def test_five_rules_play_five_styles() -> None:
    rounds = await played(CALM, RULE_NAMES)
    last = [one.result for one in rounds[-1].settled]
    assert len({round(result.valuation) for result in last}) == 5
    first = [one.result for one in rounds[0].settled]
    price = dict(zip(RULE_NAMES, (result.revenue / result.units_sold for result in first), strict=True))
    assert price["aggressive"] < price["growth"] < price["balanced"] < price["risk_averse"] < price["conservative"]
    capacity = dict(zip(RULE_NAMES, (result.capacity for result in last), strict=True))
    assert capacity["conservative"] == capacity["risk_averse"] == 24_000 < capacity["growth"]


def test_the_first_forecast_is_the_market_study_read_at_the_price() -> None:
    seen = opening_view()
    at_list = demand_at(seen, np.repeat(LIST_PRICES[:, None], 3, axis=1))
    assert np.allclose(at_list, seen.market_study * 30)
    # 1.4^-3 = 0.3644; 0.3644 / (0.75 x 0.3644 + 0.25) = 0.6964
    dearer = demand_at(seen, np.repeat(1.4 * LIST_PRICES[:, None], 3, axis=1))
    assert dearer[ACTIVE] == pytest.approx(0.6964 * at_list[ACTIVE], rel=1e-3)


async def test_later_forecasts_follow_own_demanded_units_and_price() -> None:
    rounds = await played(replace(CALM, horizon=1), ("balanced",) * 2)
    state = rounds[0].settled[0].state
    seen = observe(state, CALM, 2)
    same = demand_at(seen, seen.prices)
    study = demand_at(replace(seen, history=()), seen.prices)
    own = state.history[0].demanded
    assert np.allclose(same, LAUNCH_WEIGHT * own + (1 - LAUNCH_WEIGHT) * study)
    twice = (*state.history, replace(state.history[0], round_number=2))
    later = replace(seen, history=twice)
    assert np.allclose(demand_at(later, 2 * seen.prices), own * 2**-OWN_ELASTICITY)


def test_capacity_is_hours_less_setups() -> None:
    assert capacity_of(Line(24_000, 100, 8, -1), 24) == 528_000
    assert capacity_of(Line(24_000, 70, 8, -1), 0) == 504_000
    assert capacity_of(Line(1_000, 10, 8, -1), 24) == 0


@pytest.mark.parametrize("fast", [1, 2, 5, 25])
@pytest.mark.parametrize("slow", [2, 6, 11, 31, 69, 70, 85, 120])
def test_windows_of_orders_hold_the_mornings_that_each_order_is_for(slow: int, fast: int) -> None:
    gap = np.random.default_rng(slow + fast).integers(-1_000, 1_000, (AHEAD + 1, 10))
    windows = _windows(slow, fast)
    at_once, *by_window = np.maximum.reduceat(gap, windows.bounds, axis=0)[::2]
    np.testing.assert_array_equal(at_once, gap[:fast].max(axis=0))
    spans: list[tuple[str, int, range]] = []
    for day, following in ((1, 11), (11, 21), (21, None)):
        in_time_from_a = day + slow - 1
        spans.append(("B", day, range(day + fast - 1, min(in_time_from_a, 30))))
        end = AHEAD if following is None else min(following + slow - 1, AHEAD)
        spans.append(("A", day, range(in_time_from_a, end)))
    expected = [(vendor, day, mornings) for vendor, day, mornings in spans if mornings]
    assert windows.orders == tuple((vendor, day, mornings[0]) for vendor, day, mornings in expected)
    for most, (_, _, mornings) in zip(by_window, expected, strict=True):
        np.testing.assert_array_equal(most, gap[list(mornings)].max(axis=0))


def test_g4_23_materials_under_way_count() -> None:
    seen = opening_view()
    demand = demand_at(seen, seen.prices)
    line = line_of(seen, 0)
    plan = supply_plan(BALANCED, seen, demand, line, RICH)
    plenty = tuple(OpenOrder(n, 2_000_000, 1, 100) for n in range(len(MATERIALS)))
    assert plan.orders
    assert supply_plan(BALANCED, replace(seen, open_orders=plenty), demand, line, RICH).orders == ()
    stocked = replace(seen, material_stock=np.full(10, 2_000_000))
    assert supply_plan(BALANCED, stocked, demand, line, RICH).orders == ()


async def test_g4_23_orders_do_not_pile_up_behind_long_deliveries() -> None:
    late = Disturbance("supplier_delay", "strong", 1, (6.0,) * 6, announced=True)
    problem = replace(CALM, scenario="supplier_delay", disturbances=(late,))
    rounds = await played(problem, ("balanced",) * 6)
    for one in rounds:
        state = one.settled[0].state
        used = sum(RECIPES[run.sku] * run.quantity // 1000 for run in one.turns[0].plan.schedule.runs)
        assert len(state.open_orders) <= len(MATERIALS) * len(ORDER_DAYS)
        under_way = np.zeros(len(MATERIALS))
        for order in state.open_orders:
            under_way[order.material] += order.quantity
        assert (under_way + state.material_stock <= 1.5 * used + 5_000).all()


async def test_a_plan_is_made_in_full_even_if_every_delivery_takes_its_longest() -> None:
    late = Disturbance("supplier_delay", "strong", 2, (6.0, 6.0), announced=True)
    for problem in (CALM, replace(CALM, scenario="supplier_delay", disturbances=(late,))):
        watching = Watching("growth")
        _ = [one async for one in play_rounds(problem, [watching, *(rule_policy(name) for name in RULE_NAMES)])]
        for seen, asked in watching.seen:
            arriving = np.zeros((120, len(MATERIALS)), dtype=np.int64)
            for under_way in seen.open_orders:
                arriving[under_way.receipt_day - 1, under_way.material] += under_way.quantity
            for order in asked.purchase_orders:
                longest = seen.lead_ranges["AB".index(order.vendor)][1]
                arriving[order.day + longest - 1, MATERIALS.index(order.material)] += order.quantity
            items = [(SKU_INDEX[item.sku], item.quantity) for item in asked.production]
            cut = sum(one.amount for one in asked.finance.investments if one.kind == "setup_time")
            made = schedule(items, line_of(seen, cut), seen.material_stock, arriving[:30])
            assert [one.granted for one in made.outcomes] == [units for _, units in items]
        assert len(watching.seen) == problem.horizon


def test_a_plan_is_made_smaller_until_its_money_covers_it() -> None:
    seen = opening_view()
    demand, line = demand_at(seen, seen.prices), line_of(seen, 0)
    full = supply_plan(BALANCED, seen, demand, line, RICH)
    for funds in (full.cost // 2, 30_000_000, 1_000_000, 0):
        plan = supply_plan(BALANCED, seen, demand, line, funds)
        assert plan.cost <= funds
        assert sum(units for _, units in plan.items) < sum(units for _, units in full.items)
    assert supply_plan(BALANCED, seen, demand, line, 0).items == ()


def test_a_plan_asks_the_line_for_nothing_that_it_cannot_give() -> None:
    seen = opening_view()
    demand, line = demand_at(seen, seen.prices), line_of(seen, 0)
    for scale in (0.0, 0.1, 1.0, 10.0):
        plan = supply_plan(BALANCED, seen, scale * demand, line, RICH)
        assert all(units % 1_000 == 0 and 16_000 <= units <= 48_000 for _, units in plan.items)
        runs = len({sku for sku, _ in plan.items})
        assert sum(units for _, units in plan.items) <= capacity_of(line, runs)


async def test_nothing_is_bought_for_a_round_that_will_not_come() -> None:
    rounds = await played(replace(CALM, horizon=1), RULE_NAMES)
    for turn in rounds[0].turns:
        used = sum(RECIPES[run.sku] * run.quantity // 1000 for run in turn.plan.schedule.runs)
        bought = np.zeros(len(MATERIALS), dtype=np.int64)
        for line in turn.plan.purchases.lines:
            bought[line.material] += line.quantity
        assert (bought <= np.maximum(used + 200, 1_000)).all()


@pytest.mark.parametrize("name", RULE_NAMES)
@pytest.mark.parametrize("cash", [-900_000_000, -1, 0, 5_000])
@pytest.mark.parametrize("distressed", [False, True])
def test_g4_21_a_rule_with_no_money_decides_within_its_means(name: str, cash: int, distressed: bool) -> None:
    seen = opening_view()
    owing = np.full(30, 10_000_000)
    finance = replace(seen.finance, cash=cash, payments_due=owing, credit_limit=0, distressed=distressed)
    poor = replace(seen, finance=finance)
    assert funds_of(poor) == 0
    decision = decide_rule(RULE_PARAMETERS[name], poor)
    assert (decision.purchase_orders, decision.production, decision.marketing) == ((), (), ())
    assert decision.finance == Finance()
    assert len(decision.prices) == 12


async def test_g4_21_rules_that_open_in_distress_play_to_the_end() -> None:
    problem = replace(CALM, opening=Opening(cash=0, loan=30_000_000))
    state = open_firm(problem, 0)
    assert state.credit == Credit(state.credit.company_risk, state.credit.limit, distressed=True)
    rounds = await played(problem, RULE_NAMES)
    assert len(rounds) == 6
    assert all(one.result.valuation >= 0 for one in rounds[-1].settled)


class Overdrawn:
    """The balanced rule as it would be without its guard: of everything that costs money it asks for less than none."""

    async def decide(self, observation: Observation) -> Proposal:
        wanted = decide_rule(BALANCED, observation)
        return Proposal(
            wanted.model_copy(
                update={
                    "production": tuple(turned(item, "quantity") for item in wanted.production),
                    "purchase_orders": tuple(turned(item, "quantity") for item in wanted.purchase_orders),
                    "marketing": tuple(turned(item, "amount") for item in wanted.marketing),
                    "finance": Finance(dividend=-5_000.0),
                }
            )
        )


def turned(item: Item, name: str) -> Item:
    """An item of a decision with the sign of its amount turned."""
    changed: Item = replace(item, **{name: -getattr(item, name)})
    return changed


async def test_g4_21_a_rule_whose_amounts_are_clamped_harms_nobody_else() -> None:
    problem, seat = replace(CALM, horizon=3), 2
    names = [*RULE_NAMES[:seat], "balanced", *RULE_NAMES[seat:]]
    market = mixed_market("P001", [PolicySpec("rule", name) for name in names])
    policies: list[Policy] = [rule_policy(name) for name in names]
    policies[seat] = Overdrawn()
    executed = {one.round_number: one.turns[seat].decision async for one in play_rounds(problem, policies)}
    for decision in executed.values():
        assert (decision.production, decision.purchase_orders, decision.marketing) == ((), (), ())
        assert decision.finance == Finance()
    clamped = await play_market(market, problem, policies)
    policies[seat] = Scripted(executed)
    direct = await play_market(market, problem, policies)
    for table in ("rounds", "cells", "events"):
        others = [row for row in getattr(clamped, table) if row.seat != seat]
        assert others == [row for row in getattr(direct, table) if row.seat != seat]
    for name in ("cash", "loan", "units_sold", "valuation"):
        assert [getattr(row, name) for row in clamped.rounds] == [getattr(row, name) for row in direct.rounds]
    assert all(row.units_sold > 0 and row.valuation > 0 for row in clamped.rounds if row.seat != seat)
    told = Counter((row.round, row.seat) for row in clamped.events if row.code == "out_of_range")
    assert set(told) == {(number, seat) for number in (1, 2, 3)}
    assert min(told.values()) > 3
    assert [row for row in direct.events if row.seat == seat] == []


async def test_a_dear_carbon_price_makes_a_rule_buy_green_steps_and_a_cheap_one_not() -> None:
    dear = Disturbance("carbon_price", "strong", 1, (0.3,) * 6, announced=True)
    problem = replace(CALM, scenario="carbon_price", disturbances=(dear,))
    assert (await played(problem, RULE_NAMES))[-1].settled[2].state.plant.green_production > 0
    cheap = replace(dear, magnitude=(0.0,) * 6)
    free = replace(CALM, scenario="carbon_price", disturbances=(cheap,))
    assert (await played(free, RULE_NAMES))[-1].settled[2].state.plant.green_production == 0


async def test_prices_never_fall_below_the_floor_in_a_slump() -> None:
    slump = Disturbance("demand_slump", "strong", 1, (-0.6,) * 6, announced=False)
    problem = replace(CALM, scenario="demand_slump", disturbances=(slump,))
    for one in await played(problem, RULE_NAMES):
        for name, turn in zip(RULE_NAMES, one.turns, strict=True):
            floor = RULE_PARAMETERS[name].floor * LIST_PRICES[:, None]
            assert (turn.plan.offer.prices >= np.where(ACTIVE, floor - 0.011, 0)).all()


@pytest.mark.slow
async def test_no_rule_wins_everywhere() -> None:
    winners = []
    for problem in shipped_panel().problems[::9]:
        last = (await played(problem, RULE_NAMES))[-1]
        winners.append(int(np.argmax([one.result.valuation for one in last.settled])))
    assert len(set(winners)) >= 3
    assert max(winners.count(seat) for seat in range(5)) <= 0.6 * len(winners)
