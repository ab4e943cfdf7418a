"""The clairvoyant's plan on a problem: what the mixed-integer program is given, and what its plan would be worth.

Rivals play as they did when the balanced rule sat in the measured seat; they do not answer the plan. Own advertising
and remembered service are those of that game too. The plan is thus a yardstick for planning, not for play against
rivals that react.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ecologies.ecology import RULE_NAMES
from ecologies.local import PlayedRound, play_rounds
from ecologies.rules import rule_policy
from ecologies.yardsticks.plan import Instance, Planned, solve
from ecologies.yardsticks.played import SEAT
from ecologies.yardsticks.static_game import unit_carbon
from erpsim.catalogue import ACTIVE, LIST_PRICES, RECIPES
from erpsim.conditions import conditions
from erpsim.exogenous import material_prices
from erpsim.ledger import Account
from erpsim.loans import RISK_LINE
from erpsim.market import clear
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.round import open_firm
from erpsim.units import DAYS, FloatArray, frozen
from erpsim.valuation import Position, value

LEVELS: Final = (1.1, 1.25, 1.4, 1.55, 1.7, 1.85, 2.0, 2.3)
"""Price lists of the plan, x list price."""
TILT: Final = (0.94, 1.0, 1.12)
"""By channel, as the balanced rule has it."""
SETUP_CUT: Final = 3
"""Hours of setup time that the plan buys in round 1."""
FIRST_HOURS: Final = 24
"""Hours of round 1 before any delivery can be there."""
RUNS_MAXIMUM: Final = 3
PLENTY: Final = 10_000_000
"""Units on every shelf when demand is measured."""


class Clairvoyant(NamedTuple):
    """The plan and its worth; EUR of final valuation."""

    planned: Planned
    plan_value: float
    bound_value: float
    balanced_value: float  # what the balanced rule reached in the game that the plan knows


def clairvoyant(problem: Problem, seconds: float = 60.0) -> Clairvoyant:
    """Plan a problem with everything known."""
    game = asyncio.run(_played(problem))
    planned = solve(instance_of(problem, game), seconds=seconds)
    return Clairvoyant(
        planned=planned,
        plan_value=worth(problem, game, planned.margin),
        bound_value=worth(problem, game, planned.bound),
        balanced_value=game[-1].settled[SEAT].result.valuation,
    )


def instance_of(problem: Problem, game: list[PlayedRound]) -> Instance:
    """What the program is given for a problem whose rivals play as in a recorded game."""
    prices = [np.round(level * LIST_PRICES[:, None] * np.array(TILT), 2) for level in LEVELS]
    now = [conditions(problem, played.round_number) for played in game]
    cheapest = np.minimum.accumulate(
        [material_prices(problem, played.round_number).min(axis=0) for played in game]
    )  # (R, 10): materials keep, so that an earlier price may be paid
    hours = np.array([24.0 * DAYS * one.hours_percent / 100 for one in now])
    hours[0] -= FIRST_HOURS * now[0].hours_percent / 100
    return Instance(
        demand=frozen(np.array([[_demand(problem, played, one) for one in prices] for played in game])),
        prices=frozen(np.array(prices)),
        unit_cost=frozen(cheapest @ RECIPES.T / 1000 + np.array([[one.carbon_price] for one in now]) * unit_carbon()),
        selling_cost=frozen(np.full(len(game), RULES.freight)),
        hours=frozen(hours),
        setup_hours=frozen(
            np.array([RULES.setup_hours - SETUP_CUT + one.extra_setup_hours for one in now], dtype=float)
        ),
        unit_hours=24 / RULES.capacity,
        opening=frozen(open_firm(problem, SEAT).goods_stock.sum(axis=1).astype(np.float64)),
        lot_minimum=RULES.lot_minimum,
        lot_maximum=RULES.lot_maximum,
        runs_maximum=RUNS_MAXIMUM,
    )


def worth(problem: Problem, game: list[PlayedRound], margin: float) -> float:
    """Valuation of a game with this margin, on terms that no real one beats: best rating, no interest, all cash in.

    Args:
        problem: what is played.
        game: the recorded game, whose advertising is paid.
        margin: EUR of revenue less what varies with units.
    """
    opened = open_firm(problem, SEAT).balances
    fixed = DAYS * (RULES.labour + RULES.overhead + RULES.administration) * len(game)
    written_off = DAYS * len(game) * (RULES.plant / RULES.plant_life + RULES.buildings / RULES.building_life)
    advertised = sum(int(played.turns[SEAT].plan.marketing.sum()) for played in game) / 100
    setup = sum(RULES.setup_ladder[:SETUP_CUT])
    standing_kg = DAYS * (RULES.carbon_energy + RULES.carbon_overhead)
    carbon = sum(standing_kg * conditions(problem, played.round_number).carbon_price for played in game)
    before_tax = margin - fixed - written_off - advertised - setup - carbon
    income = before_tax * (1 - RULES.tax_rate)
    equity = -int(opened[Account.CAPITAL]) / 100 + income
    # Profit is cash but for depreciation; the last round's tax and materials are paid later.
    cash = (int(opened[Account.CASH]) + int(opened[Account.LOAN])) / 100 + income + written_off
    return value(
        Position(
            earnings=12 * income / len(game),
            book_value=equity,
            company_risk=RISK_LINE[0].risk,
            cash=cash + max(0.0, before_tax) * RULES.tax_rate / len(game),
            loan=0.0,
        )
    ).total


async def _played(problem: Problem) -> list[PlayedRound]:
    policies = [rule_policy("balanced"), *map(rule_policy, RULE_NAMES)]
    return [played async for played in play_rounds(problem, policies)]


def _demand(problem: Problem, played: PlayedRound, prices: FloatArray) -> FloatArray:
    """Units that the measured seat sells in a round at a price list with full shelves, (12, 3)."""
    offers = [turn.plan.offer for turn in played.turns]
    offers[SEAT] = replace(
        offers[SEAT],
        prices=np.where(ACTIVE, prices, LIST_PRICES[:, None]),
        opening_stock=np.where(ACTIVE, PLENTY, 0),
    )
    sold: FloatArray = clear(problem, played.round_number, offers).sales[SEAT].sold.sum(axis=0).astype(np.float64)
    return sold
