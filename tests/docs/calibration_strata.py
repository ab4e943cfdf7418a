"""Shows whether the strata keep their order on panels that were played for the reliability."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist, mean, median, stdev
from textwrap import fill
from typing import Final, NamedTuple

from ecologies.panel import generate
from erpsim.problem import STRATA
from tests.docs.calibration_reliability import PATH, SIZE
from tests.docs.rules_text import table

WORDS: Final = """\
{panels} generated panels of {size} problems, of which the first is the one above: median valuations in M EUR by
stratum, and how far each stratum lies below the one before. The order holds on {held} of them{missed}."""

READING: Final = """\
How to read it. The median of {hard} or {most} problems is uncertain, since a panel has these problems and not others:
between panels the three steps of {means} M vary by {deviations} M. {chances} So a single panel may miss the order by
chance; the mean over panels has it in every step. (The errors in the tables above draw a stratum's problems again
without heed to that their markets are spread evenly, and are larger than that.)

What it means. The four strata are grades on the mean of panels. On a panel of {few} problems, with four or five in a
hard stratum, it is a guess which of the two is harder, and a check calls that TOO FEW. All this is of which problems a
panel has: two models on one panel play the same ones, and their difference does not have this error."""
CHANCE: Final = "The first is thus upside down on about one panel in {first}, the last on one in {last}."
FEW: Final = 30
WIDTH: Final = 120


class Panel(NamedTuple):
    """One panel's strata, in their order."""

    seed: str
    medians: tuple[float, ...]  # M EUR

    @property
    def steps(self) -> tuple[float, ...]:
        """From each stratum down to the next, M EUR."""
        return tuple(above - below for above, below in zip(self.medians, self.medians[1:], strict=False))

    @property
    def held(self) -> bool:
        """Whether point 4's order holds."""
        return min(self.steps[:-1]) > 0 <= self.steps[-1]


def panels(path: Path = PATH) -> tuple[Panel, ...]:
    """Every panel that was played."""
    return tuple(
        _panel(seed, ours["rules"]) for seed, ours in json.loads(path.read_text(encoding="ascii"))["panels"].items()
    )


def _panel(seed: str, rows: list[list[int]]) -> Panel:
    problems = generate(int(seed), SIZE)
    worth = [
        [[one / 1000 for one in row] for row, problem in zip(rows, problems, strict=True) if problem.stratum == stratum]
        for stratum in STRATA
    ]
    return Panel(seed, tuple(median(one for row in ours for one in row) for ours in worth))


def section(path: Path = PATH) -> str:
    """What follows point 4's tables."""
    found = panels(path)
    rows = [[f"seed {one.seed}", *(f"{middle:,.1f}" for middle in one.medians), _listed(one.steps)] for one in found]
    head = [f"{SIZE} problems, median, M", *STRATA, "steps down"]
    missed = [f"seed {one.seed}, by {-min(one.steps):.1f} M" for one in found if not one.held]
    words = WORDS.format(
        panels=len(found), size=SIZE, held=sum(one.held for one in found),
        missed=f", and is missed on {', '.join(missed)}" if missed else "",
    )  # fmt: skip
    return "\n\n".join([fill(words, WIDTH), table(head, rows), _reading(found)])


def _reading(found: Sequence[Panel]) -> str:
    steps = list(zip(*(one.steps for one in found), strict=True))
    spreads = [NormalDist(mean(one), stdev(one)) for one in steps]
    first, last = (_one_in(spreads[index].cdf(0)) for index in (0, -1))
    counts = Counter(problem.stratum for problem in generate(int(found[0].seed), SIZE))
    reading = READING.format(
        hard=counts["hard"], most=counts["baseline"], few=FEW,
        means=_listed([one.mean for one in spreads], "{:.0f}"),
        deviations=_listed([one.stdev for one in spreads], "{:.0f}"),
        chances=CHANCE.format(first=first, last=last),
    )  # fmt: skip
    return "\n\n".join(fill(part, WIDTH) for part in reading.split("\n\n"))


def _one_in(chance: float) -> str:
    return f"{round(1 / chance, -1 if chance > 0.01 else -2):,.0f}"


def _listed(steps: Sequence[float], form: str = "{:+.1f}") -> str:
    return " / ".join(form.format(one) for one in steps)
