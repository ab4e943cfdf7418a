import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from analysis.agreement import Agreement, RankAgreement
from analysis.bootstrap import Interval
from analysis.figures.transitions import transitions
from analysis.theme import Cast
from tests.analysis.figures.frames import CAST, lines, moves, said

RHO = pd.DataFrame({"problem_id": list("PQRS"), "rho": [-1.0, 0.1, 1.0, np.nan]})
RANKS = RankAgreement(0.033, Interval(-1.0, 1.0), 3, 1)
PAIR = moves(CAST.models, (1.0, 2.0, 0.5, 0.5))


def test_cells_carry_the_transitions_row_by_row() -> None:
    axes = transitions(PAIR, RHO, Agreement(1, 4), RANKS, CAST).axes[0]
    assert np.asarray(axes.collections[0].get_array(), dtype=float).ravel().tolist() == [1.0, 2.0, 0.5, 0.5]
    assert [text.get_text() for text in axes.texts] == ["1", "2", "0.5", "0.5"]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("Winner in Solo", "Winner in Arena")


def test_an_empty_cell_stays_blank() -> None:
    axes = transitions(moves(CAST.models, (4.0, 0.0, 0.0, 0.0)), RHO, Agreement(4, 4), RANKS, CAST).axes[0]
    assert [text.get_text() for text in axes.texts] == ["4"]


def test_bars_count_the_problems_of_each_bin_and_keep_the_ends() -> None:
    axes = transitions(PAIR, RHO, Agreement(1, 4), RANKS, CAST).axes[1]
    heights = [patch.get_height() for patch in axes.patches if isinstance(patch, Rectangle)][:10]
    assert heights == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]


def test_the_line_stands_at_the_mean_and_the_note_says_it() -> None:
    figure = transitions(PAIR, RHO, Agreement(1, 4), RANKS, CAST)
    assert lines(figure.axes[1])[0][0] == [0.033, 0.033]
    assert "0.033, 95 % interval -1.000 to 1.000" in said(figure).replace("−", "-")
    assert "n = 3. Undefined, and left out: 1." in said(figure)
    assert "in both ecologies: 4; same winner in 1." in said(figure)


def test_a_model_that_is_not_compared_is_named() -> None:
    cast = Cast((*CAST.models, "model/c"))
    figure = transitions(PAIR, RHO, Agreement(1, 4), RANKS, cast)
    assert "Not compared, for want of a valuation in one ecology: model/c." in said(figure)


def test_an_undefined_correlation_is_called_undefined() -> None:
    undefined = RankAgreement(np.nan, Interval(np.nan, np.nan), 0, 2)
    figure = transitions(PAIR, RHO.assign(rho=np.nan), Agreement(2, 2), undefined, CAST)
    assert "defined in no problem." in said(figure)
    assert lines(figure.axes[1]) == []


def test_one_problem_has_a_mean_without_an_interval() -> None:
    ranks = RankAgreement(1.0, Interval(np.nan, np.nan), 1, 0)
    assert "1.000; n = 1." in said(transitions(PAIR, RHO.iloc[2:3], Agreement(1, 1), ranks, CAST))


def test_without_a_common_problem_the_figure_says_so() -> None:
    figure = transitions(PAIR.iloc[:0], RHO.iloc[:0], Agreement(None, 0), RANKS, CAST)
    assert "Not drawn: no problem was completed" in said(figure)
