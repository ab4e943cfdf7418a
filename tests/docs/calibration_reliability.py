"""Measures and shows how far panels that share no problem agree about who plays better."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any, Final, NamedTuple

import numpy as np

from actors.llm.standin_styles import STYLES
from ecologies.calibration.reliability import Agreement, agreement, mean_ranks
from ecologies.ecology import RULE_NAMES
from ecologies.panel import generate
from ecologies.panel_file import Panel, encode
from ecologies.panel_likeness import likeness
from ecologies.policy import Policy
from ecologies.problems import select, shipped_panel
from ecologies.rules import rule_policy
from ecologies.yardsticks.played import final_valuations
from ecologies.yardsticks.store import DATA
from erpsim.parameters import RULES_VERSION
from erpsim.problem import Problem
from erpsim.units import FloatArray
from tests.docs.calibration_stamp import fits
from tests.docs.rules_text import table
from tests.docs.standin_policy import standin_policies

PATH: Final = DATA / "reliability.json"
SEEDS: Final = (1974, 1, 2, 3, 4, 5, 6, 7)
SIZE: Final = 100
SIZES: Final = (4, 12, 25, 50, 100)
"""Problems of the panels that are compared, chosen as `--problems N` does."""
PAIR: Final = ("1974", "1")
"""The two panels that are shown policy by policy."""

WORDS: Final = """\
## Reliability

Would another panel have put the same players into the same order? Panels of {size} problems from {panels} seeds, which
share no problem, were played by the five rules in markets of their own and by the six stand-in styles in Arena. Two of
them, seeds {first} and {second}, policy by policy; mean rank 1 is best:"""

SIZES_WORDS: Final = """\
All {pairs} pairs of the {panels} panels, and of smaller choices from them (`--problems N`): the mean over the pairs
and, in brackets, the lowest. Spearman's and Kendall's coefficients are of mean ranks, the correlation is of mean
valuations; *same best* is the share of pairs in which the same player ranks first."""

READING: Final = """\
How to read it. These are the instrument's coefficients for players as unlike as these and for one play of each
problem; players that lie closer together are told apart less well, and a language model's own noise comes on top. The
pairs share panels, so the lowest is no bound. The styles' valuations correlate so highly because one of the six
stands far below the others: look at the ranks. On few problems the order is hardly reliable even for players as
these. `python -m ecologies.calibration.reliability SEED SEED` plays the rules on any two panels and prints their
coefficients, so that they can be checked on problems that nobody has seen."""

LIKENESS: Final = """\
## Held-out panels

