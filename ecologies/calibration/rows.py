"""One problem's measurements as plain data, as the file keeps them; money in whole EUR."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ecologies.calibration.measures import by_price_level, elasticities, freeze, levers, mistakes, winners
from ecologies.calibration.points import CONSTRAINTS
from ecologies.calibration.rule_markets import rule_market
from ecologies.policy import Policy
from erpsim.problem import Problem


def measured_row(problem: Problem, models: Mapping[str, Policy], in_full: bool) -> dict[str, Any]:
    """Measure a problem.

    Args:
        problem: what is played.
        models: six policies that play as models, by label; none if nobody but the rules plays.
        in_full: whether price levels, mistakes, levers and elasticities are measured too.
    """
    market = asyncio.run(rule_market(problem))
    row: dict[str, Any] = {
        "stratum": problem.stratum,
        "valuations": [[round(worth) for worth in one] for one in market.valuations],
        # By round and rule, the letters of what bound.
        "bindings": [["".join(letter for letter, on in zip(CONSTRAINTS, one, strict=True) if on) for one in rules]
                     for rules in market.bindings],
    }  # fmt: skip
    if models:
        row["winners"] = list(winners(problem, models))
    frozen_out = freeze(problem)
    if frozen_out is not None:
        row["freeze"] = round(frozen_out)
    if in_full:
        row["levels"] = [round(worth) for worth in by_price_level(problem)]
        row["mistakes"] = {name: [round(one.early), round(one.late)] for name, one in mistakes(problem).items()}
        row["levers"] = {name: round(gain) for name, gain in levers(problem).items()}
        measured = elasticities(problem)
        row["elasticities"] = [[round(one, 3) for one in kind] for kind in measured]
    return row
