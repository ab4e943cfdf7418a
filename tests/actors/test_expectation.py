"""What a run is expected to take, by hand."""

from dataclasses import replace

import pytest

from actors.expectation import ALL, Cases, Expected, Load, Taking, expect, loads_of
from ecologies.arena import arena_market
from ecologies.mixed import mixed_market
from ecologies.model_entry import ModelEntry
from ecologies.policy import PolicySpec
from ecologies.solo import solo_market
from ecologies.work import WorkUnit
from tests.actors.llm.peers import entry
from tests.actors.llm.worlds import small_problem

PRICES = {"input": 2.0, "cached": 0.5, "output": 10.0, "reasoning": 10.0}
ONE = Taking(calls=2, prompt=10_000, completion=500, latency_s=5.0)
CASES = Cases(replace(ONE, calls=1, prompt=5_000), ONE, replace(ONE, calls=8, prompt=80_000, completion=4_000))


def model(label: str = "a", **changes: object) -> ModelEntry:
    return entry("http://127.0.0.1:9/v1", label=label, **{"prices": PRICES, "account": label, **changes})


def only(load: Load, cases: Cases = CASES, share_at_once: float = 1.0) -> Expected:
    (found,) = expect([load], {load.entry.label: cases}, share_at_once).models
    return found


def test_calls_tokens_and_money_are_those_of_a_decision_times_the_decisions() -> None:
    found = only(Load(model(), decisions=12, firms=2, longest=6))
    assert (found.decisions, found.low.calls, found.expected.calls, found.high.calls) == (12, 12, 24, 96)
    assert (found.expected.prompt, found.expected.completion) == (120_000, 6_000)
    # 120,000 x 2 USD/M + 6,000 x 10 USD/M
    assert found.expected.cost_usd == pytest.approx(0.30)
    assert found.low.cost_usd == pytest.approx(0.18)
    assert found.high.cost_usd == pytest.approx(12 * (80_000 * 2 + 4_000 * 10) / 1e6)


def test_what_is_known_of_caches_and_reasoning_is_priced_as_such() -> None:
    # 6,000 read from the cache at 0.5, 4,000 fresh at 2, 500 out at 10, of which 300 are reasoning at the same price
    cached = replace(ONE, cached=6_000, reasoning=300)
    found = only(Load(model(), 1, 1, 1), Cases(cached, cached, cached))
    assert found.expected.cost_usd == pytest.approx(0.003 + 0.008 + 0.005)
    assert (found.expected.cached, found.expected.reasoning, found.expected.written) == (6_000, 300, None)


def test_an_unknown_price_or_count_is_unknown_and_never_nothing() -> None:
    assert only(Load(model(prices={"input": 2.0}), 12, 2, 6)).expected.cost_usd is None
    blind = replace(ONE, prompt=None)
    found = only(Load(model(), 12, 2, 6), Cases(blind, blind, blind)).expected
    assert (found.prompt, found.cost_usd, found.completion) == (None, None, 6_000)


def test_a_free_model_costs_nothing() -> None:
    assert only(Load(model(prices=dict.fromkeys(PRICES, 0.0)), 12, 2, 6)).expected.cost_usd == 0


def test_the_total_is_unknown_as_soon_as_a_part_is() -> None:
    loads = [Load(model("a"), 12, 2, 6), Load(model("b", prices={}), 12, 2, 6)]
    total = expect(loads, {"a": CASES, "b": CASES}).total
    assert (total.label, total.decisions, total.expected.calls, total.expected.prompt) == (ALL, 24, 48, 240_000)
    assert total.expected.cost_usd is None


def test_rounds_follow_each_other_so_a_market_takes_its_calls_one_after_another() -> None:
    # 6 rounds x 2 calls x 5 s, however many connections there are
    assert only(Load(model(limits={"connections": 64}), 12, 2, 6)).expected.seconds == 60


def test_connections_bound_what_firms_ask_at_once() -> None:
    # 40 firms x 6 rounds x 2 calls x 5 s = 2,400 s of calls, over 4 connections
    assert only(Load(model(limits={"connections": 4}), 240, 40, 6)).expected.seconds == 600


def test_markets_that_wait_leave_connections_idle() -> None:
    # A tenth of the 40 firms plays at once: 2,400 s over 4 calls
    assert only(Load(model(limits={"connections": 64}), 240, 40, 6), share_at_once=0.1).expected.seconds == 600


def test_requests_a_minute_bound_the_time() -> None:
    limits = {"connections": 64, "requests_per_minute": 12}  # 480 calls
    assert only(Load(model(limits=limits), 240, 40, 6)).expected.seconds == 2_400


def test_tokens_a_minute_bound_the_time_by_prompt_and_completion() -> None:
    limits = {"connections": 64, "tokens_per_minute": 10_500}  # 240 x 10,500 tokens
    assert only(Load(model(limits=limits), 240, 40, 6)).expected.seconds == 240 * 60


def test_models_of_one_account_share_its_limits_and_of_two_accounts_do_not() -> None:
    limits = {"connections": 64, "requests_per_minute": 12}
    shared = [Load(model(label, account="one", limits=limits), 240, 40, 6) for label in "ab"]
    apart = [Load(model(label, limits=limits), 240, 40, 6) for label in "ab"]
    cases = {"a": CASES, "b": CASES}
    assert expect(shared, cases).total.expected.seconds == 4_800
    assert expect(apart, cases).total.expected.seconds == 2_400
    assert expect(shared, cases).models[0].expected.seconds == 2_400


def test_loads_count_every_seat_of_a_model_and_no_rule() -> None:
    entries = [model(label) for label in "abcdef"]
    problem = small_problem()  # six rounds
    specs = [one.spec for one in entries]
    lineup = (specs[0], specs[0], PolicySpec("rule", "balanced"))
    units = [
        WorkUnit(solo_market("P900", specs[0], 0), problem),
        WorkUnit(arena_market("P900", tuple(specs)), problem),
        WorkUnit(mixed_market("P900", lineup, 0), problem),
    ]
    found = loads_of(units, entries)
    assert [(load.entry.label, load.decisions, load.firms, load.longest) for load in found][:2] == [
        ("a", 24, 4, 6),
        ("b", 6, 1, 6),
    ]
    assert [load.entry.label for load in loads_of(units[:1], entries)] == ["a"]


def test_a_line_up_of_rules_takes_nothing() -> None:
    total = expect([], {}).total
    assert (total.decisions, total.expected.calls, total.expected.cost_usd, total.expected.seconds) == (0, 0, 0, 0)
