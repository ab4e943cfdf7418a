import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from analysis.figures.audit import audit
from analysis.theme import Cast
from tests.analysis.figures.frames import CAST, counts, said

PAPER = counts({"model/a": (3761, 355, 275, 118, 48, 5)})


def test_pooled_bars_are_the_papers_shares() -> None:
    """3,761 / 355 / 275 / 118 / 48 of 4,557 displayed events: 82.5, 7.8, 6.0, 2.6 and 1.1 %."""
    bars = [patch for patch in audit(PAPER, Cast(("model/a",))).axes[1].patches if isinstance(patch, Rectangle)]
    assert [bar.get_width() for bar in bars] == pytest.approx([82.53, 7.79, 6.03, 2.59, 1.05], abs=0.005)


def test_cells_carry_counts_and_shares_and_failed_runs_stand_outside() -> None:
    texts = [text.get_text() for text in audit(PAPER, Cast(("model/a",))).axes[0].texts]
    assert texts == ["3,761  (82.5 %)", "355  (7.8 %)", "275  (6.0 %)", "118  (2.6 %)", "48  (1.1 %)", "5"]


def test_ecologies_are_pooled() -> None:
    both = pd.concat([counts({"model/a": (1, 0, 0, 0, 0, 0)}, ecology) for ecology in ("solo", "arena")])
    assert audit(both, Cast(("model/a",))).axes[0].texts[0].get_text() == "2  (100.0 %)"


def test_shades_are_the_shares() -> None:
    figure = audit(counts({"model/a": (1, 3, 0, 0, 0, 9), "model/b": (0, 0, 0, 0, 0, 0)}), CAST)
    shares = np.asarray(figure.axes[0].collections[0].get_array(), dtype=float).reshape(2, 6)
    assert shares.tolist() == [[0.25, 0.75, 0.0, 0.0, 0.0, 0.0], [0.0] * 6]


def test_no_event_at_all_is_zero_and_no_share() -> None:
    figure = audit(counts({"model/a": (0,) * 6, "model/b": (0,) * 6}), CAST)
    assert {text.get_text() for text in figure.axes[0].texts} == {"0"}
    assert "%)" not in said(figure).replace("events (%)", "")


def test_markets_given_up_are_told_apart_from_the_models_own() -> None:
    frame = pd.concat([PAPER, counts({"": (0, 0, 0, 0, 0, 4)})])
    figure = audit(frame, Cast(("model/a",)))
    assert figure.axes[0].texts[5].get_text() == "5"
    assert "behind which no single model stands: 4." in said(figure)


def test_a_model_without_rows_has_dashes() -> None:
    figure = audit(PAPER, CAST)
    assert [text.get_text() for text in figure.axes[0].texts][6:] == ["–"] * 6


def test_without_rows_the_figure_says_so() -> None:
    assert "Not drawn: no events" in said(audit(PAPER.iloc[:0], CAST))
