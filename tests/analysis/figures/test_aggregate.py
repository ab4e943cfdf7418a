import numpy as np

from analysis.figures.aggregate import aggregate
from tests.analysis.figures.frames import CAST, curves, lines, said, summary

BOTH = {
    ("solo", "model/a"): (10.0, 1.0, 3),
    ("solo", "model/b"): (8.0, 2.0, 3),
    ("arena", "model/a"): (7.0, 1.75, 3),
    ("arena", "model/b"): (9.0, 1.25, 3),
}


def test_lines_carry_valuation_and_rank_from_solo_to_arena() -> None:
    figure = aggregate(summary(BOTH), CAST)
    left, right = figure.axes
    assert curves(left) == [[10.0, 7.0], [8.0, 9.0]]
    assert curves(right) == [[1.0, 1.75], [2.0, 1.25]]
    assert [label.get_text() for label in left.get_xticklabels()] == ["Solo", "Arena"]


def test_the_best_rank_is_on_top_and_units_are_named() -> None:
    left, right = aggregate(summary(BOTH), CAST).axes
    assert right.get_ylim()[0] > right.get_ylim()[1]
    assert "millions of EUR" in left.get_ylabel()
    assert "1 = best" in right.get_ylabel()


def test_every_model_is_in_the_legend_and_a_standin_is_marked() -> None:
    figure = aggregate(summary(BOTH), CAST)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["model/a", "model/b †"]
    assert "† Stand-in" in said(figure)


def test_a_missing_value_leaves_a_gap_and_is_named() -> None:
    frame = summary({**BOTH, ("solo", "model/b"): (np.nan, np.nan, 0)})
    figure = aggregate(frame, CAST)
    assert np.isnan(curves(figure.axes[0])[1][0])
    assert "Without data: model/b † (Solo)." in said(figure)


def test_a_model_without_any_row_is_named() -> None:
    frame = summary({key: value for key, value in BOTH.items() if key[1] == "model/a"})
    assert "Without data: model/b † (Solo, Arena)." in said(aggregate(frame, CAST))


def test_one_ecology_sets_the_points_side_by_side() -> None:
    frame = summary({key: value for key, value in BOTH.items() if key[0] == "solo"})
    (first, one), (second, two) = lines(aggregate(frame, CAST).axes[0])
    assert (one, two) == ([10.0], [8.0])
    assert first < second


def test_without_any_valuation_the_figure_says_so() -> None:
    assert "Not drawn: no model has a valuation." in said(aggregate(summary({}), CAST))
