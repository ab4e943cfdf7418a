"""The paper's figures: they agree with each other as the paper prints them."""

import pytest

from analysis.reference import published
from erpsim.events import PAPER_CATEGORIES


def test_the_six_models_stand_in_the_papers_order() -> None:
    names = [row.model for row in published().models]
    assert names == ["DeepSeek", "Gemini", "GPT-5.5", "Qwen", "Doubao", "Claude"]


@pytest.mark.parametrize("row", published().models, ids=lambda row: row.model)
def test_each_effect_is_the_difference_of_its_valuations(row: object) -> None:
    valuations = row.arena_valuation_m - row.solo_valuation_m  # type: ignore[attr-defined]
    assert row.delta_m == pytest.approx(valuations, abs=0.011)  # type: ignore[attr-defined]
    assert row.ci_low_m < row.delta_m < row.ci_high_m  # type: ignore[attr-defined]


def test_mean_ranks_of_six_models_sum_to_21() -> None:
    for column in ("solo_rank", "arena_rank"):
        assert sum(getattr(row, column) for row in published().models) == pytest.approx(21, abs=0.03)


def test_the_displayed_shares_are_those_of_the_counts() -> None:
    rows = published().interventions
    assert tuple(row.category for row in rows) == PAPER_CATEGORIES
    shown = [row for row in rows if row.share_percent is not None]
    whole = sum(row.n for row in shown)
    assert [row.n for row in shown] == [3761, 355, 275, 118, 48]
    assert [round(100 * row.n / whole, 1) for row in shown] == [row.share_percent for row in shown]
    assert rows[-1].n == 5


def test_headline_figures_are_the_papers() -> None:
    paper = published()
    assert (paper.same_winner, paper.n_problems) == (21, 100)
    assert paper.largest_transition == ("DeepSeek", "Gemini", 35)
    assert (paper.spearman_mean, paper.spearman_ci) == (0.182, (0.090, 0.273))
    assert paper.bottom_rate == (("Gemini", 0.22, 0.0),)
    assert paper.p90_regret == (("Gemini", 0.73, 0.27), ("DeepSeek", 0.16, 0.39))


def test_every_part_names_its_place_in_the_paper() -> None:
    assert set(published().sources) == {"models", "interventions", "agreement", "tails"}
    assert all("section" in place or "Table" in place for place in published().sources.values())
