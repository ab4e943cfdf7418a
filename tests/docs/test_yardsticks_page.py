"""The figures on the page of the yardsticks are those of the shipped files."""

from __future__ import annotations

import re
from statistics import median

import pytest

from analysis.yardsticks import LEAST_GAP
from ecologies.problems import shipped_panel
from ecologies.yardsticks.response import EVALUATIONS
from ecologies.yardsticks.static_game import SETUPS
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
    apart = sum(abs(gap) >= LEAST_GAP for gap in gaps) / len(days)
    binds = sum(nash["shadow"] > 0 for nash, _ in days) / len(days)
    more = median(cartel["profit"] / nash["profit"] - 1 for nash, cartel in days)
    said = re.sub(r"\s+", " ", PAGE.split("<!-- conduct -->")[1].split("<!-- /conduct -->")[0])
    assert f"{apart:.0%} of the panel's {len(days)} problem-rounds".replace("%", " %") in said
    assert f"In {100 * binds:.1f} % of them capacity binds" in said
    assert f"{median(gaps):.3f} of list more and earn {100 * more:.2f} % more" in said


def test_settings_that_the_page_names() -> None:
    assert (SETUPS, EVALUATIONS) == (12, 80)
