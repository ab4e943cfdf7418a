"""What each kind of disturbance costs, from the panels that were played for the reliability."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from typing import Final

import numpy as np

from ecologies.calibration.hardship import LEVELS, Effect, hardship
from ecologies.disturbances import KINDS
from ecologies.panel import generate
from erpsim.problem import STRATA
from tests.docs.calibration_reliability import PATH, SIZE
from tests.docs.rules_text import table

WORDS: Final = """\
## What a disturbance costs

Least squares over the {problems} problems of the {panels} panels above: the five rules' mean valuation on the market's
figures and on each disturbance, all additive. It explains {explained:.0%} of the differences between problems and
leaves {residual:.0f} M a problem. Change of a firm's valuation in M EUR, with its standard error:"""

READING: Final = """\
How to read it. A surge helps, and so does a warehouse that opens full, since firms have nothing to sell otherwise. A
delay of vendor A costs the rules nothing that could be told from chance, and dearer carbon little. A freeze comes with
low cash, which is in its figures. Summed over each problem's disturbances, and then over a stratum, this gives:"""

STRATA_READING: Final = """\
So the two hard strata are about equally hard by what happens in them. `hard` is the same fifteen stories in every
panel; what `random_hard` draws differs from panel to panel by more than its mean lies away from `hard`, and the
market's figures and what disturbances do to each other come on top. Which stratum's median ends lower is therefore
chance, and point 4 passes on the shipped panel by that chance."""


def section(path: Path = PATH) -> str:
    """The section of the calibration page."""
    panels = json.loads(path.read_text(encoding="ascii"))["panels"]
    problems = {seed: generate(int(seed), SIZE) for seed in panels}
    every = [problem for ours in problems.values() for problem in ours]
    found = hardship(every, np.array([np.mean(row) * 1000.0 for ours in panels.values() for row in ours["rules"]]))
    words = WORDS.format(
        problems=len(every), panels=len(panels), explained=found.explained, residual=found.residual / 1e6
    )
    costs = [[kind, *(_told(found.effects[kind, level]) for level in LEVELS)] for kind in KINDS]
    rows = []
    for stratum in STRATA:
        sums = [mean(found.of(one) for one in ours if one.stratum == stratum) / 1e6 for ours in problems.values()]
        rows.append([stratum, f"{mean(sums):+.1f}", f"{min(sums):+.1f} to {max(sums):+.1f}"])
    head = ["stratum", "mean, M", "by panel"]
    return "\n\n".join([words, table(["kind", *LEVELS], costs), READING, table(head, rows), STRATA_READING])


def _told(effect: Effect) -> str:
    return f"{effect.mean / 1e6:+.1f} ± {effect.error / 1e6:.1f}"
