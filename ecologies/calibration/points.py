"""The nine points that must be true of the game, each with its figures, its band and whether it is met.

Rows are those of `rows.measured_row` and of `yardsticks.rows`; nothing is played here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any, Final

import numpy as np

from ecologies.calibration.measures import LEVELS
from ecologies.ecology import RULE_NAMES
from erpsim.problem import STRATA

Row = Mapping[str, Any]

LEAST, MOST = 30e6, 400e6
"""EUR between which the paper's order of magnitude lies: tens to a few hundreds of millions."""
INTERIOR: Final = (0.7, 2.1)
WIN_SHARES: Final = (0.05, 0.50)
BINDING_SHARE: Final = 0.10
TIMES: Final = 2.0
DIFFERENT_WINNERS: Final = 0.15
CLEARLY: Final = 1.05
"""What a searched policy must be worth, x the best rule."""
STRATUM_PROBLEMS: Final = 10
"""Problems of a stratum below which its median is not set beside another's."""
STRATUM_PANEL: Final = 65
"""Problems of the smallest generated panel that has so many of each stratum."""
RESAMPLES: Final = 2000
"""Draws of a stratum's problems, with replacement, from which the error of its median is taken."""
CONSTRAINTS: Final = {"l": "capacity", "m": "materials", "c": "cash", "s": "storage"}
"""What may bind, in the order in which it is told, by the letter that stands for it in the rows."""


@dataclass(frozen=True)
class Measured:
    """All rows of one panel, by problem in the panel's order; in-full measurements only where they were made."""

    name: str
    measured: tuple[Row, ...]
    played: tuple[Row, ...]
    response: tuple[Row, ...] = ()
    plan: tuple[Row, ...] = ()

    @property
    def full(self) -> tuple[Row, ...]:
        """The rows of problems that were measured in full."""
        return tuple(row for row in self.measured if "levels" in row)


