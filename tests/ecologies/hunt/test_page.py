"""The page on exploits holds what the committed findings say, and these hold what the game gives."""

from pathlib import Path

import numpy as np
import pytest

from ecologies.hunt.findings import read_findings
from ecologies.hunt.games import play
from ecologies.hunt.overlay import decider
from ecologies.hunt.tables import tables
from tests.ecologies.hunt.plays import PROBLEMS

FINDINGS = read_findings(Path(__file__).parent)
PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "exploits.md"


def test_the_tables_of_the_page_are_those_of_the_findings() -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = text.partition("tables` -->\n")[2].partition("<!-- to here -->")[0]
    assert made.strip() == tables(FINDINGS).strip()


@pytest.mark.parametrize("search", ["management", "tricks", "endgame", "harm"])
def test_a_winner_played_again_is_worth_what_was_found(search: str) -> None:
    found = FINDINGS[0]
    game = play(PROBLEMS[found["problem_id"]], decider(np.array(found["genomes"][search])))
    assert game.worth == pytest.approx(found["worth"][search])


def test_no_trick_is_named_that_the_page_does_not_own_up_to() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert {name for found in FINDINGS for name in found["named"] if f"*{name}*" not in text} == set()
