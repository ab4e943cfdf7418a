"""Policies changed in one thing, and what is measured with them, on small games."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecologies.calibration.altered import (
    Altered,
    balanced,
    from_vendor,
    half_production,
    no_production,
    prices_times,
    uniform_price,
)
from ecologies.calibration.measures import elasticities, freeze
from ecologies.calibration.rule_markets import rule_market
from ecologies.local import PlayedRound, play_rounds
from ecologies.policy import Policy
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from erpsim.catalogue import ACTIVE, LIST_PRICES
from erpsim.decision import Decision, ProductionItem, PurchaseOrder

CALM = shipped_panel().problems[0]
DECISION = Decision(
    prices={"NUT-500": 4.0, "RAISIN-1000": {"grocery": 5.0}},
    production=tuple(ProductionItem(sku=sku, quantity=16_000) for sku in ("NUT-500", "RAISIN-500", "NUT-1000")),
    purchase_orders=(PurchaseOrder(material="oats", quantity=2_000),),
)


async def play(policy: Policy, rounds: int) -> list[PlayedRound]:
    problem = replace(CALM, horizon=rounds)
    return [one async for one in play_rounds(problem, [policy, rule_policy("balanced")])]


def test_changes_change_what_they_name() -> None:
    assert prices_times(1.5)(DECISION).prices == {"NUT-500": 6.0, "RAISIN-1000": {"grocery": 7.5}}
    assert [item.sku for item in half_production(DECISION).production] == ["NUT-500", "NUT-1000"]
    assert no_production(DECISION).purchase_orders == ()
    assert from_vendor("B")(DECISION).purchase_orders[0].vendor == "B"


async def test_a_change_is_made_in_its_rounds_alone() -> None:
    first, second = await play(Altered(balanced(), no_production, (2,)), 2)
    assert first.turns[0].decision.production
    assert not second.turns[0].decision.production


async def test_a_uniform_price_is_uniform() -> None:
    (first,) = await play(uniform_price(1.5), 1)
    level = (first.turns[0].plan.offer.prices / LIST_PRICES[:, None])[ACTIVE]
    assert level == pytest.approx(1.5, abs=0.002)


async def test_bindings_of_a_first_round() -> None:
    market = await rule_market(replace(CALM, horizon=1))
    (first,) = market.bindings
    assert all(one.materials for one in first)  # nothing is there when the game opens
    assert market.final[market.winner] == max(market.final)


def test_elasticities_are_near_the_exponents() -> None:
    found = elasticities(CALM)
    exponents = [CALM.market.sensitivity * b for b in (3.5, 3.0, 2.3)]
    # One SKU of one firm: -b (1 - s), with s a few percent at most.
    for own, exponent in zip(found.own, exponents, strict=True):
        assert -exponent <= own <= -0.93 * exponent
    # All together: -b times the share that buys nothing, which is larger at the rules' prices than at list.
    for market, exponent in zip(found.market, exponents, strict=True):
        assert -exponent < market < -CALM.market.outside_share * exponent


def test_a_problem_without_a_freeze_has_none_to_measure() -> None:
    assert freeze(CALM) is None