@dataclass(frozen=True)
class Point:
    """One point of the calibration.

    Attributes:
        title: what must be true.
        head: of its table.
        rows: of its table; every one but the first column is a figure.
        passed: whether the band is met.
        lacks: why the panel is too small for the band, and what would do; empty where it is large enough.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    passed: bool
    lacks: str = ""


def points(panel: Measured) -> tuple[Point, ...]:
    """Judge every point that the rows allow, in order."""
    judges: tuple[Callable[[Measured], Point], ...] = (
        _order, _interior, _wins, _strata, _binding, _baselines, _mistakes, _winners, _clairvoyant,
    )  # fmt: skip
    return tuple(judge(panel) for judge in judges)


def _order(panel: Measured) -> Point:
    finals = {name: [row["valuations"][-1][index] for row in panel.measured] for index, name in enumerate(RULE_NAMES)}
    rows = [
        (name, _millions(min(worth)), _millions(median(worth)), _millions(max(worth))) for name, worth in finals.items()
    ]
    passed = all(LEAST <= median(worth) <= MOST for worth in finals.values())
    return Point(
        f"Rules are worth tens to a few hundreds of millions: every median within {LEAST / 1e6:g}-{MOST / 1e6:g} M EUR",
        ("rule, in markets of the five", "lowest, M", "median, M", "highest, M"), tuple(rows), passed,
    )  # fmt: skip


def _interior(panel: Measured) -> Point:
    rows, best = [], []
    for stratum in STRATA:
        ours = [row["levels"] for row in panel.full if row["stratum"] == stratum]
        if not ours:
            continue
        means = [mean(column) for column in zip(*ours, strict=True)]
        best.append(LEVELS[means.index(max(means))])
        rows.append((f"{stratum} ({len(ours)})", *map(_millions, means), f"{best[-1]:g}"))
    return Point(
        f"Against five balanced rivals the best price level lies inside {INTERIOR[0]}-{INTERIOR[1]} in every stratum",
        ("mean value by level, M", *(f"{level:g}" for level in LEVELS), "best"), tuple(rows),
        all(INTERIOR[0] < level < INTERIOR[1] for level in best),
    )  # fmt: skip


def _wins(panel: Measured) -> Point:
    won = Counter(max(range(len(RULE_NAMES)), key=row["valuations"][-1].__getitem__) for row in panel.measured)
    shares = [won[index] / len(panel.measured) for index in range(len(RULE_NAMES))]
    return Point(
        f"Of the five rules none wins more than {WIN_SHARES[1]:.0%} of the problems, each at least {WIN_SHARES[0]:.0%}",
        ("rule", "problems won"),
        tuple((name, f"{share:.0%}") for name, share in zip(RULE_NAMES, shares, strict=True)),
        all(WIN_SHARES[0] <= share <= WIN_SHARES[1] for share in shares),
        _lacks_problems(len(panel.measured), WIN_SHARES[0]),
    )


def _strata(panel: Measured) -> Point:
    worth = {
        stratum: [row["valuations"][-1] for row in panel.measured if row["stratum"] == stratum] for stratum in STRATA
    }
    medians = [_median_of(firms) if firms else 0.0 for firms in worth.values()]
    rows = [
        (stratum, str(len(firms)), _millions(middle), _millions(median_error(firms)))
        for (stratum, firms), middle in zip(worth.items(), medians, strict=True)
    ]
    fewest = min(STRATA, key=lambda stratum: len(worth[stratum]))
    few = len(worth[fewest])
    return Point(
        "Median valuation: baseline > dual_pressure > hard ≥ random_hard",
        ("stratum", "problems", "median, M", "its standard error, M"),
        tuple(rows),
        medians[0] > medians[1] > medians[2] >= medians[3],
        "" if few >= STRATUM_PROBLEMS else
        f"{few} of its problems are {fewest}, and a stratum's median needs {STRATUM_PROBLEMS};"
        f" check a panel with as many of each, such as one that is generated with {STRATUM_PANEL} or more problems",
    )  # fmt: skip


def median_error(firms: Sequence[Sequence[float]]) -> float:
    """Standard error of the median of all firms, EUR, since a panel has these problems and not others.

    Problems are drawn again, with all their firms, as firms of one market are alike.

    Args:
        firms: valuations by problem, then firm, EUR.
    """
    if len(firms) < 2:
        return math.nan
    rng = np.random.default_rng(len(firms))
    drawn = np.array(firms)[rng.integers(len(firms), size=(RESAMPLES, len(firms)))]
    return float(np.median(drawn.reshape(RESAMPLES, -1), axis=1).std(ddof=1))


def _median_of(firms: Sequence[Sequence[float]]) -> float:
    return median(worth for problem in firms for worth in problem)


def _binding(panel: Measured) -> Point:
    shares: dict[str, dict[str, float]] = {}
    for stratum in STRATA:
        marks = [mark for row in panel.measured if row["stratum"] == stratum for one in row["bindings"] for mark in one]
        if marks:
            shares[stratum] = {letter: mean(letter in mark for mark in marks) for letter in CONSTRAINTS}
    return Point(
        f"Capacity, materials, cash and storage each bind in ≥ {BINDING_SHARE:.0%}"
        " of the firm-rounds of at least one stratum",
        ("stratum", *CONSTRAINTS.values()),
        tuple((stratum, *(f"{share:.0%}" for share in ours.values())) for stratum, ours in shares.items()),
        all(max(ours[letter] for ours in shares.values()) >= BINDING_SHARE for letter in CONSTRAINTS),
    )


def _baselines(panel: Measured) -> Point:
    balanced = [row["rules"]["balanced"] for row in panel.played]
    rows, passed = [("balanced", _millions(median(balanced)), "", "")], True
    for name, key in (("uniformly random, valid", "random_valid"), ("do nothing", "do_nothing")):
        other = [row[key] for row in panel.played]
        times = median(balanced) / max(median(other), 1.0)
        beaten = mean(mine > TIMES * theirs for mine, theirs in zip(balanced, other, strict=True))
        rows.append((name, _millions(median(other)), f"{times:.1f}", f"{beaten:.0%}"))
        passed = passed and times > TIMES
    return Point(
        f"Balanced is worth more than {TIMES:g} times a random valid policy and {TIMES:g} times doing nothing",
        ("in the same seat against the five rules", "median, M", "balanced is x times that", "twice it in"),
        tuple(rows), passed,
    )  # fmt: skip


def _mistakes(panel: Measured) -> Point:
    names = list(panel.full[0]["mistakes"]) if panel.full else []
    rows, all_early, all_late = [], [], []
    for name in names:
        early, late = (mean(row["mistakes"][name][index] for row in panel.full) for index in (0, 1))
        rows.append((name, _millions(early), _millions(late)))
        all_early.append(early)
        all_late.append(late)
    rows.append(("**mean**", _millions(mean(all_early)), _millions(mean(all_late))))
    return Point(
        "The same mistake costs more in rounds 1-2 than in rounds 5-6, on average",
        ("mistake of the balanced rule", "in rounds 1-2, M", "in rounds 5-6, M"),
        tuple(rows), mean(all_early) > mean(all_late),
    )  # fmt: skip


def _winners(panel: Measured) -> Point:
    won = [row["winners"] for row in panel.measured if "winners" in row]
    different = mean(solo != arena for solo, arena in won) if won else 0.0
    rows = [
        (label, *(f"{mean(one[index] == label for one in won):.0%}" for index in (0, 1)))
        for label in sorted({label for one in won for label in one})
    ]
    rows.append(("**another one in Solo and Arena**", f"{different:.0%}", ""))
    return Point(
        f"Of six stand-in styles, Solo's winner is not Arena's on ≥ {DIFFERENT_WINNERS:.0%} of the problems",
        ("style", "wins in Solo", "wins in Arena"), tuple(rows), different >= DIFFERENT_WINNERS,
        _lacks_problems(len(won), DIFFERENT_WINNERS),
    )  # fmt: skip


def _clairvoyant(panel: Measured) -> Point:
    stratum_of = {row["problem_id"]: row["stratum"] for row in panel.measured}
    gains = [row["valuation"] / row["best_rule_valuation"] for row in panel.response]
    groups = {
        stratum: [row for row in panel.response if stratum_of.get(row["problem_id"]) == stratum] for stratum in STRATA
    }
    rows = [_searched(name, ours, panel.plan) for name, ours in (*groups.items(), ("all", panel.response)) if ours]
    return Point(
        f"A policy searched with the problem known is worth {CLEARLY:g} times the best rule, in the median, at least",
        ("median, M (problems)", "best rule", "searched", "gain", "lowest gain", "highest gain",
         "clairvoyant's plan", "its bound"),
        tuple(rows),
        bool(gains) and median(gains) >= CLEARLY,
    )  # fmt: skip


def _searched(name: str, ours: Sequence[Row], plan: Sequence[Row]) -> tuple[str, ...]:
    """The row of a group of problems; the plan's figures are of those among them that have one."""
    gains = [row["valuation"] / row["best_rule_valuation"] - 1 for row in ours]
    known = {row["problem_id"] for row in ours}
    planned = [row for row in plan if row["problem_id"] in known]
    return (
        f"{name} ({len(ours)})",
        *(_millions(median(row[key] for row in ours)) for key in ("best_rule_valuation", "valuation")),
        *(f"{gain:+.1%}" for gain in (median(gains), min(gains), max(gains))),
        *(_millions(median(row[key] for row in planned)) if planned else "–" for key in ("plan", "bound")),
    )


def _lacks_problems(found: int, share: float) -> str:
    """Say that there are so few problems that a share of them is less than one."""
    needed = math.ceil(1 / share)
    problems = "1 problem" if found == 1 else f"{found} problems"
    said = f"{share:.0%} of {problems} is less than one; check a panel of {needed} or more"
    return said if found < needed else ""


def _millions(amount: float) -> str:
    return "–" if math.isnan(amount) else f"{amount / 1e6:,.1f}"
