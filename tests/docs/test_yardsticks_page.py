"""The figures on the page of the yardsticks are those of the shipped files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

import pytest

from analysis.yardsticks import LEAST_GAP
from ecologies.problems import shipped_panel
from ecologies.yardsticks.clairvoyant import FIRST_HOURS, LEVELS, RUNS_MAXIMUM, SETUP_CUT, TILT
from ecologies.yardsticks.plan import GAP, SECONDS
from ecologies.yardsticks.response import EVALUATIONS
from ecologies.yardsticks.static_game import DAMPING, SETUPS
from ecologies.yardsticks.store import Kind, shipped
from tests.docs.pages import DOCS

PAGE = (DOCS / "explanation" / "yardsticks.md").read_text(encoding="utf-8")
PANEL = shipped_panel()


@pytest.mark.parametrize("kind", ["static", "played", "response", "plan"])
def test_the_page_says_how_many_problems_have_a_yardstick(kind: Kind) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{kind}.jsonl`"))
    assert int(row.split("|")[3]) == len(shipped(kind, PANEL))


def test_what_the_page_says_of_conduct() -> None:
    days = [pair for row in shipped("static", PANEL).values() for pair in zip(row["nash"], row["cartel"], strict=True)]
    gaps = [cartel["level"] - nash["level"] for nash, cartel in days]
    apart = [pair for pair, gap in zip(days, gaps, strict=True) if abs(gap) >= LEAST_GAP]
    close = [pair for pair, gap in zip(days, gaps, strict=True) if abs(gap) < LEAST_GAP]
    binds = sum(nash["shadow"] > 0 for nash, _ in days) / len(days)
    said = re.sub(r"\s+", " ", PAGE.split("<!-- conduct -->")[1].split("<!-- /conduct -->")[0])
    assert f"{len(days)} problem-rounds these are {100 * len(apart) / len(days):.0f} %" in said
    assert f"in {100 * binds:.1f} % of all {len(days)}, and the largest gap is {max(gaps):.3f} of list" in said
    for name, group in (("at least 2 % of list apart", apart), ("closer", close), ("all", days)):
        assert f"| {name} | {_of_rounds(group)} |" in said


def _of_rounds(days: Sequence[tuple[dict[str, float], dict[str, float]]]) -> str:
    idle = sum(cartel["shadow"] == 0 for _, cartel in days)
    gap = median(cartel["level"] - nash["level"] for nash, cartel in days)
    gain = median(cartel["profit"] / nash["profit"] - 1 for nash, cartel in days)
    return f"{len(days)} | {idle} | {gap:.3f} | {100 * gain:.2f} %"


def test_settings_that_the_page_names() -> None:
    assert (SETUPS, EVALUATIONS, DAMPING) == (12, 80, 0.8)


def test_what_binds_the_plan_is_what_the_page_lists() -> None:
    said = re.sub(r"\s+", " ", PAGE.partition("## A clairvoyant's plan")[2])
    assert f"gap of {100 * GAP:.0f} % or after {SECONDS:.0f} seconds" in said
    assert (len(LEVELS), SETUP_CUT, RUNS_MAXIMUM) == (8, 3, 3)
    assert "eight price lists" in said
    assert f"tilt by channel ({', '.join(f'{tilt:g}' for tilt in TILT)})" in said
    assert "exactly three hours of setup time are cut, in round 1" in said
    assert f"at most three runs of a SKU in a round, and nothing is made in the first {FIRST_HOURS} hours" in said
