"""What markets of the five rules come to over several problems, in a few figures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median
from typing import Any

from ecologies.calibration.rule_markets import Binding, rule_market
from ecologies.problems import select, shipped_panel
from erpsim.problem import Problem


def chosen(count: str, setting: str = "", factor: float = 1.0) -> tuple[Problem, ...]:
    """Problems of the shipped panel, chosen as `problems.select` does, with a figure of their markets multiplied."""
    return tuple(_with(problem, setting, factor) for problem in select(shipped_panel().problems, count))


def outcome(problems: Sequence[Problem]) -> dict[str, Any]:
    """Play the five rules on problems.

    Returns:
        `problems`; `median` of all final valuations, whole EUR; `winners`, the index of the best rule by problem;
        `bindings`, the share of firm-rounds in which each constraint binds.
    """
    markets = [asyncio.run(rule_market(problem)) for problem in problems]
    marks = [one for market in markets for rules in market.bindings for one in rules]
    return {
        "problems": len(problems),
        "median": round(median(worth for market in markets for worth in market.final)),
        "winners": [market.winner for market in markets],
        "bindings": {name: round(mean(getattr(mark, name) for mark in marks), 4) for name in Binding._fields},
    }


def _with(problem: Problem, setting: str, factor: float) -> Problem:
    if not setting:
        return problem
    changed = {setting: getattr(problem.market, setting) * factor}
    return replace(problem, market=replace(problem.market, **changed))
