"""How far two panels agree about policies: by hand, and by the command."""

from __future__ import annotations

import numpy as np
import pytest

from ecologies.calibration.reliability import agreement, main, mean_ranks, report, rules_played
from ecologies.panel import generate

# Three policies on two problems: ranks 1, 2, 3 and 2, 1, 3.
OURS = np.array([[30e6, 20e6, 10e6], [20e6, 28e6, 12e6]])
# Ranks 1, 3, 2 and 1, 2, 3.
THEIRS = np.array([[40e6, 10e6, 20e6], [40e6, 20e6, 12e6]])


def test_mean_ranks_by_hand() -> None:
    assert mean_ranks(OURS).tolist() == [1.5, 1.5, 3.0]
    assert mean_ranks(THEIRS).tolist() == [1.0, 2.5, 2.5]
    assert mean_ranks(np.array([[5.0, 5.0, 1.0]])).tolist() == [1.5, 1.5, 3.0]


def test_agreement_by_hand() -> None:
    found = agreement(OURS, THEIRS)
    # Of ranks (1.5, 1.5, 3) and (1, 2.5, 2.5): deviations (-.5, -.5, 1) and (-1, .5, .5).
    assert found.spearman == pytest.approx(0.75 / 1.5)
    # Pairs: one tied on each side, one in the same order: 1 / sqrt(2 * 2).
    assert found.kendall == pytest.approx(0.5)
    # Means (25, 24, 11) and (40, 15, 16) M: deviations (5, 4, -9) and (49, -26, -23) / 3.
    assert found.pearson == pytest.approx((5 * 49 - 4 * 26 + 9 * 23) / (122 * (49**2 + 26**2 + 23**2)) ** 0.5)


def test_a_panel_agrees_with_itself() -> None:
    assert agreement(THEIRS, THEIRS[::-1]) == pytest.approx((1.0, 1.0, 1.0))


def test_a_report_shows_both_sides() -> None:
    lines = report(("first", "second", "third"), OURS, THEIRS).splitlines()
    assert lines[2].split() == ["first", "1.50", "1.00", "25.00", "40.00"]
    assert lines[-3].split()[-1] == "+0.50"


def test_panels_of_different_seeds_share_no_problem() -> None:
    seeds = [{problem.seed for problem in generate(seed, 100)} for seed in (1974, 1, 2)]
    assert len(set.union(*seeds)) == 300


@pytest.mark.slow
def test_the_command_plays_two_panels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["1974", "1", "--count", "2"]) == 0
    said = capsys.readouterr().out
    assert "balanced" in said
    assert "Spearman's rho" in said
    heard: list[str] = []
    assert rules_played(generate(1, 1), heard.append).shape == (1, 5)
    assert heard == ["P001"]


def test_one_seed_twice_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["7", "7"])
    assert "name two" in capsys.readouterr().err