`erpbench problem generate` makes a panel of any size, `erpbench problem compare FILE [FILE]` sets two side by side,
and both say how many statistics lie within their bands. By stratum these are its share of the panel, the distribution
of every figure (mean and quantiles are shown) and how often each disturbance comes: 92 in all. The bands: a share of
the panel may differ by a problem of each panel; the market's figures but its size are spread evenly over a stratum, so
that their distributions may lie 1/n + 1/m apart and no more; what is drawn (market size, cash, loan, numbers of
disturbances, of strong and of announced ones, and the frequency of each kind) may differ by what chance exceeds once in
10,000 times. Panels of {seeds} seeds beside the shipped one, all statistics of a size taken together. With few problems
a band is so wide that nothing can miss it, which is counted too. All panels share the fifteen hand-made stories of the
stratum `hard`, with other markets under them."""
LIKENESS_SIZES: Final = (4, 12, 30, 100, 250)


class Lineup(NamedTuple):
    """Who plays a market together."""

    key: str
    title: str
    names: tuple[str, ...]


LINEUPS: Final = (
    Lineup("rules", "the five rules", RULE_NAMES),
    Lineup("styles", "the six stand-in styles", tuple(STYLES)),
)


def measure_reliability(path: Path) -> None:
    """Play every panel with both line-ups that the file does not have yet; valuations in thousands of EUR."""
    stamp = {"rules": RULES_VERSION, "problems": SIZE, "generated": _generated()}
    kept = json.loads(path.read_text(encoding="ascii")) if path.exists() else {}
    found: dict[str, Any] = kept if fits(kept, stamp) else {**stamp, "panels": {}}
    policies: dict[str, list[Policy]] = {
        "rules": [rule_policy(name) for name in RULE_NAMES],
        "styles": list(standin_policies().values()),
    }
    for seed in SEEDS:
        ours = found["panels"].setdefault(str(seed), {})
        for key, players in policies.items():
            if key in ours:
                continue
            ours[key] = [_thousands(problem, players) for problem in generate(seed, SIZE)]
            path.write_text(json.dumps(found, separators=(",", ":")) + "\n", "ascii")
            sys.stdout.write(f"reliability {seed} {key}\n")
            sys.stdout.flush()


def _generated() -> str:
    """Digest of all panels, so that what was played of others is played again."""
    return sha256(b"".join(encode(Panel(1, str(seed), generate(seed, SIZE))) for seed in SEEDS)).hexdigest()


def _thousands(problem: Problem, players: Sequence[Policy]) -> list[int]:
    return [round(worth / 1000) for worth in final_valuations(problem, players)]


def section(path: Path = PATH) -> str:
    """The section of the calibration page."""
    panels = json.loads(path.read_text(encoding="ascii"))["panels"]
    words = WORDS.format(size=SIZE, panels=len(panels), first=PAIR[0], second=PAIR[1])
    shown = [_side_by_side(lineup, *(_played(panels[seed][lineup.key]) for seed in PAIR)) for lineup in LINEUPS]
    pairs = len(list(combinations(panels, 2)))
    rows = [[lineup.title, str(size), *_agreements(panels, lineup, size)] for lineup in LINEUPS for size in SIZES]
    head = ["players", "problems", "Spearman", "Kendall", "correlation", "same best"]
    smaller = SIZES_WORDS.format(pairs=pairs, panels=len(panels))
    return "\n\n".join([words, *shown, smaller, table(head, rows), READING])


def likeness_section() -> str:
    """The section on panels beside the shipped one; panels are generated, nothing is played."""
    rows = []
    for size in LIKENESS_SIZES:
        found = [one for seed in SEEDS for one in likeness(generate(seed, size), shipped_panel().problems)]
        outside, idle = (sum(marks) for marks in zip(*((not one.within, one.band >= 1) for one in found), strict=True))
        rows.append([str(size), str(len(found)), str(idle), str(outside)])
    head = ["problems", "statistics", "cannot miss", "outside"]
    return "\n\n".join([LIKENESS.format(seeds=len(SEEDS)), table(head, rows, left=0)])


def _played(rows: list[list[int]]) -> FloatArray:
    return np.array(rows, dtype=np.float64) * 1000


def _side_by_side(lineup: Lineup, ours: FloatArray, theirs: FloatArray) -> str:
    columns = (mean_ranks(ours), mean_ranks(theirs), ours.mean(axis=0) / 1e6, theirs.mean(axis=0) / 1e6)
    rows = [
        [name, *(f"{one:.2f}" for one in row[:2]), *(f"{one:.1f}" for one in row[2:])]
        for name, *row in zip(lineup.names, *columns, strict=True)
    ]
    first, second = PAIR
    head = [lineup.title, f"mean rank, {first}", f"mean rank, {second}", f"mean, M, {first}", f"mean, M, {second}"]
    found = agreement(ours, theirs)
    line = "Spearman's ρ {:.2f}, Kendall's τ {:.2f}, correlation of mean valuations {:.2f}."
    return f"{table(head, rows)}\n\n{line.format(*found)}"


def _agreements(panels: dict[str, Any], lineup: Lineup, size: int) -> list[str]:
    played = [_chosen(_played(ours[lineup.key]), int(seed), size) for seed, ours in panels.items()]
    found = [agreement(*pair) for pair in combinations(played, 2)]
    best = [int(mean_ranks(one).argmin()) for one in played]
    same = mean(ours == theirs for ours, theirs in combinations(best, 2))
    columns = [[one[index] for one in found] for index in range(len(Agreement._fields))]
    return [*(f"{mean(column):.2f} ({min(column):.2f})" for column in columns), f"{same:.0%}"]


def _chosen(played: FloatArray, seed: int, size: int) -> FloatArray:
    problems = generate(seed, SIZE)
    names = {problem.problem_id for problem in select(problems, str(size))}
    return played[[problem.problem_id in names for problem in problems]]
