"""How reliable the instrument is: do two panels that share no problem put the same policies into the same order?

`python -m ecologies.calibration.reliability 1974 1 --count 100` generates a panel from each of two seeds, plays the
five rules on both, and prints mean ranks, mean valuations and how far they agree.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy.stats import kendalltau, pearsonr, rankdata, spearmanr

from ecologies.ecology import RULE_NAMES
from ecologies.panel import generate
from ecologies.rules import rule_policy
from ecologies.yardsticks.played import final_valuations
from erpsim.problem import Problem
from erpsim.units import FloatArray


class Agreement(NamedTuple):
    """How far two panels agree about policies, each -1 to 1; not a number where all are alike on one of them."""

    spearman: float  # of the policies' mean ranks
    kendall: float  # tau-b of their mean ranks
    pearson: float  # of their mean valuations


def agreement(ours: FloatArray, theirs: FloatArray) -> Agreement:
    """Compare two panels by what policies end at there.

    Args:
        ours: (problems, policies) EUR, at least two policies.
        theirs: (problems, policies) EUR, of the same policies on other problems.
    """
    ranks = mean_ranks(ours), mean_ranks(theirs)
    means = ours.mean(axis=0), theirs.mean(axis=0)
    return Agreement(
        *(float(measure(*pair).statistic) for measure, pair in
          ((spearmanr, ranks), (kendalltau, ranks), (pearsonr, means)))
    )  # fmt: skip


def mean_ranks(valuations: FloatArray) -> FloatArray:
    """Mean rank of each policy over the problems, (policies,); 1 is best, ties share their ranks."""
    ranks: FloatArray = rankdata(-valuations, axis=1).mean(axis=0)
    return ranks


def rules_played(problems: Sequence[Problem], done: Callable[[str], None] = lambda _: None) -> FloatArray:
    """What the five rules end at in markets of their own, (problems, 5) EUR; `done` hears of each problem."""
    rows = []
    for problem in problems:
        rows.append(final_valuations(problem, [rule_policy(name) for name in RULE_NAMES]))
        done(problem.problem_id)
    return np.array(rows)


def report(names: Sequence[str], ours: FloatArray, theirs: FloatArray) -> str:
    """Both panels side by side as lines of text, and their agreement."""
    found = agreement(ours, theirs)
    columns = (mean_ranks(ours), mean_ranks(theirs), ours.mean(axis=0) / 1e6, theirs.mean(axis=0) / 1e6)
    lines = [_LINE.format("", "mean rank", "", "mean, M EUR", ""), _LINE.format("policy", *("first", "second") * 2)]
    lines += [_LINE.format(name, *(f"{one:.2f}" for one in row)) for name, *row in zip(names, *columns, strict=True)]
    lines += [
        f"Spearman's rho of mean ranks   {found.spearman:+.2f}",
        f"Kendall's tau of mean ranks    {found.kendall:+.2f}",
        f"Correlation of mean valuations {found.pearson:+.2f}",
    ]
    return "\n".join(lines) + "\n"


_LINE: Final = "{:<14}{:>12}{:>12}{:>14}{:>12}"


def main(arguments: Sequence[str]) -> int:
    """Play two panels and print how far they agree."""
    parser = argparse.ArgumentParser(prog="python -m ecologies.calibration.reliability", description=__doc__)
    parser.add_argument("first", type=int, help="seed of the first panel")
    parser.add_argument("second", type=int, help="seed of the second")
    parser.add_argument("--count", type=int, default=100, help="problems of each")
    asked = parser.parse_args(arguments)
    if asked.first == asked.second:
        parser.error(f"both seeds are {asked.first}, and a panel agrees with itself; name two")
    panels = [generate(seed, asked.count) for seed in (asked.first, asked.second)]
    sys.stdout.write(report(RULE_NAMES, *(rules_played(panel) for panel in panels)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
