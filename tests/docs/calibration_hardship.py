"""What each kind of disturbance costs, from the panels that were played for the reliability."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from textwrap import fill
from typing import Final

import numpy as np

from ecologies.calibration.hardship import LEVELS, Effect, Hardship, hardship
from ecologies.disturbances import HARDSHIPS, KINDS
from ecologies.panel import generate
from erpsim.problem import STRATA, Problem
from tests.docs.calibration_reliability import PATH, SIZE
from tests.docs.rules_text import table

WORDS: Final = """\
## What a disturbance costs

Least squares over the {problems} problems of the {panels} panels above: the five rules' mean valuation on the market's
figures and on each disturbance, all additive. It explains {explained:.0%} of the differences between problems and
leaves {residual:.0f} M a problem. Change of a firm's valuation in M EUR, with its standard error:"""

READING: Final = """\
How to read it. A surge helps, and so does a warehouse that opens full, since firms have nothing to sell otherwise. A
delay of vendor A costs the rules nothing that could be told from chance, nor do some other kinds when they are mild. A
freeze comes with low cash, which is in its figures. `random_hard` is drawn from the {count} kinds alone that cost the
rules more than twice the error when they are strong; the other strata have all twelve. Summed over each problem's
disturbances, and then over a stratum, this gives:"""

STRATA_READING: Final = """\
By what happens in them, problems of `random_hard` cost {gap:.0f} M more than those of `hard` on average. `hard` is the
same fifteen stories in every panel, and some of them have a surge or a full warehouse in them; `random_hard` has its
kinds about equally often in every panel, so that it differs little between panels. The market's figures and what
disturbances do to each other come on top."""


def measured_hardship(path: Path = PATH) -> Hardship:
    """What each disturbance costs on all panels that were played."""
    panels = json.loads(path.read_text(encoding="ascii"))["panels"]
    every = [problem for ours in _problems(path).values() for problem in ours]
    return hardship(every, np.array([np.mean(row) * 1000.0 for ours in panels.values() for row in ours["rules"]]))


def _problems(path: Path) -> dict[str, tuple[Problem, ...]]:
    seeds = json.loads(path.read_text(encoding="ascii"))["panels"]
    return {seed: generate(int(seed), SIZE) for seed in seeds}


def section(path: Path = PATH) -> str:
    """The section of the calibration page."""
    problems, found = _problems(path), measured_hardship(path)
    words = WORDS.format(
        problems=sum(map(len, problems.values())), panels=len(problems),
        explained=found.explained, residual=found.residual / 1e6,
    )  # fmt: skip
    costs = [[kind, *(_told(found.effects[kind, level]) for level in LEVELS)] for kind in KINDS]
    rows, costs_of = [], []
    for stratum in STRATA:
        sums = [mean(found.of(one) for one in ours if one.stratum == stratum) / 1e6 for ours in problems.values()]
        costs_of.append(mean(sums))
        rows.append([stratum, f"{mean(sums):+.1f}", f"{min(sums):+.1f} to {max(sums):+.1f}"])
    head = ["stratum", "mean, M", "by panel"]
    reading, last = (
        fill(text, 120)
        for text in (READING.format(count=len(HARDSHIPS)), STRATA_READING.format(gap=costs_of[-2] - costs_of[-1]))
    )
    return "\n\n".join([words, table(["kind", *LEVELS], costs), reading, table(head, rows), last])


def _told(effect: Effect) -> str:
    return f"{effect.mean / 1e6:+.1f} ± {effect.error / 1e6:.1f}"
