"""One problem's yardsticks as plain data, as the files keep it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ecologies.ecology import RULE_NAMES, SEATS
from ecologies.yardsticks.clairvoyant import LEVELS, clairvoyant
from ecologies.yardsticks.played import played
from ecologies.yardsticks.response import plain, search
from ecologies.yardsticks.static_game import Game, Solution, cartel, day_of, nash
from erpsim.problem import Problem

DIGITS: Final = 4


def static_row(problem: Problem) -> dict[str, Any]:
    """Nash and joint-profit prices of each round between six firms.

    `level` is the mean of price over list of all active cells, `by_channel` that of each channel's; `profit` and
    `units` are of one firm and day; `shadow` is the worth of a unit of capacity, EUR.
    """
    games = [day_of(problem, number, SEATS) for number in range(1, problem.horizon + 1)]
    return {
        "nash": [_solved(game, nash(game)) for game in games],
        "cartel": [_solved(game, cartel(game)) for game in games],
    }


def played_row(problem: Problem) -> dict[str, Any]:
    """Final valuations, whole EUR, of one seat against the five rules: doing nothing, drawing at random, each rule."""
    one = played(problem)
    return {
        "do_nothing": round(one.do_nothing),
        "random_valid": round(one.random_valid),
        "rules": {name: round(worth) for name, worth in zip(RULE_NAMES, one.rules, strict=True)},
    }


def response_row(problem: Problem) -> dict[str, Any]:
    """The best policy that the search found: its valuation and the best rule's, whole EUR, and its parameters."""
    found = search(problem)
    return {
        "valuation": round(found.valuation),
        "best_rule": found.best_rule,
        "best_rule_valuation": round(found.best_rule_valuation),
        "evaluations": found.evaluations,
        "parameters": plain(found.parameters),
    }


def plan_row(problem: Problem) -> dict[str, Any]:
    """The clairvoyant's plan: valuations in whole EUR, the solver's gap, and each round's price level and units."""
    one = clairvoyant(problem)
    return {
        "plan": round(one.plan_value),
        "bound": round(one.bound_value),
        "balanced": round(one.balanced_value),
        "gap": round(one.planned.gap, DIGITS),
        "levels": [LEVELS[index] for index in one.planned.lists.tolist()],
        "made": [round(units) for units in one.planned.made.sum(axis=1).tolist()],
    }


def _solved(game: Game, solution: Solution) -> dict[str, Any]:
    levels = solution.prices / game.list_price
    channels = [float(levels[game.channel == k].mean()) for k in range(len(game.potential))]
    return {
        "level": round(float(np.mean(levels)), DIGITS),
        "by_channel": [round(level, DIGITS) for level in channels],
        "units": round(float(solution.units.sum())),
        "profit": round(solution.profit),
        "shadow": round(solution.shadow_price, DIGITS),
    }
