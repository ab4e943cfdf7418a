import numpy as np
import pandas as pd

from analysis.figures.reliability import reliability
from tests.analysis.figures.frames import CAST, lines, said, summary

SUMMARY = summary({("arena", "model/a"): (7.0, 1.0, 3), ("arena", "model/b"): (9.0, 2.0, 3)})
LEVELS = pd.DataFrame(
    {
        "ecology": ["arena", "arena", "solo"],
        "lineup": "",
        "model": ["model/a", "model/b", "model/a"],
        "l2": [0.0, 0.5, 1.0],
    }
)


def test_each_point_is_a_models_reliability_and_valuation_in_arena() -> None:
    axes = reliability(LEVELS, SUMMARY, CAST).axes[0]
    assert lines(axes) == [([0.0], [7.0]), ([0.5], [9.0])]
    assert [line.get_color() for line in axes.get_lines()] == [CAST.look(model).colour for model in CAST.models]


def test_a_model_without_a_value_is_named_and_not_drawn() -> None:
    figure = reliability(LEVELS.assign(l2=[0.0, np.nan, 1.0]), SUMMARY, CAST)
    assert len(figure.axes[0].get_lines()) == 1
    assert "Without data: model/b † (Arena)." in said(figure)


def test_axes_name_unit_and_scale() -> None:
    axes = reliability(LEVELS, SUMMARY, CAST).axes[0]
    assert "millions of EUR" in axes.get_ylabel()
    assert "1 = no interventions" in axes.get_xlabel()


def test_without_an_arena_the_figure_says_so() -> None:
    figure = reliability(LEVELS[LEVELS["ecology"] == "solo"], SUMMARY, CAST)
    assert "Not drawn: no model has both a reliability and a valuation in Arena." in said(figure)
